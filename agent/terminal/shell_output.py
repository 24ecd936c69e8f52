"""What a command of the user's own prints, on the screen: its beginning as it comes, of a long one then only its end."""

from collections.abc import Callable, Sequence
from pathlib import Path

from agent.glyphs import drawn
from tools.collector import Collector
from tools.limits import Fitted

Say = Callable[[Sequence[str]], None]
HEAD_LINES, HEAD_CHARS = 1_000, 100_000
"""So much is shown as it comes."""
TAIL_LINES, TAIL_CHARS = 100, 10_000
"""Of what comes after that the end is shown, if it is not shown whole."""
HELD_BACK = "… this is long: its end is shown when it is over, Esc ends it"


class Output:
    """Shows what a command writes, in whole lines, and lets it be kept.

    The scrollback is the user's: a flood would push all else out of it. What ``collector`` can give to the model whole
    is shown whole.
    """

    def __init__(self, say: Say, collector: Collector) -> None:
        self._say = say
        self._collector = collector
        self._pending = ""
        """Of a line that is not whole yet; once `_is_long`: of what was held back as much as may be shown."""
        self._lines, self._chars = HEAD_LINES, HEAD_CHARS
        """Room for what is shown as it comes."""
        self._is_long = False

    def take(self, data: bytes) -> None:
        """Show the lines that are whole, while there is room."""
        self._add(self._collector.feed(data))

    async def finish(self, *, mark_id: str, project: Path) -> Fitted:
        """Show the rest, or the end of it; return what the model is to see of it all."""
        self._add(self._collector.rest())
        kept = await self._collector.finish(mark_id=mark_id, project=project)
        rest = self._pending
        if self._is_long and self._collector.is_over:
            rest = _end_of(rest)
            left_out = self._collector.chars - (HEAD_CHARS - self._chars) - len(rest)
            where = f"all of it is in {kept.spill.path}" if kept.spill else "they could not be kept"
            self._say([drawn(f"… {left_out:,} characters are left out here; {where}")])
        if rest:
            self._say(rest.removesuffix("\n").split("\n"))
        return kept

    def _add(self, text: str) -> None:
        self._pending += text
        if not self._is_long:
            self._show()
        if self._is_long:
            self._pending = self._pending[-self._collector.limit :]

    def _show(self) -> None:
        """Show the lines that are whole and have room; with the first that has none it `_is_long`."""
        *whole, last = self._pending.split("\n")
        fitting = 0
        for line in whole[: self._lines]:
            if len(line) + 1 > self._chars:
                break
            self._chars -= len(line) + 1
            fitting += 1
        self._lines -= fitting
        if fitting:
            self._say(whole[:fitting])
        self._pending = "\n".join([*whole[fitting:], last])
        if fitting < len(whole) or len(last) > self._chars:
            self._is_long = True
            self._say([drawn(HELD_BACK)])


def _end_of(text: str) -> str:
    """Return the last lines of ``text``; the first of them may be the end of one."""
    end = text[-TAIL_CHARS:]
    return "\n".join(end.removesuffix("\n").split("\n")[-TAIL_LINES:]) + ("\n" if end[-1:] == "\n" else "")
