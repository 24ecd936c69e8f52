"""Whether to leave all the same, while something runs."""

import asyncio
from collections.abc import Callable

from agent.terminal.question import TerminalApprover

LEAVE_QUESTION = "something is running: leave all the same?  [y] leave  [n] stay"


class Leaving:
    """Asks, once at a time; ``leave`` is called when the answer is yes."""

    def __init__(self, approver: TerminalApprover, leave: Callable[[], None]) -> None:
        self._approver = approver
        self._leave = leave
        self._asking: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Put the question, unless it stands."""
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ask())

    def take_back(self) -> bool:
        """Ask no more; return whether it was being asked."""
        asking, self._asking = self._asking, None
        return asking is not None and asking.cancel()

    async def _ask(self) -> None:
        if await self._approver.confirm(LEAVE_QUESTION):
            self._leave()
        self._asking = None
