"""Closes what a process that was killed left open: calls, subagents, the user's own commands, the turn."""

from collections.abc import Mapping
from typing import Protocol

from agent.session.bridge import unanswered
from agent.session.log import SessionLog
from agent.session.offspring import ABOUT, ending, left_of
from agent.session.shells import UNKNOWN
from agent.session.shells import told as told_of_shell
from agent.session.state import State
from tools.task import told

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
    results = [by_call.get(call) or _lost(session, call, name, reports) for call, name in open_calls]
    if results:
        session.append("message", role="user", results=results, content=[])
    for shell, command in list(state.open_shells.items()):
        content = told_of_shell(command, "", UNKNOWN)
        session.append("output", shell=shell, exit_code=None, content=content)
    if state.is_turn_open:
        session.append("end", of="turn", reason="process ended")
    session.sync()


def _end_subagents(session: Journal) -> dict[str, str]:
    """End the subagents that were at work, with what their logs hold; return call -> what the model is told of it."""
    reports = {}
    for begun in list(session.state.open_subagents.values()):
        left = left_of(begun, session.state, session.log.path.parent)
        session.append("subagent", **{name: begun[name] for name in ABOUT if name in begun}, **ending(left))
        reports[str(begun.get("call"))] = told(left.report, left.report.text[-MOST_CHARS:])
    return reports


def _lost(session: Journal, call: str, name: str, reports: Mapping[str, str]) -> str:
    calls = session.state.calls
    text = f"{calls.told.get(call, '')}{reports.get(call, LOST)}" if call in calls.started else NOT_STARTED
    return session.append("result", call=call, name=name, content=text, is_error=True, facts={})
