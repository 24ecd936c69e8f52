"""Signals of one headless run: the first interrupts, a later one does not wait for a clean end."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent.exits import Exit

SWALLOW_S = 1.0
"""Further signals within this time are the same impatience: they must not cut the clean end short."""
CODES = {
    signal.SIGINT: Exit.INTERRUPTED,
    signal.SIGTERM: Exit.TERMINATED,
    signal.SIGHUP: Exit.HUNG_UP,
}


class Signals:
    """What came while a run was going on; made inside the running event loop.

    ``interrupt`` ends the turn at a clean place; ``cancel`` ends it now; ``is_elsewhere``: a Ctrl-C is meant for
    another program that has the terminal.
    """

    def __init__(
        self,
        interrupt: Callable[[], None],
        cancel: Callable[[], object],
        is_elsewhere: Callable[[], bool] = lambda: False,
    ) -> None:
        self.code: Exit | None = None
        """Exit code of the first signal that came."""
        self._interrupt = interrupt
        self._cancel = cancel
        self._is_elsewhere = is_elsewhere
        self._first_at = 0.0

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Take the signals over; one that this process was started to ignore (nohup) stays ignored."""
        loop = asyncio.get_running_loop()
        earlier = {number: signal.getsignal(number) for number in CODES}
        mine = [number for number, handler in earlier.items() if handler is not signal.SIG_IGN]
        for number in mine:
            loop.add_signal_handler(number, self.take, number)
        try:
            yield
        finally:
            for number in mine:
                loop.remove_signal_handler(number)
                signal.signal(number, earlier[number] or signal.SIG_DFL)

    def take(self, number: signal.Signals) -> None:
        """Act on one signal."""
        if number == signal.SIGINT and self._is_elsewhere():
            return
        now = asyncio.get_running_loop().time()
        if self.code is None:
            self.code, self._first_at = CODES[number], now
            self._interrupt()
        elif now - self._first_at >= SWALLOW_S:
            self._cancel()
