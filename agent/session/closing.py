"""Closes what a process that was killed left open: calls, subagents, the user's own commands, the turn."""

from typing import Protocol

from agent.session.bridge import unanswered
from agent.session.log import SessionLog
from agent.session.offspring import ABOUT, ending, left_of
from agent.session.shells import UNKNOWN
from agent.session.shells import told as told_of_shell
from agent.session.state import State
from tools.base import Facts
from tools.orders import SubagentReport
from tools.task import facts_of, problem_of, told

LOST = "The process ended while this ran; it may have taken effect. Check before you repeat it."
NOT_STARTED = "Not started: the process ended before this call."
MOST_CHARS = 8_000
"""Of what a subagent said last; its log has it all."""


class Journal(Protocol):
    """An open session, as far as it takes records."""

    @property
    def log(self) -> SessionLog: ...

    @property
    def state(self) -> State: ...

    def append(self, type: str, **fields: object) -> str: ...

    def sync(self) -> None: ...


def close_open_calls(session: Journal) -> None:
    """Answer every call that has no result, and end the turn, subagents and commands that a crash left open."""
    state = session.state
    reports = _end_subagents(session)
    by_call = {record["call"]: id_ for id_, record in state.calls.results.items()}
    open_calls = unanswered(state)
    results = [
        by_call.get(call) or _lost(session, call, name, reports.get(call)) for call, name in open_calls
    ]
    if results:
        session.append("message", role="user", results=results, content=[])
    for shell, command in list(state.open_shells.items()):
        content = told_of_shell(command, "", UNKNOWN)
        session.append("output", shell=shell, exit_code=None, content=content)
    if state.is_turn_open:
        session.append("end", of="turn", reason="process ended")
    session.sync()


def _end_subagents(session: Journal) -> dict[str, SubagentReport]:
    """End the subagents that were at work, with what their logs hold; return call -> what came of it."""
    reports = {}
    for call, newest in list(session.state.open_subagents.items()):
        left = left_of(newest, session.state, session.log.path.parent)
        if newest.get("is_open"):
            about = {name: newest[name] for name in ABOUT if name in newest}
            session.append("subagent", **about, **ending(left))
        reports[call] = left.report
    return reports


def _lost(session: Journal, call: str, name: str, report: SubagentReport | None) -> str:
    calls = session.state.calls
    if report is not None:
        text, facts = told(report, report.text[-MOST_CHARS:]), facts_of(report)
        is_error = bool(problem_of(report))
    else:
        text, facts, is_error = LOST if call in calls.started else NOT_STARTED, Facts(), True
    content = f"{calls.told.get(call, '')}{text}" if call in calls.started else text
    return session.append("result", call=call, name=name, content=content, is_error=is_error, facts=facts)
