"""Stopping work at the user's word."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from agent.errors import Interrupted

T = TypeVar("T")


class Interrupts:
    """Runs one piece of work at a time, so that `ask` can cancel it from outside."""

    def __init__(self) -> None:
        self.is_asked = False
        self._working: asyncio.Task[Any] | None = None

    def ask(self) -> None:
        """Cancel what runs; what comes next finds ``is_asked``. Asking again changes nothing."""
        # A second cancellation would reach work that is busy closing down, and cut that off.
        if self._working is not None and not self.is_asked:
            self._working.cancel()
        self.is_asked = True

    def clear(self) -> None:
        """Forget what was asked: a new turn begins."""
        self.is_asked = False

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await ``work``. Raises Interrupted when the user asked, before or while it ran."""
        if self.is_asked:
            work.close()
            raise Interrupted
        try:
            return await self._cancellable(work)
        except asyncio.CancelledError:
            if self.is_asked:
                raise Interrupted from None
            raise

    async def finish(self, work: Coroutine[Any, Any, T], unstarted: Callable[[], T]) -> T:
        """Await ``work`` that handles its own cancellation and returns all the same.

        ``unstarted`` gives the value when the user asked before ``work`` took its first step. A cancellation by
        somebody else, which the work handles as well, counts as asked; a second one is not held up.
        """
        if self.is_asked:
            work.close()
            return unstarted()
        before = _cancellations()
        try:
            value = await self._cancellable(work)
        except asyncio.CancelledError:
            if self.is_asked and _cancellations() == before:
                return unstarted()
            raise
        if _cancellations() > before:
            self.is_asked = True
        return value

    async def _cancellable(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        self._working = task
        try:
            return await task
        finally:
            self._working = None


def _cancellations() -> int:
    """How often the running task was cancelled from outside."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0
