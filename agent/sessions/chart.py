"""Context size over time in characters: a column a reply, and a mark under every compaction."""

from collections.abc import Sequence

from agent.sessions.story import Point
from agent.terminal.figures import tokens

EIGHTHS = " ▁▂▃▄▅▆▇█"
MARK = "▲"
ROWS = 8
LABEL_COLUMNS = 6
MOST_WIDE = 4
"""Columns for one reply, where there are few."""


def chart_lines(points: Sequence[Point], width: int) -> list[str]:
    """Return the chart of ``points`` in at most ``width`` columns; no lines without points.

    Where there are more points than columns, a column shows the largest of its points.
    """
    if not points:
        return []
    room = max(10, width - LABEL_COLUMNS - 2)
    columns = _columns(points, room)
    wide = max(1, min(MOST_WIDE, room // len(columns)))
    most = max(1, *(point.tokens for point in points))
    lines = [
        f"{_label(line, most):>{LABEL_COLUMNS}} │"
        + "".join(_cell(size, line, most) * wide for size, _ in columns)
        for line in range(ROWS - 1, -1, -1)
    ]
    marks = "".join((MARK if is_marked else " ").ljust(wide) for _, is_marked in columns)
    steps = f"step {points[0].step} to {points[-1].step}"
    below = [f"{'':>{LABEL_COLUMNS}} └{'─' * (len(columns) * wide)}"]
    below += [f"{'':>{LABEL_COLUMNS}}  {marks}"] if marks.strip() else []
    legend = f"{steps}; {MARK} a compaction" if marks.strip() else steps
    return [line.rstrip() for line in [*lines, *below, f"{'':>{LABEL_COLUMNS}}  {legend}"]]


def _columns(points: Sequence[Point], room: int) -> list[tuple[int, bool]]:
    """Return (tokens, whether a compaction is in it) of each column."""
    number = min(room, len(points))
    shares = [
        points[index * len(points) // number : (index + 1) * len(points) // number] for index in range(number)
    ]
    return [
        (max(point.tokens for point in share), any(point.compaction for point in share)) for share in shares
    ]


def _cell(size: int, line: int, most: int) -> str:
    """The character of a column at a line, 0 being the lowest; what is not nothing is seen in the lowest."""
    eighths = max(round(size * ROWS * 8 / most), int(size > 0)) - line * 8
    return EIGHTHS[max(0, min(8, eighths))]


def _label(line: int, most: int) -> str:
    if line == ROWS - 1:
        return tokens(most)
    return tokens(most // 2) if line == ROWS // 2 - 1 else "0" if line == 0 else ""
