"""What must hold for every request and every log of a session, whatever a test is about."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from agent.api.request import thinking_rule
from agent.models import row
from agent.offline import Recorded, prefix_bytes
from agent.session.checkpoint import ELSEWHERE, pack, unpack
from agent.session.log import read_records
from agent.session.replay import apply, empty_state
from agent.session.state import State
from compaction.messages import Message
from compaction.pairs import broken_pairs
from compaction.reactive import IMAGE_NOTE, LEFT_OUT, PREVIEW_NOTE
from compaction.summary import OPENING

SUBAGENT = "You are a subagent"


def is_subagents(request: Recorded) -> bool:
    """True for the request of a subagent."""
    system: Sequence[Mapping[str, Any]] = request.body.get("system") or []
    return any(block["text"].startswith(SUBAGENT) for block in system)


def is_for_summary(request: Recorded) -> bool:
    """True for a request that asks for a summary."""
    last = messages_of(request)[-1]["content"][-1]
    return last["type"] == "text" and last["text"].startswith(OPENING)


def main_requests(requests: Iterable[Recorded]) -> list[Recorded]:
    """The main agent's requests for a reply: neither its subagents' nor those for a summary."""
    return [
        request
        for request in requests
        if request.body and not is_subagents(request) and not is_for_summary(request)
    ]


def messages_of(request: Recorded) -> list[Message]:
    """The messages of a request."""
    return cast("list[Message]", request.body["messages"])


def check_pairs(requests: Iterable[Recorded]) -> None:
    """Every call is answered once, in the next message."""
    for request in requests:
        assert broken_pairs(messages_of(request)) == []


def check_main_prefix(requests: Sequence[Recorded], breaks: Iterable[int]) -> None:
    """Each request of the main agent begins with all bytes of the one before.

    Except behind a compaction (``breaks``: how many requests had been made then) or a change of the model. What
    asks for a summary extends the one before, too, but nothing extends it.
    """
    moved = set(breaks)
    last: Recorded | None = None
    for number, request in enumerate(requests):
        if number in moved:
            last = None
        if is_subagents(request):
            continue
        is_same = last is not None and request.body["model"] == last.body["model"]
        if last is not None and is_same and not is_lessened(request):
            _check_extends(last, request)
        if not is_for_summary(request):
            last = request


def is_lessened(request: Recorded) -> bool:
    """True for a request for a summary that is not the next request: of less of the history, or of it as one text."""
    return is_for_summary(request) and (
        "tools" not in request.body
        or any(note in json.dumps(request.body["messages"]) for note in (LEFT_OUT, IMAGE_NOTE, PREVIEW_NOTE))
    )


def check_subagent_prefix(requests: Iterable[Recorded]) -> None:
    """Each request of a subagent begins with all bytes of its last one; told apart by the first message."""
    groups: dict[str, list[Recorded]] = defaultdict(list)
    for request in requests:
        if is_subagents(request) and not is_for_summary(request):
            groups[str(_unmarked(request.body["messages"][0]["content"][:2]))].append(request)
    for group in groups.values():
        by_length = sorted(group, key=lambda request: len(prefix_bytes(request.body)))
        for shorter, longer in pairwise(by_length):
            _check_extends(shorter, longer)


def replayed(log: Path, live: State) -> State:
    """The state that the log alone adds up to; counted and priced as ``live``."""
    state = empty_state(live.project, live.count, live.price)
    for _, record in read_records(log):
        assert record is not None, f"{log.name} holds something unreadable"
        apply(state, record)
    return state


def facts_of(state: State) -> dict[str, Any]:
    """All that a session knows, as plain values: equal before and after a replay."""
    rule = thinking_rule(row(state.model))
    return {
        "messages": state.view.messages(rule, state.model),
        "size": state.context_size,
        "is_estimate": state.is_estimate,
        "prefix_sha": state.prefix_sha,
        "todos": (state.todos, state.todo_clock),
        "known": state.known,
        "shown": state.shown,
        "waiting": state.waiting,
        "prompts": state.prompts,
        "context_files": state.context_files,
        "spent": state.spent,
        "cwd": state.cwd,
        "used": state.calls.used,
        "unanswered": state.calls.results,
        "own_files": state.own_files,
        "marks": state.marks,
        "step": (state.turn, state.step),
        "compactions": (state.compactions, state.newest_change),
    }


def check_checkpoint(state: State) -> None:
    """A checkpoint brings back all of a state but the past of its view."""
    check_same_but_past(unpack(pack(state), state.project, count=state.count, price=state.price), state)


def check_same_but_past(state: State, other: State) -> None:
    """Two states have equal fields and equal views, however these came to be."""
    for name in sorted({one.name for one in fields(State)} - ELSEWHERE):
        assert getattr(state, name) == getattr(other, name), name
    assert view_facts(state) == view_facts(other)


def view_facts(state: State) -> dict[str, Any]:
    """All of a view, as plain values."""
    view, timeline = state.view, state.timeline
    return {
        "placed": list(view),
        "totals": {name: value for name, value in vars(view.totals).items() if name != "valid"},
        "valid": view.totals.valid & {placed.record for placed in view},
        "index": vars(view.index),
        "history": view.history,
        "sent": view.sent,
        "reader": view.reader,
        "prefix": view.prefix_sha,
        "changed": [view.is_changed(placed) for placed in view],
        "redoable": timeline.redoable,
        "held": timeline.held,
        "messages": view.messages(thinking_rule(row(state.model)), state.model),
    }


def _check_extends(last: Recorded, request: Recorded) -> None:
    before, now = prefix_bytes(last.body), prefix_bytes(request.body)
    if now.startswith(before):
        return
    pairs = zip(before.splitlines(), now.splitlines(), strict=False)
    differing = next(((a, b) for a, b in pairs if a != b), (b"", b""))
    raise AssertionError(f"the prefix moved:\n  {differing[0][:400]!r}\n  {differing[1][:400]!r}")


def _unmarked(blocks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]
