"""Runs subagents: a fresh history beside the parent's, of which only the last text comes back."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from agent.events import Event, FromSubagent, TurnEnded
from agent.hook_words import HookWords
from agent.loop import Loop
from agent.session.session import Session
from compaction.messages import text_of
from tools.base import Order, SubagentReport, ToolError, Work

MAX_STEPS = 50
TYPES = ("general",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offspring:
    """A subagent made ready: its session, and the loop that works on it."""

    session: Session
    loop: Loop


Make = Callable[[str, str, Callable[[Event], None]], Offspring]
"""(name such as `task-001`, what it is for, emit) -> subagent. Given by the composition root."""


class Subagents:
    """Runs the subagents of one session."""

    def __init__(
        self, parent: Session, *, make: Make, words: HookWords, emit: Callable[[Event], None]
    ) -> None:
        self._parent = parent
        self._make = make
        self._words = words
        self._emit = emit
        self._started = 0

    async def spawn(self, order: Order) -> SubagentReport:
        """Run a subagent to its end and return its report; also when it fails or is interrupted.

        Raises ToolError for a type that does not exist.
        """
        if order.agent_type is not None and order.agent_type not in TYPES:
            raise ToolError(f"There is no agent type `{order.agent_type}`. Known: {', '.join(TYPES)}.")
        number = self._next_number()
        name = _name(number)

        def emit(event: Event) -> None:
            work = _work(offspring.session)
            self._emit(FromSubagent(agent=name, call=order.call_id, event=event, work=work))

        offspring = self._make(name, order.description, emit)
        try:
            ended = await _to_its_end(offspring.loop, order.prompt)
            report = self._report(offspring.session, ended)
            if ended.reason == "stopped":
                self._words.end(ended.problem)
        finally:
            self._account(number, offspring.session, order.description)
            offspring.session.close()
        return report

    def _next_number(self) -> int:
        """Count on, past logs of which no record tells: a process that was killed leaves such."""
        folder = self._parent.log.path.with_suffix("")
        self._started = max(self._started, self._parent.state.subagents) + 1
        while (folder / f"{_name(self._started)}.jsonl").exists():
            self._started += 1
        return self._started

    def _report(self, session: Session, ended: TurnEnded) -> SubagentReport:
        problem = "" if ended.reason == "done" else (ended.problem or ended.reason)
        if ended.reason == "limit" and session.state.step >= MAX_STEPS:
            problem = f"its limit of {MAX_STEPS} steps was reached"
        if ended.reason == "interrupted":
            problem = "interrupted by the user"
        return SubagentReport(
            text=ended.text or _last_text(session),
            log=self._shown(session.log.path),
            work=_work(session),
            problem=problem,
        )

    def _account(self, number: int, session: Session, description: str) -> None:
        self._parent.append(
            "subagent",
            agent=_name(number),
            number=number,
            description=description,
            log=self._shown(session.log.path),
            files=[str(session.log.path), *sorted(session.state.own_files)],
            written=dict(session.state.written),
            spent=asdict(session.state.spent),
        )

    def _shown(self, path: Path) -> str:
        project = self._parent.state.project
        return str(path.relative_to(project)) if path.is_relative_to(project) else str(path)


def _name(number: int) -> str:
    return f"task-{number:03d}"


def _work(session: Session) -> Work:
    state = session.state
    return Work(steps=state.step, size=state.context_size, usd=state.spent.usd, is_known=state.spent.is_known)


async def _to_its_end(loop: Loop, prompt: str) -> TurnEnded:
    """Run the loop; when cancelled, interrupt it and let it keep what it found."""
    turn = asyncio.ensure_future(loop.run(prompt))
    try:
        return await asyncio.shield(turn)
    except asyncio.CancelledError:
        loop.interrupt()
        return await turn


def _last_text(session: Session) -> str:
    """The last text of the model that is not blank."""
    texts = [text_of([placed.block]) for placed in session.state.view if placed.role == "assistant"]
    return next((value for value in reversed(texts) if value.strip()), "")
