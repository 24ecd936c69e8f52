"""The terminal in the hands of another program, while ours goes on behind it."""

import asyncio
import signal
import termios
from collections.abc import Awaitable, Callable
from typing import Any

from prompt_toolkit.application import in_terminal
from prompt_toolkit.input import Input


class Lending:
    """Lends the terminal whole; what is committed meanwhile is held, and written once it is back.

    Args:  terminal: where keys come from; found: its settings when we came; forget: what stood on it does not any more;
    write: puts lines on it.
    """

    def __init__(
        self, terminal: Input, found: list[Any], *, forget: Callable[[], None], write: Callable[[str], None]
    ) -> None:
        self._terminal = terminal
        self._found = found
        self._forget = forget
        self._write = write
        self._held: list[str] = []
        self._by: asyncio.Task[Any] | None = None

    @property
    def is_on(self) -> bool:
        """Another program has the terminal; what it makes of Ctrl-C is not our business."""
        return self._by is not None

    def hold(self, lines: str) -> None:
        """Keep ``lines`` until the terminal is back."""
        self._held.append(lines)

    async def run(self, work: Callable[[], Awaitable[str]]) -> str:
        """Let another program have the terminal while ``work`` runs, whose value is returned."""
        async with in_terminal():
            self._by = asyncio.current_task()
            quitting = signal.signal(signal.SIGQUIT, lambda *_: None)
            try:
                termios.tcsetattr(self._terminal.fileno(), termios.TCSADRAIN, self._found)
                return await work()
            finally:
                signal.signal(signal.SIGQUIT, quitting)
                self._by = None
                self._forget()
                held, self._held = self._held, []
                self._write("".join(held))

    async def take_back(self) -> None:
        """Have ``work`` end, if it runs."""
        if self._by is not None:
            self._by.cancel()
            await asyncio.wait([self._by])
