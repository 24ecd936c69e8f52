"""A text of any length in a bounded number of rows: its beginning, its end, and how much lies between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.cells import chop_cells

from agent.terminal.render import plain

HEAD_ROWS, TAIL_ROWS = 140, 60
HALF_BYTES = 500_000
"""Of a file so much is read from either end: more than the rows hold."""
LEAST_COLUMNS = 2
"""A character may be as wide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The lines of a text, or of a long one those of its two ends; ``count``: how many it has in all."""

    head: Sequence[str]
    tail: Sequence[str] = ()
    """Empty: ``head`` is all of it."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Rows of a text, none wider than the screen; between ``head`` and ``tail`` ``left_out`` lines are missing.

    Each row comes with its line, by which it may be coloured.
    """

    head: Sequence[tuple[str, str]]
    tail: Sequence[tuple[str, str]] = ()
    left_out: int = 0


def text_source(text: str) -> Source:
    """Return a text that is held."""
    lines = text.removesuffix("\n").split("\n")
    return Source(head=lines, count=len(lines))


def file_source(path: Path) -> Source | None:
    """Return the text of a regular file; None where there is none, or it cannot be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            head = file.read(2 * HALF_BYTES)
            count = head.count(b"\n") + sum(
                data.count(b"\n") for data in iter(lambda: file.read(1 << 20), b"")
            )
            size = file.tell()
            if size == len(head):
                return text_source(head.decode("utf-8", "replace"))
            file.seek(max(len(head), size - HALF_BYTES))
            tail = file.read().decode("utf-8", "replace").removesuffix("\n")
    except OSError:
        return None
    return Source(head=head.decode("utf-8", "replace").split("\n"), tail=tail.split("\n"), count=count)


def excerpt(source: Source, width: int) -> Excerpt:
    """Return ``source`` in at most `HEAD_ROWS` and `TAIL_ROWS` rows."""
    most = HEAD_ROWS + TAIL_ROWS
    rows, shown = _filled(source.head, width, most, is_end=False)
    if not source.tail and shown == len(source.head):
        return Excerpt(head=rows)
    head, begun = _filled(source.head, width, HEAD_ROWS, is_end=False)
    tail, ended = _filled(reversed(source.tail or source.head), width, TAIL_ROWS, is_end=True)
    return Excerpt(head=head, tail=tail, left_out=max(1, source.count - begun - ended))


def folded(line: str, width: int) -> list[str]:
    """Return a line cut into rows of at most ``width`` cells, without control characters, its tabs as blanks."""
    shown = plain(line.expandtabs())
    return chop_cells(shown, max(width, LEAST_COLUMNS)) or [shown]


def _filled(
    lines: Iterable[str], width: int, room: int, *, is_end: bool
) -> tuple[list[tuple[str, str]], int]:
    """Fill ``room`` rows; return them with their lines, and how many lines came whole.

    ``is_end``: the lines come from the last to the first, and so do the rows fill up.
    """
    rows: list[tuple[str, str]] = []
    chars = room * max(width, LEAST_COLUMNS)
    for whole, line in enumerate(lines):
        is_long = (
            len(line) > chars
        )  # a line may be as long as the text: only what could be shown of it is looked at
        piece = [(row, line) for row in folded(line[-chars:] if is_end else line[:chars], width)]
        left = room - len(rows)
        if is_end:
            rows = piece[-left:] + rows if left else rows
        else:
            rows += piece[:left]
        if is_long or len(piece) > left:
            return rows, whole
    return rows, whole + 1
