"""A text file as the read tool shows it, for what is put into the view without a call."""

from pathlib import Path

MAX_BYTES = 60_000
"""A file over that takes more of the window than it is worth."""


def numbered(path: Path) -> str:
    """Return the numbered lines of a text file; empty when it is none, or too large."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:  # to open a pipe would wait for its writer
            return ""
        lines = path.read_bytes().decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return ""
    return "\n".join(
        f"{number}\t{line}" for number, line in enumerate(lines, 1) if line or number < len(lines)
    )
