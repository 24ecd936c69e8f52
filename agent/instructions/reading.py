"""The text of one instruction file, whatever stands at its path."""

from pathlib import Path

MAX_INSTRUCTION_CHARS = 32_000
MAX_BYTES = 8 * MAX_INSTRUCTION_CHARS
"""Enough for as many characters, and blanks before them; the rest of a huge file is never read."""


def read_note(path: Path) -> str:
    """Return the text of an instruction file, its head when it is too long; empty when it is none."""
    if not path.is_file():  # to open a pipe would wait for whoever writes to it
        return ""
    try:
        with path.open("rb") as file:
            note = file.read(MAX_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    if len(note) > MAX_INSTRUCTION_CHARS:
        return (
            f"{note[:MAX_INSTRUCTION_CHARS]}\n[the rest of this file was left out: read it when you need it]"
        )
    return note
