"""Runs subagents: a fresh history beside the parent's, of which only the last text comes back."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agent.events import Emit, Event, FromSubagent, TurnEnded
from agent.hooking.words import HookWords
from agent.loop import Loop
from agent.session.file_state import place
from agent.session.offspring import Left, beginning, ending, report_of, work_of
from agent.session.session import Session
from agent.session.state import Spent, State
from agent.subagents.agent_type import AgentType
from agent.subagents.catalog import AgentTypes
from agent.subagents.futile import Futile
from tools.base import ToolError
from tools.jobs import look
from tools.orders import Order, SubagentReport
from tools.paths import show
from tools.running import Jobs
from tools.task import told

FAULT = "a fault of this program ended it"
MOST_CHARS = 8_000
"""Of what a subagent said before a fault; its log has it all."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offspring:
    """A subagent made ready: its session, and the loop that works on it."""

    session: Session
    loop: Loop
    type: str
    """Name of its type."""
    max_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A subagent at work. ``state``: of its own session."""

    order: Order
    state: State


Make = Callable[[str, Order, AgentType, Emit], Offspring]
"""(name such as `task-001`, order, its type, emit) -> subagent."""


class Subagents:
    """Runs the subagents of one session."""

    def __init__(
        self, parent: Session, types: AgentTypes, *, make: Make, words: HookWords, emit: Emit, jobs: Jobs
    ) -> None:
        self._parent = parent
        self._types = types
        self._make = make
        self._words = words
        self._emit = emit
        self._jobs = jobs
        self._started = 0
        self._futile = Futile(lambda: parent.state.turn)
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

        Raises NotRun for a type that does not exist, and for an order that just came to nothing; ToolError with what was
        done so far when a fault of ours ended it.
        """
        kind = self._types.named(order.agent_type)
        self._futile.refuse(order)
        number = self._next_number()
        name = _name(number)

        def emit(event: Event) -> None:
            work = work_of(offspring.session.state)
            self._emit(FromSubagent(agent=name, call=order.call_id, event=event, work=work))

        offspring = self._make(name, order, kind, emit)
        session = offspring.session
        inherited = frozenset(session.state.own_files)
        about = self._about(number, order, offspring)
        self._parent.append("subagent", **about, **beginning(about["log"]))
        self.running[name] = Running(order=order, state=session.state)
        report = report_of(session.state, log=about["log"], problem=FAULT)
        try:
            ended = await _to_its_end(offspring.loop, order.prompt)
            report = self._report(offspring, ended)
            self._futile.note(order, report, has_done=bool(session.state.calls.started))
            if ended.reason == "stopped":
                self._words.end(ended.problem)
        except Exception as fault:
            _logger.debug("subagent `%s` failed", name, exc_info=True)
            problem = f"{FAULT}: {type(fault).__name__}"
            report = report_of(session.state, log=about["log"], problem=problem)
            raise ToolError(told(report, report.text[-MOST_CHARS:])) from fault
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

    def _report(self, offspring: Offspring, ended: TurnEnded) -> SubagentReport:
        session = offspring.session
        return report_of(
            session.state,
            log=self._shown(session.log.path),
            problem=_problem(offspring, ended),
            text=ended.text,
            jobs=self._left_running(session.state),
        )

    def _about(self, number: int, order: Order, offspring: Offspring) -> dict[str, Any]:
        return {
            "agent": _name(number),
            "number": number,
            "call": order.call_id,
            "agent_type": offspring.type,
            "model": offspring.session.state.model,
            "description": order.description,
            "log": self._shown(offspring.session.log.path),
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


def _problem(offspring: Offspring, ended: TurnEnded) -> str:
    """Return why a subagent did not finish, or perhaps did not; empty when it did."""
    most, is_at_limit = offspring.max_steps, offspring.session.state.step >= offspring.max_steps
    if ended.reason == "done":
        return f"it had to answer in the last of its {most} steps" if is_at_limit and most > 1 else ""
    if ended.reason == "interrupted":
        return "interrupted by the user"
    if ended.reason == "limit" and is_at_limit:
        return f"its limit of {most} steps was reached"
    return ended.problem or ended.reason


async def _to_its_end(loop: Loop, prompt: str) -> TurnEnded:
    """Run the loop; when cancelled, interrupt it and let it keep what it found."""
    turn = asyncio.ensure_future(loop.run(prompt))
    try:
        return await asyncio.shield(turn)
    except asyncio.CancelledError:
        loop.interrupt()
        return await turn
