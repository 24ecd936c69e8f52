"""Records to state: the one way a session grows, live and on load alike."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.clock import seconds
from agent.session.records import Record
from agent.session.state import Price, State
from compaction.messages import as_blocks, text, tool_uses
from compaction.pins import pinned
from compaction.timeline import Timeline
from compaction.tokens import Meter
from compaction.view import Count, Origin, head_sha
from tools.known import merge
from tools.limits import find_marks

UNSENT = ("restore", "budget")
"""Layers that change only what was not sent yet: the cached prefix stays."""


def empty_state(project: Path, count: Count, price: Price) -> State:
    """Return the state of a session without records."""
    return State(project=project, count=count, price=price, timeline=Timeline(head_sha([], []), count))


def apply(state: State, record: Record) -> None:
    """Let ``record`` take its effect; unknown types have none."""
    state.turn = max(state.turn, int(record.get("turn", 0)))
    state.step = max(state.step, int(record.get("step", 0)))
    state.last = record["id"]
    if (effect := EFFECTS.get(record["type"])) is not None:
        effect(state, record)


def _session(state: State, record: Record) -> None:
    if not state.head:
        state.timeline = Timeline(head_sha(record["system"], record["tools"]), state.count)
        overhead = state.count(text(str(record["system"]) + str(record["tools"])))
        state.meter = Meter(overhead=overhead)
    state.head = record
    state.model = record["model"]
    state.mode = record.get("mode", "")


def _context(state: State, record: Record) -> None:
    state.timeline.append(record["id"], "user", as_blocks(record["content"]), step=state.step)
    state.context_files = {**(state.context_files or {}), **record["files"]}


def _message(state: State, record: Record) -> None:
    if record["role"] == "assistant":
        _reply(state, record)
        return
    blocks = state.blocks_of(record)
    state.timeline.append(record["id"], "user", blocks, step=state.step)
    for result in record.get("results", ()):
        del state.calls.results[result]
    for steering in record.get("steering", ()):
        state.waiting.pop(steering, None)
    content = record.get("content", [])
    state.prompts += [(state.turn, content[index]["text"]) for index in record.get("said", ())]
    state.is_turn_open = True


def _reply(state: State, record: Record) -> None:
    state.last_request_at = seconds(record.get("at", ""))
    origin = Origin(model=record["model"], prefix_sha=record["prefix_sha"])
    blocks = as_blocks(record["content"])
    state.timeline.append(record["id"], "assistant", blocks, origin=origin, step=state.step)
    state.calls.used.update(call["id"] for call in tool_uses(blocks))
    usage = record.get("usage") or {}
    state.meter = state.meter.measured(usage, state.view.tokens)
    state.spent.add(usage, state.price(record["model"], usage))


def _call(state: State, record: Record) -> None:
    state.calls.started.add(record["call"])


def _result(state: State, record: Record) -> None:
    state.calls.results[record["id"]] = record
    if spill := record.get("spill"):
        state.own_files.add(_absolute(state, spill["path"]))
        state.spills[record["call"]] = spill["path"]
    facts = record.get("facts", {})
    for path, new in facts.get("known", {}).items():
        state.known[path] = merge(state.known.get(path), new)
    if shown := facts.get("shown"):
        state.shown[shown["path"], shown["sha256"], shown["key"]] = record["call"]
    state.todos = facts.get("todos", state.todos)
    state.bash_cwd = facts.get("cwd", state.bash_cwd)
    state.marks.update(facts.get("marks", ()))
    state.compact_wish = facts.get("compact", state.compact_wish)


def _compaction(state: State, record: Record) -> None:
    state.timeline.apply(record["id"], record["changes"])
    state.own_files.update(_absolute(state, file["path"]) for file in record["files"])
    state.context_files = {**(state.context_files or {}), **record.get("context_files", {})}
    state.compact_wish = None
    state.archives += bool(record["receipt"].get("archive"))
    state.marks.update(find_marks(json.dumps(record["changes"], ensure_ascii=False)))
    if record.get("layer") not in UNSENT:
        state.newest_change = record["id"]
    if record.get("layer") != "restore":
        state.compactions += 1
        state.standing.append(record["id"])
    _paid(state, record["receipt"].get("usage"))


def _undo(state: State, record: Record) -> None:
    target = record["target"]
    if record["is_redo"]:
        state.timeline.redo(target)
        state.standing.append(target)
    else:
        state.timeline.undo(target)
        state.standing.remove(target)


def _pin(state: State, record: Record) -> None:
    state.pins.append(record["text"])
    state.timeline.append(record["id"], "user", [text(pinned(record["text"]))], step=state.step)


def _steering(state: State, record: Record) -> None:
    state.waiting[record["id"]] = record["text"]


def _note(state: State, record: Record) -> None:
    state.is_binding_refused = record.get("binding_refused", state.is_binding_refused)
    if tokens := record.get("corrected_tokens"):
        state.meter = state.meter.corrected(tokens, state.view.tokens)
    state.waiting.pop(record.get("refused", ""), None)
    if record.get("compact_refused"):
        state.compact_wish = None
    state.compact_wish = record.get("compact_wish", state.compact_wish)
    _paid(state, record.get("usage"))


def _model(state: State, record: Record) -> None:
    state.model = record["model"]


def _mode(state: State, record: Record) -> None:
    state.mode = record["mode"]


def _subagent(state: State, record: Record) -> None:
    state.subagents = max(state.subagents, int(record["number"]))
    state.own_files.update(_absolute(state, path) for path in record.get("files", ()))
    state.spent.take(record["spent"])


def _end(state: State, record: Record) -> None:
    state.is_turn_open = False


def _paid(state: State, usage: dict[str, Any] | None) -> None:
    if usage:
        state.spent.add(usage, state.price(state.model, usage))


def _absolute(state: State, path: str) -> str:
    return str(state.project / path)


EFFECTS: dict[str, Callable[[State, Record], None]] = {
    "session": _session,
    "context": _context,
    "message": _message,
    "call": _call,
    "result": _result,
    "compaction": _compaction,
    "undo": _undo,
    "pin": _pin,
    "steering": _steering,
    "note": _note,
    "model": _model,
    "mode": _mode,
    "subagent": _subagent,
    "end": _end,
}
