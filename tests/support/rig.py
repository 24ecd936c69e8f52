"""A session with its desk, its listener and its read-eval-print loop, without a screen: what is committed is kept."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from agent import wiring
from agent.calls.approval import Answer, Question
from agent.clock import Clock
from agent.events import Event
from agent.exits import Exit
from agent.local_rules import LocalRules
from agent.models import Effort
from agent.offline.script import Always, Turn
from agent.sessions.command import export_to
from agent.shelf import shelf_of
from agent.terminal.asked import Face
from agent.terminal.choosing import Board, SessionChooser
from agent.terminal.desk import OpenAgent, Person, SessionDesk
from agent.terminal.question import TerminalApprover
from agent.terminal.repl import Repl
from agent.terminal.show import Show
from agent.trust import standing_of
from tests.support.agent import Harness, scenario
from tests.support.answering import TypedField

SGR = re.compile("\x1b\\[[0-9;]*m")
COLUMNS = 100


@dataclass(slots=True)
class Forward:
    """An approver that is made after the agent that asks it."""

    to: TerminalApprover | None = None

    async def ask(self, question: Question) -> Answer:
        """Ask the approver."""
        assert self.to is not None
        return await self.to.ask(question)


@dataclass(slots=True)
class Rig:
    """What a test talks to."""

    harness: Harness
    show: Show
    desk: SessionDesk
    repl: Repl
    approver: TerminalApprover
    left: "asyncio.Future[Exit]"
    above: list[str]
    chooser: SessionChooser
    answers: TypedField
    """Where an answer is typed."""
    frames: list[int] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    """What was put into the input."""

    @property
    def text(self) -> str:
        """Everything that was committed, without colours."""
        return SGR.sub("", "".join(self.above))

    def text_from(self, number: int) -> str:
        """What was committed from the piece of that number on, without colours."""
        return SGR.sub("", "".join(self.above[number:]))

    @property
    def list(self) -> str:
        """The list of sessions that is open, without colours."""
        return SGR.sub("", "\n".join(self.chooser.lines(COLUMNS)))

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until ``condition`` holds."""
        await self.harness.until(condition)

    async def says(self, line: str, wanted: str) -> None:
        """Type a line and wait until ``wanted`` is committed and nothing runs."""
        self.repl.submit(line)
        await self.until(lambda: wanted in self.text and not self.repl.is_busy)


@asynccontextmanager
async def rig(
    folder: Path, *turns: Turn | Always, is_running: bool = True, **how: Any
) -> AsyncGenerator[Rig]:
    """Set a session up; ``is_running``: lines are taken at once. ``how``: as for `scenario`."""
    forward = Forward()
    async with scenario(folder, *turns, approver=forward, **how) as harness:
        made = _made(harness, forward)
        running = asyncio.ensure_future(made.repl.run("")) if is_running else None
        try:
            yield made
        finally:
            if running is not None:
                made.repl.leave()
                await running
            harness.agent = _as_agent(made.desk.agent)


def _rules(harness: Harness) -> LocalRules:
    config = harness.shared.config
    return LocalRules(harness.shared.permission, standing_of(config.project, config.home))


def _made(harness: Harness, forward: Forward) -> Rig:
    clock, above, frames = harness.shared.config.clock, list[str](), list[int]()

    def refresh() -> None:
        frames.append(1)

    def reopen(session: str | None, model: str | None, effort: Effort | None) -> OpenAgent:
        config = replace(harness.shared.config, model=model, effort=effort)
        shared = replace(harness.shared, config=config)
        return wiring.resume(shared, session) if session else wiring.create(shared)

    show = Show(commit=above.append, refresh=refresh, width=lambda: COLUMNS, clock=clock)

    _listen(harness, show)
    filled, answers = list[str](), TypedField()
    face = _face(show, clock, refresh, answers, filled)
    forward.to = TerminalApprover(face, rules=_rules(harness))

    chooser = SessionChooser(board_of(clock, above, refresh), shelf_of(harness.shared.store))
    person = Person(
        confirm=forward.to.confirm,
        fill=filled.append,
        choose=chooser.choose,
        export=partial(export_to, harness.shared.store),
    )
    desk = SessionDesk(harness.agent, show, harness.shared.store, reopen=reopen, clock=clock, person=person)
    left = asyncio.get_running_loop().create_future()
    repl = Repl(desk, show, forward.to, left=left, refresh=refresh)
    return Rig(harness, show, desk, repl, forward.to, left, above, chooser, answers, frames, filled)


def _face(
    show: Show, clock: Clock, refresh: Callable[[], None], answers: TypedField, filled: list[str]
) -> Face:
    return Face(
        refresh=refresh,
        commit=show.put,
        size=lambda: (COLUMNS, 40),
        clock=clock,
        diff=lambda _: "",
        place=lambda _: "",
        field=answers,
        typed=lambda: None,
        keep=filled.append,
        insert=filled.append,
        ring=lambda: None,
    )


def board_of(clock: Clock, above: list[str], refresh: Callable[[], None]) -> Board:
    """Return a screen of which only the size and what is put above is known."""

    async def settled() -> None:
        return

    return Board(
        settled=settled,
        open_search=lambda _keys, _changed: None,
        close_search=lambda: None,
        refresh=refresh,
        size=lambda: (COLUMNS, 40),
        clock=clock,
        say=lambda line: above.append(f"{line}\n"),
    )


def _listen(harness: Harness, show: Show) -> None:
    """Let ``show`` take every event."""

    def hear(event: Event) -> bool:
        show(event)
        return False

    harness.once(hear, lambda: None)


def _as_agent(agent: OpenAgent) -> wiring.Agent:
    assert isinstance(agent, wiring.Agent)
    return agent
