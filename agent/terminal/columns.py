"""Text in a given width: parts that flow from line to line, and labels beside them."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells

from agent.glyphs import drawn
from agent.terminal.render import plain

BETWEEN = " · "
LABEL_CELLS = 16
"""Of a column of labels."""
WIDE = 60
"""Columns from which on labels have a column of their own."""
LEAST = 12
"""Cells that a line holds in any case: on a narrower screen the terminal wraps it."""


def one_line(text: str) -> str:
    """Return text from outside as one line that is safe to show; what in it looks like a glyph of ours is none."""
    return " ".join(plain(text).split())


def flowed(parts: Sequence[str], width: int, between: str = BETWEEN) -> list[str]:
    """Return ``parts`` on lines of at most ``width`` cells, which end between two of them.

    A part that is longer than a line is broken between words, and a longer word where the line ends.

    Args:  parts: of ours, drawn with our glyphs; text of others in them has gone through `one_line`.
    """
    lines: list[str] = []
    between = drawn(between)
    for part in filter(None, (one_line(drawn(one)) for one in parts)):
        joined = f"{lines[-1]}{between}{part}" if lines else part
        if cell_len(joined) <= width:
            lines[-1:] = [joined]
        else:
            lines += _broken(part, max(width, LEAST))
    return lines


def labelled(label: str, parts: Sequence[str], width: int) -> list[str]:
    """Return ``parts`` beside a label, on a narrow screen below it; nothing without any."""
    if width < WIDE:
        lines = flowed(parts, width - 4)
        return [*([f"  {label}"] if label and lines else []), *(f"    {line}" for line in lines)]
    lines = flowed(parts, width - 2 - LABEL_CELLS)
    labels = [label, *[""] * len(lines)]
    return [f"  {one:<{LABEL_CELLS}}{line}" for one, line in zip(labels, lines, strict=False)]


def _broken(part: str, width: int) -> Iterator[str]:
    """Yield the lines of a part that is longer than one."""
    line = ""
    for word in part.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            yield line
        *whole, line = chop_cells(word, width)
        yield from whole
    yield line
