"""Telling that hooks are at work, once they take long enough for somebody to wonder."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SILENT_S = 0.3
"""Hooks that end sooner are not worth a word."""


class Watch:
    """Tells ``tell`` the event whose hooks are at work, the last begun of several; empty: none are any more."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._working: list[str] = []

    @contextmanager
    def over(self, event: str) -> Iterator[None]:
        """Watch over work for ``event``."""
        told = asyncio.get_running_loop().call_later(SILENT_S, self._begin, event)
        try:
            yield
        finally:
            told.cancel()
            if event in self._working:
                self._working.remove(event)
                self._tell(self._working[-1] if self._working else "")

    def _begin(self, event: str) -> None:
        self._working.append(event)
        self._tell(event)
