"""Stopping work at the user's word."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agent.errors import Interrupted

T = TypeVar("T")


class Interrupts:
    """Runs one piece of work at a time, so that `ask` can cancel it from outside."""

    def __init__(self) -> None:
        self.is_asked = False
        self._working: asyncio.Task[Any] | None = None

    def ask(self) -> None:
        """Cancel what runs; what comes next finds ``is_asked``."""
        self.is_asked = True
        if self._working is not None:
            self._working.cancel()

    def clear(self) -> None:
        """Forget what was asked: a new turn begins."""
        self.is_asked = False

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await ``work``. Raises Interrupted when the user asked, before or while it ran."""
        if self.is_asked:
            work.close()
            raise Interrupted
        try:
            return await self.finish(work)
        except asyncio.CancelledError:
            if self.is_asked:
                raise Interrupted from None
            raise

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Await ``work`` that handles its own cancellation and returns all the same."""
        task = asyncio.ensure_future(work)
        self._working = task
        try:
            return await task
        finally:
            self._working = None
