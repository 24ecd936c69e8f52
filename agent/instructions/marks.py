"""Marks around what comes from a project, and paths outside of any mark."""

from compaction.quoted import as_data, unclosable, unmarked
from tools.visible import escape_line


def marked(path: str, words: str, *, by: str = "", about: str = "") -> str:
    """Return project text between marks that it cannot close.

    Args:  by: the file that imports it; about: a line of ours before it.
    """
    attributes = {"path": path, **({"imported-by": by} if by else {})}
    return as_data("project-notes", unmarked(words), about=about, attributes=attributes)


def on_one_line(path: str) -> str:
    """Return a path as it stands outside of any mark: on one line, and no mark itself."""
    return unclosable(escape_line(path))
