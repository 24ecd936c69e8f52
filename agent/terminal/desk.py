"""The open session, and what commands can do with it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from agent.clock import Clock
from agent.errors import Interrupted
from agent.interrupts import Interrupts
from agent.loop import Loop
from agent.session.session import Session
from agent.session.store import Store
from agent.terminal.figures import tokens
from agent.terminal.show import Show
from compaction.plan import Trigger
from compaction.policy import Sizes


class Compactor(Protocol):
    """What a compaction by hand needs."""

    @property
    def sizes(self) -> Sizes: ...

    async def compact(self, trigger: Trigger, focus: str) -> bool: ...


class OpenAgent(Protocol):
    """One open session with everything that works on it."""

    @property
    def session(self) -> Session: ...

    @property
    def loop(self) -> Loop: ...

    @property
    def compactor(self) -> Compactor: ...

    def background(self) -> Mapping[int, str]:
        """Return what runs in the background: pid -> command."""
        ...

    async def start(self, source: str) -> None: ...

    async def close(self, reason: str) -> None: ...


Reopen = Callable[[str | None, str | None], OpenAgent]
"""(session id, or None for a new one; model, or None for the one in use) -> agent."""


class SessionDesk:
    """Holds one open session after the other.

    Args:  reopen: opens another session.
    """

    def __init__(
        self,
        agent: OpenAgent,
        show: Show,
        store: Store,
        *,
        reopen: Reopen,
        clock: Clock,
    ) -> None:
        self.agent = agent
        self.store = store
        self.now = clock
        self.work = Interrupts()
        """What runs beside turns: a compaction by hand, a shell command."""
        self._show = show
        self._reopen = reopen
        self.is_left = False
        """The user asked to leave."""

    def say(self, lines: Sequence[str]) -> None:
        """Show lines of our own."""
        self._show.say("\n".join(lines), "")

    def interrupt(self) -> None:
        """Stop the turn and what runs beside it."""
        self.agent.loop.interrupt()
        self.work.ask()

    def leave(self) -> None:
        """Leave once the command that asked for it is done; the session can be resumed."""
        self.is_left = True

    async def compact(self, focus: str) -> None:
        """Summarise the history now; Esc keeps it as it is."""
        self._show.activity.do("writing a summary")
        try:
            await self.work.run(self.agent.compactor.compact("manual", focus))
        except Interrupted:
            size = self.agent.session.state.context_size
            self.say([f"compaction stopped; the context stays at {tokens(size)}"])
        finally:
            self._show.activity.do("")

    async def switch(self, session: str | None, model: str | None) -> None:
        """Leave the session for another, or for a new one when None."""
        left = self.agent.session.state.session_id
        await self.agent.close("switch")
        self.agent = self._reopen(session, model)
        await self.agent.start("resume" if session else "startup")
        state = self.agent.session.state
        if state.session_id == left:
            self.say([f"model {state.model}"])
        else:
            self.say([f"now in session {state.session_id}; back with /resume {left}"])
