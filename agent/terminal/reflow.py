"""Where the rows that we drew stand once the terminal has got another size.

Terminals wrap what has become too wide, and tell us only afterwards. A screen that has become too low loses rows at its
upper edge: they go into the scrollback, and when it grows, most terminals take them back from there. Those that are ours
must not stay: they are gone over again as soon as they can be reached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil


def is_wrapping(env: Mapping[str, str]) -> bool:
    """Tell from the environment whether the terminal wraps anew at another width; xterm, screen and the console cut."""
    if env.get("TMUX"):
        return True
    is_xterm = bool(env.get("XTERM_VERSION")) and not env.get("VTE_VERSION")
    return not (is_xterm or env.get("STY") or env.get("TERM") == "linux")


@dataclass(slots=True)
class Reflow:
    """Counts the rows above the cursor that are ours, those in the scrollback too.

    ``pushed``: columns used by each row of ours in the scrollback, from the top; ``is_cut``: the last of them goes on in
    the first row of the screen, as the terminal sees it.
    """

    is_wrapping: bool = True
    pushed: list[int] = field(default_factory=list)
    is_cut: bool = False

    def forget(self) -> None:
        """Something else was written below what is in the scrollback: it stays there."""
        self.pushed, self.is_cut = [], False

    def follow(self, used: Sequence[int], x: int, *, columns: int, on_screen: int) -> int:
        """Return by how many rows the topmost one of ours that can be reached is above the cursor.

        ``used``: columns used by each row that was drawn, down to that of the cursor; ``x``: the cursor's column;
        ``columns``: of the terminal now; ``on_screen``: how many rows of the screen are above the cursor now.
        """
        x = min(x, max(0, used[-1] - 1))  # it stays with its character
        widths = self._joined(used)
        x += widths[-1] - used[-1]
        heights = [self._height(width, columns) for width in widths]
        above = sum(heights[:-1]) + (x // columns if self.is_wrapping else 0)
        self._push(widths, heights, above - on_screen, columns)
        return min(above, on_screen)

    def lose(self, used: Sequence[int], below: int, *, columns: int, rows: int) -> None:
        """Remember what is in the scrollback when the row of the cursor is: the cursor is in the upper left corner.

        ``used``: columns used by each row that was drawn and is still there; ``below``: how many of them are below the
        cursor's; ``columns``, ``rows``: of the terminal now.
        """
        widths = self._joined(used)
        heights = [self._height(width, columns) for width in widths]
        to_cursor = sum(heights[: len(heights) - below])
        self._push(widths, heights, max(to_cursor, sum(heights) - rows), columns)

    def _joined(self, used: Sequence[int]) -> list[int]:
        """Return the columns used by all rows of ours; one that the upper edge cuts is one."""
        if not (self.is_cut and used[0]):
            return [*self.pushed, *used]
        *whole, cut = self.pushed
        return [*whole, cut + used[0], *used[1:]]

    def _push(self, widths: Sequence[int], heights: Sequence[int], rows: int, columns: int) -> None:
        """Remember the first ``rows`` rows as those that are in the scrollback."""
        self.forget()
        for width, height in zip(widths, heights, strict=True):
            if rows <= 0:
                break
            self.is_cut = height > rows
            self.pushed.append(rows * columns if self.is_cut else width)
            rows -= height

    def _height(self, width: int, columns: int) -> int:
        return max(1, ceil(width / columns)) if self.is_wrapping else 1
