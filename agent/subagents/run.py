"""Runs subagents: a fresh history beside the parent's, of which only the last text comes back."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agent.events import Emit, Event, FromSubagent, TurnEnded
from agent.hook_words import HookWords
from agent.loop import Loop
from agent.session.file_state import place
from agent.session.offspring import Left, beginning, ending, report_of, work_of
from agent.session.session import Session
from agent.session.state import Spent, State
from tools.base import Order, SubagentReport, ToolError
from tools.jobs import look
from tools.paths import show
from tools.running import Jobs

MAX_STEPS = 50
TYPES = ("general",)
FAULT = "a fault of this program ended it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offspring:
    """A subagent made ready: its session, and the loop that works on it."""

    session: Session
    loop: Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A subagent at work. ``state``: of its own session."""

    order: Order
    state: State


Make = Callable[[str, str, Callable[[Event], None]], Offspring]
"""(name such as `task-001`, what it is for, emit) -> subagent. Given by the composition root."""


class Subagents:
    """Runs the subagents of one session."""

    def __init__(self, parent: Session, *, make: Make, words: HookWords, emit: Emit, jobs: Jobs) -> None:
        self._parent = parent
        self._make = make
        self._words = words
        self._emit = emit
        self._jobs = jobs
        self._started = 0
        self.running: dict[str, Running] = {}
        """By name, in the order in which they were started."""

    def spent(self) -> Spent:
        """Return what the session has cost, with what those that run have spent so far."""
        total = replace(self._parent.state.spent)
        for one in self.running.values():
            total.take(asdict(one.state.spent))
        return total

    async def spawn(self, order: Order) -> SubagentReport:
        """Run a subagent to its end and return its report; also when it fails or is interrupted.

        Raises ToolError for a type that does not exist.
        """
        if order.agent_type is not None and order.agent_type not in TYPES:
            raise ToolError(f"There is no agent type `{order.agent_type}`. Known: {', '.join(TYPES)}.")
        number = self._next_number()
        name = _name(number)

        def emit(event: Event) -> None:
            work = work_of(offspring.session.state)
            self._emit(FromSubagent(agent=name, call=order.call_id, event=event, work=work))

        offspring = self._make(name, order.description, emit)
        session = offspring.session
        inherited = frozenset(session.state.own_files)
        about = self._about(number, order, session)
        self._parent.append("subagent", **about, **beginning(about["log"]))
        self.running[name] = Running(order=order, state=session.state)
        report = report_of(session.state, log=about["log"], problem=FAULT)
        try:
            ended = await _to_its_end(offspring.loop, order.prompt)
            report = self._report(session, ended)
            if ended.reason == "stopped":
                self._words.end(ended.problem)
        finally:
            left = Left(state=session.state, report=report, inherited=inherited)
            del self.running[name]
            self._parent.append("subagent", **about, **ending(left))
            session.close()
        return report

    def _next_number(self) -> int:
        """Count on, past logs of which no record tells: a process that was killed leaves such."""
        folder = self._parent.log.path.with_suffix("")
        self._started = max(self._started, self._parent.state.subagents) + 1
        while (folder / f"{_name(self._started)}.jsonl").exists():
            self._started += 1
        return self._started

    def _report(self, session: Session, ended: TurnEnded) -> SubagentReport:
        return report_of(
            session.state,
            log=self._shown(session.log.path),
            problem=_problem(session.state, ended),
            text=ended.text,
            jobs=self._left_running(session.state),
        )

    def _about(self, number: int, order: Order, session: Session) -> dict[str, Any]:
        return {
            "agent": _name(number),
            "number": number,
            "call": order.call_id,
            "description": order.description,
            "log": self._shown(session.log.path),
        }

    def _left_running(self, state: State) -> list[str]:
        """Return what a subagent started in the background and that still runs."""
        own = {place(state.project, log) for log in state.job_logs}
        return [
            f"pid {pid} `{command}` (output in {log})"
            for pid, (command, log) in look(self._jobs).items()
            if log and place(state.project, log) in own
        ]

    def _shown(self, path: Path) -> str:
        return show(path, project=self._parent.state.project)


def _name(number: int) -> str:
    return f"task-{number:03d}"


def _problem(state: State, ended: TurnEnded) -> str:
    """Return why a subagent did not finish; empty when it did."""
    if ended.reason == "done":
        return ""
    if ended.reason == "interrupted":
        return "interrupted by the user"
    if ended.reason == "limit" and state.step >= MAX_STEPS:
        return f"its limit of {MAX_STEPS} steps was reached"
    return ended.problem or ended.reason


async def _to_its_end(loop: Loop, prompt: str) -> TurnEnded:
    """Run the loop; when cancelled, interrupt it and let it keep what it found."""
    turn = asyncio.ensure_future(loop.run(prompt))
    try:
        return await asyncio.shield(turn)
    except asyncio.CancelledError:
        loop.interrupt()
        return await turn
