"""What the logs of subagents say: how one ended, what it cost, and what a process that was killed left of it.

A session's own log tells when a subagent began and when it ended; all between stands in that one's log alone. A begun
one without an end is ended when the session is opened again, with what its log holds.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agent.session.bridge import BROKEN
from agent.session.loading import read_log
from agent.session.log import read_records
from agent.session.records import Record
from agent.session.replay import empty_state
from agent.session.state import Spent, State
from compaction.deeds import FILES
from compaction.ledger import entry
from compaction.messages import text_of
from tools.orders import SubagentReport, Work
from tools.paths import show

ABOUT = ("agent", "number", "call", "agent_type", "model", "description", "log")
"""Fields that the record of a beginning and that of an end have in common."""
KILLED = "the process ended while it worked; its last call may have taken effect"
LOG = ".jsonl"
MOST_DONE = 20
"""So many of the things that one did are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How a subagent ended. ``state``: its own; ``inherited``: files that were its parent's before."""

    state: State
    report: SubagentReport
    inherited: Collection[str] = ()


def work_of(state: State) -> Work:
    """Return what a subagent has done so far."""
    spent = state.spent
    return Work(steps=state.step, size=state.context_size, usd=spent.usd, is_known=spent.is_known)


def report_of(
    state: State, *, log: str, problem: str = "", text: str = "", jobs: Sequence[str] = ()
) -> SubagentReport:
    """Return what a subagent gives back.

    Args:  state: its own; log: its path as shown; text: its answer, where it gave one; jobs: what it left running.
    """
    return SubagentReport(
        text=text or _last_text(state),
        log=log,
        work=work_of(state),
        problem=problem,
        files=[show(Path(path), project=state.project) for path in state.written],
        done=_done(state),
        todos=[todo["content"] for todo in state.todos if todo["status"] != "completed"],
        jobs=jobs,
    )


def beginning(log: str) -> dict[str, Any]:
    """Return what the record of a beginning says beside `ABOUT`; ``log``: its path as shown."""
    return {"files": [log], "written": {}, "spent": asdict(Spent()), "is_open": True}


def ending(left: Left) -> dict[str, Any]:
    """Return what the record of an end says beside `ABOUT`."""
    state, report = left.state, left.report
    own = sorted(path for path in state.own_files if path not in left.inherited)
    return {
        "files": [*([report.log] if report.log else []), *own],
        "written": dict(state.written),
        "steps": report.work["steps"],
        "size": report.work["size"],
        "spent": asdict(state.spent),
        "problem": report.problem,
    }


def left_of(newest: Record, parent: State, root: Path) -> Left:
    """Return what a subagent left whose call has no result; nothing where its log cannot be read.

    Args:  newest: the record of its beginning, or of its end; root: the folder of all sessions: no log elsewhere is one
           of ours.
    """
    state, log = empty_state(parent.project, parent.count, parent.price), ""
    problem = KILLED
    try:
        path = (parent.project / str(newest["log"])).resolve()
        if path.suffix != LOG or path.parent.parent != root.resolve():
            raise LookupError("no log of a subagent of ours")
        problem = _problem(path)
        state, log = read_log(path, state).state, str(newest["log"])
    except (OSError, *BROKEN):
        state.spent.is_known = False
    return Left(state=state, report=report_of(state, log=log, problem=problem))


def _problem(log: Path) -> str:
    """Return why a subagent did not finish by its own log; empty when it did."""
    ends = [record for _, record in read_records(log) if record and record["type"] == "end"]
    if not ends:
        return KILLED
    return "" if ends[-1].get("reason") == "done" else str(ends[-1].get("problem") or ends[-1].get("reason"))


def _done(state: State) -> list[str]:
    """What it did beside changing files, a line each, the newest first."""
    deeds = [deed for deed in state.view.history.deeds.done.values() if deed.kind not in FILES]
    return [entry(deed).removeprefix("- ") for deed in reversed(deeds[-MOST_DONE:])]


def _last_text(state: State) -> str:
    """The last text of the model that is not blank."""
    texts = [text_of([placed.block]) for placed in state.view if placed.role == "assistant"]
    return next((value for value in reversed(texts) if value.strip()), "")
