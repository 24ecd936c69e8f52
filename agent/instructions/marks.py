"""Marks around what comes from a project, and paths outside of any mark."""

from compaction.quoted import as_data, unclosable, unmarked
from tools.visible import escape_line


def marked(path: str, note: str) -> str:
    """Return project text between marks that it cannot close."""
    return as_data("project-notes", unmarked(note), attributes={"path": path})


def on_one_line(path: str) -> str:
    """Return a path as it stands outside of any mark: on one line, and no mark itself."""
    return unclosable(escape_line(path))
