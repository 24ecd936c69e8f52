"""The context as a grid of cells and a legend: every category has a letter, colour only helps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from agent.terminal.figures import tokens
from agent.terminal.render import styled

ROWS = 6
MARGIN = 2
TEN = 10
STEPS = (1, 2, 5)
FREE, RESERVE = "free", "reserve"
LETTERS = {
    "system": ("S", "blue", "system"),
    "tools": ("T", "blue", "tools"),
    "context": ("X", "cyan", "instructions, catalog"),
    "pins": ("P", "magenta", "pins"),
    "skills": ("K", "cyan", "skills"),
    "summary": ("Z", "magenta", "summary"),
    "ledger": ("L", "magenta", "ledger"),
    "files": ("F", "magenta", "restored files"),
    "user": ("u", "bold", "you"),
    "shell": ("c", "bold", "your !commands"),
    "assistant": ("a", "green", "assistant, calls"),
    "thinking": ("t", "dim", "thinking"),
    "read": ("r", "yellow", "read"),
    "bash": ("b", "red", "bash"),
    "edit": ("e", "yellow", "edit, write"),
    "glob": ("g", "yellow", "glob"),
    "task": ("k", "red", "task"),
    "other": ("o", "yellow", "other results"),
    "notes": ("n", "cyan", "notes"),
    "markers": ("m", "magenta", "markers of what left"),
    FREE: (".", "dim", "free"),
    RESERVE: ("!", "dim", "reserve"),
}
"""Category -> its letter, its colour, what the legend calls it; in the order of the grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Cells of ``cell_tokens`` tokens each, ``columns`` in a row; ``cells`` are categories."""

    cell_tokens: int
    columns: int
    cells: tuple[str, ...]


def grid(categories: Mapping[str, int], window: int, width: int) -> Grid:
    """Return the grid of a window for a screen of ``width`` columns, at most six rows high.

    A cell shows what most of its tokens are; where the context is larger than its window, the grid is as well.

    Args:  categories: tokens of each, `free` and `reserve` among them.
    """
    columns = max(1, (width - MARGIN) // 2)
    columns -= columns % TEN if columns > TEN else 0
    whole = max(window, sum(categories.values()), 1)
    size = _cell(whole, columns * ROWS)
    ends: list[tuple[int, str]] = []
    for name in LETTERS:
        if count := categories.get(name, 0):
            ends.append(((ends[-1][0] if ends else 0) + count, name))
    cells = [_most(ends, at, at + size) for at in range(0, whole, size)]
    return Grid(cell_tokens=size, columns=columns, cells=tuple(cells))


def grid_lines(made: Grid) -> list[Text]:
    """Return the rows of a grid."""
    rows = [made.cells[at : at + made.columns] for at in range(0, len(made.cells), made.columns)]
    return [styled((" " * MARGIN, ""), *[_shown(name) for name in row]) for row in rows]


def legend(categories: Mapping[str, int], window: int, width: int) -> list[Text]:
    """Return the categories that hold something, with letter, tokens and share, in as many columns as fit."""
    entries = [_entry(name, categories[name], window) for name in LETTERS if categories.get(name)]
    return columned(entries, width)


def columned(entries: Sequence[Text], width: int) -> list[Text]:
    """Return entries in columns of equal width, row by row."""
    cells = max((entry.cell_len for entry in entries), default=0) + MARGIN
    each = max(1, (width - MARGIN) // cells)
    rows: list[Text] = []
    for at in range(0, len(entries), each):
        row = styled((" " * MARGIN, ""))
        for number, entry in enumerate(entries[at : at + each]):
            row.append(" " * (MARGIN + number * cells - row.cell_len)).append_text(entry)
        rows.append(row)
    return rows


def _entry(name: str, count: int, window: int) -> Text:
    letter, style, label = LETTERS[name]
    share = "<1%" if count < window / 200 else f"{count / window:.0%}"
    room = max(cell_len(label) for _, _, label in LETTERS.values())
    return styled((letter, style), (f" {label:<{room}} {tokens(count):>5} {share:>4}", ""))


def _cell(whole: int, most: int) -> int:
    """Return the smallest round number of tokens of which ``most`` cells hold all."""
    scale = 1
    while True:
        for step in STEPS:
            if -(-whole // (step * scale)) <= most:
                return step * scale
        scale *= TEN


def _most(ends: Sequence[tuple[int, str]], start: int, end: int) -> str:
    """Return the category that most tokens from ``start`` to ``end`` are of."""
    parts: dict[str, int] = {}
    before = 0
    for stop, name in ends:
        parts[name] = min(stop, end) - max(before, start)
        before = stop
    return max(parts, key=lambda name: parts[name]) if parts else FREE


def _shown(name: str) -> tuple[str, str]:
    letter, style, _ = LETTERS[name]
    return f"{letter} ", style
