"""Marks around what comes from a project, and paths outside of any mark."""

from compaction.quoted import as_data, unclosable, unmarked
from skills.hidden import left_out, seen
from tools.visible import escape_line


def marked(path: str, words: str, *, by: str = "", about: str = "") -> str:
    """Return project text between marks that it cannot close, and without what its reader could not see.

    Args:  by: the file that imports it; about: a line of ours before it.
    """
    attributes = {"path": path, **({"imported-by": by} if by else {})}
    shown, hidden = seen(words)
    ours = [*([about] if about else []), *(f"[this file {words}]" for words in left_out(hidden))]
    return as_data("project-notes", unmarked(shown), about="\n".join(ours), attributes=attributes)


def on_one_line(path: str) -> str:
    """Return a path as it stands outside of any mark: on one line, and no mark itself."""
    return unclosable(escape_line(path))
