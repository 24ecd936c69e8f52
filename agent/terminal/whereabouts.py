"""Where the cursor is and how large the terminal: asked of itself, while it is being resized.

The kernel tells of a new size late, and of some sizes never: meanwhile the terminal has wrapped and pushed away what we
drew, and what we draw next lands beside its place. So for a while after a resize each frame waits for the answer to a
question; the terminal answers in its turn, when all that we wrote before has been taken in.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from prompt_toolkit.data_structures import Point, Size

QUESTION = "\x1b7\x1b[6n\x1b[9999;9999H\x1b[6n\x1b8"
"""Report the cursor's position; once more in the last corner, which is the size; and back."""
UNSETTLED_S = 0.5
"""A terminal whose size did not change for so long has told us of the last."""
ANSWER_S = 0.5
"""One that does not answer within is asked no more; one that has another size than the kernel says is waited for."""
AGAIN_S = 0.03


@dataclass(slots=True)
class Whereabouts:
    """Says when a frame can be drawn, and where the cursor is by then.

    ``ask`` writes to the terminal; ``size`` is what the kernel says; ``known`` is called when a frame can be drawn that
    could not before; ``is_lent``: another program has the terminal, and would get the answer.
    """

    ask: Callable[[str], None]
    size: Callable[[], Size]
    known: Callable[[], None]
    is_lent: Callable[[], bool] = lambda: False
    cursor: Point | None = None
    """Where the cursor is, from the upper left corner on; None when nobody knows."""
    is_asking: bool = False
    """An answer is to come; no frame is drawn before."""
    is_deaf: bool = False
    """The terminal gives no answers."""
    _is_free: bool = False
    """The frame that waited is being drawn."""
    _is_heard: bool = False
    """There was an answer, if none that helps."""
    _answer: Point | None = None
    """The first half of an answer."""
    _seen: Size | None = None
    _timers: dict[Callable[[], None], asyncio.TimerHandle] = field(default_factory=dict)

    @property
    def is_settled(self) -> bool:
        """The terminal has the size that we know."""
        return self._settle not in self._timers

    def may_draw(self) -> bool:
        """Tell whether a frame can be drawn now; if not, the terminal is asked, and then it is drawn."""
        if self._seen != (size := self.size()):
            is_first, self._seen = self._seen is None, size
            if not is_first:
                self.unsettle()
        if self.is_deaf or self._is_free:
            return True
        if not self.is_settled and not self.is_asking:
            self._write()
        return not self.is_asking

    def unsettle(self) -> None:
        """The terminal is being resized."""
        self._after(UNSETTLED_S, self._settle)

    def take(self, row: int, column: int) -> None:
        """Take an answer; rows and columns count from 1."""
        if not self.is_asking:
            return
        self._is_heard = True
        if self._answer is None:
            self._answer = Point(x=column - 1, y=row - 1)
        elif Size(rows=row, columns=column) == self.size():
            self._go_on(self._answer)
        else:
            self._after(AGAIN_S, self._write)

    def stop(self) -> None:
        """Ask no more."""
        self.is_asking = False
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _write(self) -> None:
        self._timers.pop(self._write, None)
        if self.is_lent():
            self.stop()
            return
        self._answer = None
        if not self.is_asking:
            self.is_asking, self._is_heard = True, False
            self._after(ANSWER_S, self._give_up)
        self.ask(QUESTION)

    def _give_up(self) -> None:
        self.is_deaf = not self._is_heard
        self._go_on(None)

    def _settle(self) -> None:
        """Have one more frame drawn, with all that was left out, and with what was pushed out of the screen meanwhile."""
        del self._timers[self._settle]
        if self.is_deaf:
            self._go_on(None)
        elif not self.is_asking:
            self._write()

    def _go_on(self, cursor: Point | None) -> None:
        """Have the frame drawn that waits."""
        self.is_asking = False
        self._drop(self._write)
        self._drop(self._give_up)
        self.cursor, self._is_free = cursor, True
        try:
            self.known()
        finally:
            self.cursor, self._is_free = None, False

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        self._drop(act)
        self._timers[act] = asyncio.get_running_loop().call_later(seconds, act)

    def _drop(self, act: Callable[[], None]) -> None:
        if (timer := self._timers.pop(act, None)) is not None:
            timer.cancel()
