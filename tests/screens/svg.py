"""What stands on a screen as one SVG file: self-contained, on a ground of its own, every glyph in its cell."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

CELL_WIDTH, CELL_HEIGHT = 8.4, 18
BASELINE = 13
MARGIN = 14
GROUND, INK, FAINT = "#14161b", "#d7dae0", "#868c98"
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLOURS: Mapping[str, str] = {
    "black": "#2b2f38",
    "red": "#f2777a",
    "green": "#8fd16a",
    "brown": "#e8c063",
    "blue": "#7aa8f2",
    "magenta": "#cf8fe8",
    "cyan": "#64cbd0",
    "white": "#d7dae0",
    "brightblack": FAINT,
    "brightred": "#ff9a9c",
    "brightgreen": "#b0eb8e",
    "brightbrown": "#ffdd8c",
    "brightblue": "#9fc3ff",
    "brightmagenta": "#e3b0f7",
    "brightcyan": "#8be6ea",
    "brightwhite": "#ffffff",
}
"""By pyte's names, where yellow is brown."""

Style = tuple[str, str, bool, bool, bool]
"""Ink, ground ("" for the picture's own), bold, italic, underlined."""


def drawn(screen: pyte.Screen, title: str) -> str:
    """Return the picture of ``screen`` down to its last row that is not empty; ``title`` is what a screen reader says of it."""
    width = round(screen.columns * CELL_WIDTH + 2 * MARGIN)
    rows = 1 + max(y for y, line in enumerate(screen.display) if line.strip())
    height = rows * CELL_HEIGHT + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
        f'<g font-family="{FONT}" font-size="14" fill="{INK}" xml:space="preserve">',
        *(element for y in range(rows) for element in _row(screen, y)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(screen: pyte.Screen, y: int) -> Iterator[str]:
    """The runs of one style in a row: what is behind them, then their text."""
    cells = [screen.buffer[y][x] for x in range(screen.columns)]
    is_cursor = [
        y == screen.cursor.y and x == screen.cursor.x and not screen.cursor.hidden for x in range(len(cells))
    ]
    styles = [_style(cell, is_cursor=here) for cell, here in zip(cells, is_cursor, strict=True)]
    for style, run in groupby(range(len(cells)), key=styles.__getitem__):
        at = list(run)
        text = "".join(cells[x].data for x in at)
        left, length = MARGIN + at[0] * CELL_WIDTH, len(at) * CELL_WIDTH
        if style[1]:
            yield (
                f'<rect x="{left:.1f}" y="{MARGIN + y * CELL_HEIGHT}" width="{length:.1f}" height="{CELL_HEIGHT}"'
                f' fill="{style[1]}"/>'
            )
        if text.strip():
            yield _text(text, style, x=left, y=MARGIN + y * CELL_HEIGHT + BASELINE)


def _text(text: str, style: Style, *, x: float, y: int) -> str:
    """One run of text, without the blanks around it, as wide as its cells."""
    ink, _, is_bold, is_italic, is_underlined = style
    left = x + (len(text) - len(text.lstrip())) * CELL_WIDTH
    stripped = text.strip()
    attributes = [f'x="{left:.1f}" y="{y}" textLength="{len(stripped) * CELL_WIDTH:.1f}"']
    attributes += [f'fill="{ink}"'] if ink != INK else []
    attributes += ['font-weight="bold"'] if is_bold else []
    attributes += ['font-style="italic"'] if is_italic else []
    attributes += ['text-decoration="underline"'] if is_underlined else []
    return f"<text {' '.join(attributes)}>{escape(stripped)}</text>"


def _style(cell: Char, *, is_cursor: bool) -> Style:
    ink, ground = _colour(cell.fg, INK), _colour(cell.bg, "")
    if cell.reverse or is_cursor:
        ink, ground = ground or GROUND, ink
    return ink, ground, cell.bold, cell.italics, cell.underscore


def _colour(name: str, default: str) -> str:
    """``name``: one of pyte's, or six hexadecimal digits."""
    return default if name == "default" else COLOURS.get(name, f"#{name}")
