"""What stands above the live parts and is known to be on the screen still, so that it can be drawn again in its place."""

import re
from collections import deque

from prompt_toolkit.utils import get_cwidth

MOST_LINES = 500
"""More than there are on a screen."""
STYLE = re.compile("\x1b\\[[0-9;]*m")
TAB_COLUMNS = 8


class Above:
    """Counts rows as the terminal does. Where its first one was is not known, and need not be.

    Contract: what `shown` returns stands right above the live parts; nothing of it has scrolled away.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """What is above is not known: the window has another size, or another program had the screen."""
        self._lines: deque[tuple[str, int]] = deque(maxlen=MOST_LINES)
        self._rows = 0
        """How many there are."""
        self._lowest = 0
        """Rows from the first of them to the lowest that was ever drawn in."""

    def add(self, text: str, columns: int) -> None:
        """Take committed lines, each ended by a newline."""
        lines = text.split("\n")[:-1]
        if len(lines) > MOST_LINES:
            self.forget()
        for line in lines[-MOST_LINES:]:
            rows = _rows_of(line, columns)
            self._lines.append((line, rows))
            self._rows += rows

    def drawn(self, height: int) -> None:
        """Note that the live parts took so many rows."""
        self._lowest = max(self._lowest, self._rows + height)

    def shown(self, rows: int) -> tuple[list[str], int]:
        """Return the lines that are on a screen of so many ``rows``, and how many rows they take."""
        room = min(self._rows, self._rows - self._lowest + rows)
        lines: deque[str] = deque()
        taken = 0
        for line, needed in reversed(self._lines):
            if taken + needed > room:
                break
            lines.appendleft(line)
            taken += needed
        return list(lines), taken


def _rows_of(line: str, columns: int) -> int:
    width = get_cwidth(STYLE.sub("", line).expandtabs(TAB_COLUMNS))
    return max(1, -(-width // max(1, columns)))
