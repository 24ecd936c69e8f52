"""Deleting a session from the list: looked at first, then asked, then told; never silently."""

import asyncio
from collections.abc import Callable

from agent.clock import Clock
from agent.terminal.asked import QUIET_S
from agent.terminal.sessions import Listed, Shelf

LOOKING = "looking whether it can go …"
OPEN_HERE = "stays: it is the session that is open here"
KEYS = "[y] delete for good  [n] keep"


class Deletion:
    """At most one at a time.

    Args:  changed: called when something else is to be shown; gone: called with a session that was removed.
    """

    def __init__(
        self, shelf: Shelf, clock: Clock, *, changed: Callable[[], None], gone: Callable[[Listed], None]
    ) -> None:
        self._shelf = shelf
        self._clock = clock
        self._changed = changed
        self._gone = gone
        self._looked_at: Listed | None = None
        self._asked_at: float | None = None
        self.notice = ""
        """What is to be said of it; empty for nothing."""
        self.is_removing = False
        """It can no longer be stopped."""

    @property
    def is_asking(self) -> bool:
        """A yes or no is waited for."""
        return self._asked_at is not None

    async def look(self, one: Listed) -> None:
        """Ask whether ``one`` is to go, or say why it stays; nothing, if that was forgotten meanwhile."""
        if self.is_removing:
            return
        self._looked_at, self._asked_at = one, None
        if not one.choice.is_offered:
            self._say(OPEN_HERE)
            return
        self._say(LOOKING)
        reason = await asyncio.to_thread(self._shelf.why_kept, one.seen.id)
        if self._looked_at is not one:
            return
        if reason:
            self._say(f"stays: {reason}")
        else:
            self._asked_at = self._clock()
            self._say(f"{KEYS}  {one.seen.id}, {one.size}")

    async def answer(self, key: str) -> None:
        """Take a key: yes only after a pause, so that it was meant; no at once; others are no answer."""
        one, asked_at = self._looked_at, self._asked_at
        if one is None or asked_at is None:
            return
        if key in ("n", "N"):
            self.forget()
            self._changed()
        elif key in ("y", "Y") and self._clock() - asked_at >= QUIET_S:
            self._asked_at, self.is_removing = None, True
            self._say(f"deleting {one.seen.id} …")
            await self._remove(one)

    def forget(self) -> bool:
        """Take a question back, and what was said; True when there was a question."""
        was_asking = self.is_asking
        if not self.is_removing:
            self._looked_at = self._asked_at = None
            self.notice = ""
        return was_asking

    async def _remove(self, one: Listed) -> None:
        try:
            problem = await asyncio.to_thread(self._shelf.remove, one.seen.id)
        finally:
            self.is_removing = False
        if not problem:
            self._gone(one)
        self._say(problem or f"deleted {one.seen.id}, {one.size}")

    def _say(self, notice: str) -> None:
        self.notice = notice
        self._changed()
