"""Context size over time in characters: a column a reply, and a mark under every compaction and rewind."""

from collections.abc import Callable, Sequence

from agent.sessions.story import Point
from agent.terminal.figures import tokens

EIGHTHS = " ▁▂▃▄▅▆▇█"
MARK = "▲"
BACK = "◄"
ROWS = 8
LABEL_COLUMNS = 6
MOST_WIDE = 4
"""Columns for one reply, where there are few."""


def _is_compaction(point: Point) -> bool:
    return bool(point.compaction)


def _is_rewind(point: Point) -> bool:
    return bool(point.rewind)


MARKS: Sequence[tuple[str, str, Callable[[Point], bool]]] = (
    (MARK, "a compaction", _is_compaction),
    (BACK, "a /rewind", _is_rewind),
)
"""Each with a line of its own: a column may have both."""


def chart_lines(points: Sequence[Point], width: int) -> list[str]:
    """Return the chart of ``points`` in at most ``width`` columns; no lines without points.

    Where there are more points than columns, a column shows the largest of its points.
    """
    if not points:
        return []
    room = max(10, width - LABEL_COLUMNS - 2)
    number = min(room, len(points))
    columns = [
        points[index * len(points) // number : (index + 1) * len(points) // number] for index in range(number)
    ]
    sizes = [max(point.tokens for point in column) for column in columns]
    wide = max(1, min(MOST_WIDE, room // number))
    most = max(1, *sizes)
    lines = [
        f"{_label(line, most):>{LABEL_COLUMNS}} │" + "".join(_cell(size, line, most) * wide for size in sizes)
        for line in range(ROWS - 1, -1, -1)
    ]
    legend = [f"step {points[0].step} to {points[-1].step}"]
    below = [f"└{'─' * (number * wide)}"]
    for mark, words, is_marked in MARKS:
        marks = "".join((mark if any(map(is_marked, column)) else " ").ljust(wide) for column in columns)
        if marks.strip():
            below.append(f" {marks}")
            legend.append(f"{mark} {words}")
    below.append(f" {'; '.join(legend)}")
    return [line.rstrip() for line in [*lines, *(f"{'':>{LABEL_COLUMNS}} {line}" for line in below)]]


def _cell(size: int, line: int, most: int) -> str:
    """The character of a column at a line, 0 being the lowest; what is not nothing is seen in the lowest."""
    eighths = max(round(size * ROWS * 8 / most), int(size > 0)) - line * 8
    return EIGHTHS[max(0, min(8, eighths))]


def _label(line: int, most: int) -> str:
    if line == ROWS - 1:
        return tokens(most)
    return tokens(most // 2) if line == ROWS // 2 - 1 else "0" if line == 0 else ""
