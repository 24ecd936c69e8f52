"""The change that a write or edit would make, to be looked at before it is allowed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.diffs import compare

MAX_BYTES = 2_000_000
MAX_LINES = 5_000
"""More of a change nobody reads at a prompt; what is over them is counted."""


def change_of(name: str, given: Mapping[str, Any], project: Path) -> str:
    """Return the numbered diff of a call of ``write`` or ``edit`` on the file as it is now.

    Empty for other tools, and where the file cannot be shown as text: then the input itself is shown.
    """
    if name not in ("write", "edit"):
        return ""
    try:
        before = _text(project / str(given.get("file_path", "")))
    except (OSError, ValueError):
        return ""
    if name == "write":
        after = str(given.get("content", ""))
    else:
        old, new = str(given.get("old_string", "")), str(given.get("new_string", ""))
        if not old or old not in before:
            return compare(old, new).text(MAX_LINES)
        after = before.replace(old, new, -1 if given.get("replace_all") else 1)
    return compare(before, after).text(MAX_LINES)


def _text(path: Path) -> str:
    """Return the text of a file; empty when there is none. Raises OSError or ValueError for what is no text."""
    if not path.exists():
        return ""
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        raise ValueError("not a text file of a size that can be shown")
    return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
