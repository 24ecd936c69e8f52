"""The open session, and what commands can do with it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.console import Group, RenderableType

from agent.clock import Clock
from agent.compacting.foresight import Foresight
from agent.errors import AgentError, Interrupted, SessionError
from agent.instructions.places import Places
from agent.interrupts import Interrupts
from agent.loop import Loop
from agent.models import Effort
from agent.session.forks import fork
from agent.session.session import Session
from agent.session.state import Spent
from agent.session.store import Store
from agent.subagents.catalog import AgentTypes
from agent.subagents.run import Running
from agent.terminal.farewell import resumed_lines
from agent.terminal.figures import tokens
from agent.terminal.render import to_ansi
from agent.terminal.shell import Shells
from agent.terminal.show import Show
from compaction.plan import Trigger
from compaction.policy import Sizes
from hooks.engine import HookEngine
from hooks.events import SessionStart, Source
from hooks.permission.judge import Permission
from skills.catalog import Catalog
from tools.running import Jobs


class Compactor(Protocol):
    """What a compaction by hand needs."""

    @property
    def sizes(self) -> Sizes: ...

    async def compact(self, trigger: Trigger, focus: str) -> bool: ...

    def foresee(self) -> Foresight | None: ...


class Folders(Protocol):
    """Where the work is done: the project, and the user's own folder of the program."""

    @property
    def project(self) -> Path: ...

    @property
    def home(self) -> Path: ...

    @property
    def places(self) -> Places: ...


class InCommon(Protocol):
    """What all agents of the process have in common, as far as commands tell of it."""

    @property
    def config(self) -> Folders: ...

    @property
    def permission(self) -> Permission: ...

    @property
    def skills(self) -> Catalog: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def hooks(self) -> HookEngine: ...

    @property
    def types(self) -> AgentTypes: ...


class Workers(Protocol):
    """The subagents of the session."""

    @property
    def running(self) -> Mapping[str, Running]:
        """Those at work, by name."""
        ...

    def spent(self) -> Spent:
        """Return what the session has cost, with what they have spent so far."""
        ...


class OpenAgent(Protocol):
    """One open session with everything that works on it."""

    @property
    def shared(self) -> InCommon: ...

    @property
    def session(self) -> Session: ...

    @property
    def loop(self) -> Loop: ...

    @property
    def compactor(self) -> Compactor: ...

    @property
    def subagents(self) -> Workers: ...

    @property
    def preset(self) -> str:
        """How its context is kept small."""
        ...

    def background(self) -> Mapping[int, str]:
        """Return what runs in the background: pid -> command."""
        ...

    async def start(self, source: Source) -> None: ...

    async def close(self, reason: str) -> None: ...


