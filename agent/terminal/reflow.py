"""Which rows in the scrollback are ours, and have to be gone over again once they can be reached.

The cursor rests at the start of the first row that we drew, and stays with it whatever a terminal does at another size:
what is below can always be erased. But rows wrap when the window becomes narrow, and may become more than it has: then
the first of them go into the scrollback, and most terminals bring them back when there is room again.
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
    """Counts the rows of ours that are in the scrollback. ``pushed``: columns used by each of them, from the top."""

    is_wrapping: bool = True
    pushed: list[int] = field(default_factory=list)

    def forget(self) -> None:
        """Something else was written below what is in the scrollback: it stays there."""
        self.pushed = []

    def follow(self, used: Sequence[int], *, columns: int, rows: int, above: int | None) -> int:
        """Return how many rows above the cursor are ours and can be reached. The cursor is where our first row starts.

        ``used``: columns used by each row that was drawn and is still there; ``columns``, ``rows``: of the terminal now;
        ``above``: rows of the screen above the cursor; None: unknown, so that nothing up there may be touched.
        """
        widths = [*self.pushed, *used]
        heights = [self._height(width, columns) for width in widths]
        ours = sum(heights[: len(self.pushed)])
        reached = min(ours, above or 0)
        gone = ours - reached
        if above == 0:  # rows that have become more than the screen has leave the cursor in its corner
            gone = max(gone, sum(heights) - rows)
        self._push(widths, heights, gone, columns)
        return reached

    def _push(self, widths: Sequence[int], heights: Sequence[int], rows: int, columns: int) -> None:
        """Remember the first ``rows`` rows as those that are in the scrollback."""
        self.pushed = []
        for width, height in zip(widths, heights, strict=True):
            if rows <= 0:
                break
            self.pushed.append(rows * columns if height > rows else width)
            rows -= height

    def _height(self, width: int, columns: int) -> int:
        return max(1, ceil(width / columns)) if self.is_wrapping else 1
