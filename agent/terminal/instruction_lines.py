"""Which instruction files are in force, as the banner and `/context` say it: place, tokens, what is not told of them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.text import Text

from agent.instructions.changes import gone, has_changed
from agent.instructions.note import Note
from agent.terminal.columns import flowed, one_line
from agent.terminal.figures import times, tokens
from agent.terminal.render import styled

CountText = Callable[[str], int]
NEXT = "told with your next message"
INDENT = 8
"""Of a line about a file: margin, tokens and blanks stand before its place."""


def banner_parts(notes: Sequence[Note], count: CountText) -> list[str]:
    """Return the files found by their names with their tokens, what they import in one sum, and whether all is told."""
    parts = [
        f"{_place(note.shown)} {tokens(count(note.text))} tokens"
        for note in notes
        if note.text and not note.by
    ]
    imports = [count(note.text) for note in notes if note.text and note.by]
    parts += [f"{times(len(imports), 'import')} {tokens(sum(imports))} tokens"] if imports else []
    partly = sum(bool(note.remark) for note in notes)
    parts += [f"{times(partly, 'instruction file')} not told in full: /context"] if partly else []
    return parts


def instruction_lines(
    notes: Sequence[Note], told: Mapping[str, str] | None, count: CountText, width: int
) -> list[Text]:
    """Return all instruction files under a heading, the strongest last; nothing where there are none.

    Args:  told: what is logged of those that were told; None before the first message.
    """
    lines: list[str] = []
    for note in notes:
        by = f"imported by {_place(note.by)}" if note.by else ""
        changed = (
            f"changed, {NEXT}" if told is not None and has_changed(told.get(note.shown, ""), note) else ""
        )
        lines += _entry(
            tokens(count(note.text)) if note.text else "-", [_place(note.shown), by, changed], width
        )
        lines += [f"{'':{INDENT}}{line}" for line in flowed([note.remark], width - INDENT)]
    for path in gone(told or {}, notes):
        lines += _entry("-", [_place(path), f"no longer counts, {NEXT}"], width)
    if not lines:
        return []
    heading = (
        "instructions, the strongest last"
        if told is not None
        else "instructions, told with your first message"
    )
    return [styled((line, "")) for line in [*flowed([heading], width), *lines]]


def _entry(figure: str, parts: Sequence[str], width: int) -> list[str]:
    first, *more = flowed(parts, width - INDENT)
    return [f"{figure:>6}  {first}", *(f"{'':{INDENT}}{line}" for line in more)]


def _place(path: str) -> str:
    """Return a path with `~` for the user's home folder, on one line."""
    try:
        return one_line(f"~/{Path(path).relative_to(Path.home())}")
    except (ValueError, RuntimeError):
        return one_line(path)