Reopen = Callable[[str | None, str | None, Effort | None], OpenAgent]
"""(session id, or None for a new one; model, and effort, or None for the session's own) -> agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The one at the screen.

    ``confirm`` asks a question for yes or no; ``fill`` puts words into the input; ``choose`` lets another session than
    the one given be chosen from a list, None: none of them; ``export`` writes a session to a file in a form, `md` or
    another, and returns what of its log is damaged.
    """

    confirm: Callable[[str], Awaitable[bool]]
    fill: Callable[[str], None]
    choose: Callable[[str], Coroutine[Any, Any, str | None]]
    export: Callable[[str, str, Path], list[str]]
    draft: Callable[[], str] = str
    """What stands in the input."""
    editing: Callable[[], str] = str
    """How the input is edited, in the bar's words; empty: as usual."""
    use_vi: Callable[[str], str] = lambda _: "this terminal has no vi keys"
    """Switches vi keys by the words behind `/vi`; returns what holds now."""
    has_screen: bool = True
    """Keys do something: it is more than a terminal of lines."""


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
        person: Person,
    ) -> None:
        self.agent = agent
        self.store = store
        self.now = clock
        self.person = person
        self.thoughts = show.thoughts
        self.work = Interrupts()
        """What runs in place of a turn: a compaction by hand."""
        self.shells = Shells(show, lambda: self.agent.session, store.outputs)
        self._show = show
        self._reopen = reopen
        self.is_left = False
        """The user asked to leave."""

    def say(self, lines: Sequence[str]) -> None:
        """Show lines of our own; nothing where there are none."""
        if lines:
            self._show.say("\n".join(lines), "")

    def draw(self, lines: Sequence[RenderableType]) -> None:
        """Show lines of our own that are as wide as the screen at most, in their colours."""
        self._show.put(to_ansi(Group(*lines), self.columns), "said")

    @property
    def columns(self) -> int:
        """How wide the screen is now."""
        return self._show.columns()

    def interrupt(self) -> None:
        """Stop the turn and what runs beside it."""
        self.agent.loop.interrupt()
        self.work.ask()
        self.shells.interrupt()

    async def begin(self, source: Source) -> None:
        """Let the session begin for its hooks; Esc ends those that take their time."""
        if not self.agent.shared.hooks.hears(SessionStart(source=source)):
            return  # what is pressed now is not meant for them
        try:
            await self.work.run(self.agent.start(source))
        except Interrupted:
            self.say(["the hooks of SessionStart were stopped"])

    def leave(self) -> None:
        """Leave once the command that asked for it is done; the session can be resumed."""
        self.is_left = True

    async def compact(self, focus: str) -> None:
        """Summarise the history now; Esc keeps it as it is."""
        self._show.activity.do("writing a summary")
        try:
            await self.work.run(self.agent.compactor.compact("manual", focus))
        except Interrupted:
            state = self.agent.session.state
            if state.compact_wish is not None:
                self.agent.session.append("note", text="the user stopped the compaction", compact_wish=None)
            size = state.context_size
            self.say([f"compaction stopped; the context stays at {tokens(size)}"])
        finally:
            self._show.activity.do("")

    def wish_compaction(self, focus: str) -> None:
        """Have the history summarised before the next step of the turn that runs."""
        self.agent.session.append("note", text="the user asked for a compaction", compact_wish=focus)
        self.agent.session.sync()

    async def keep_wish(self) -> None:
        """Summarise now what was to be summarised before a step that did not come."""
        if (focus := self.agent.session.state.compact_wish) is not None:
            await self.compact(focus)

    async def remember(self) -> None:
        """Know the past of the view, which a session that was opened at its checkpoint does not: going back needs it.

        Raises SessionError.
        """
        session = self.agent.session
        if not session.state.timeline.is_whole:
            self._show.activity.do("reading the whole session")
            try:
                session.adopt(await asyncio.to_thread(session.read_whole))
            finally:
                self._show.activity.do("")

    async def fork(self) -> None:
        """Go on in a copy of the session; the session itself stays as it is. Raises SessionError, OSError."""
        session = self.agent.session
        session.sync()
        if session.log.problem is not None:
            raise SessionError(f"not forked: the log cannot be written: {session.log.problem.strerror}")
        made = await asyncio.to_thread(fork, self.store, session.state.session_id, self.now())
        await self.switch(made, None, source="fork")

    async def choose(self) -> str | None:
        """Let the user choose another session; None when none is wanted, or all is interrupted."""
        try:
            return await self.work.run(self.person.choose(self.agent.session.state.session_id))
        except Interrupted:
            return None

    async def switch(self, session: str | None, model: str | None, *, source: Source = "resume") -> None:
        """Leave the session for another, or for a new one when None; if that cannot be opened, stay."""
        in_use = self.agent.session.state
        left, effort = in_use.session_id, None
        if session is None:
            model, effort = model or in_use.model, in_use.effort
        await self.agent.close("resume" if session else "clear")
        began: Source = source if session else "clear"
        try:
            self.agent = self._reopen(session, model, effort)
        except AgentError:
            self.agent, began = self._reopen(left, None, None), "resume"
            raise
        finally:
            await self.begin(began)
        state = self.agent.session.state
        if state.session_id == left:
            self.say([f"model {state.model}"])
            return
        self._show.pending.forget()
        self.say([f"now in session {state.session_id}; back with /resume {left}"])
        if state.turn:
            self.say(resumed_lines(state, self.now()))
