"""Records to state: the one way a session grows, live and on load alike."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

from agent.clock import seconds
from agent.models import row
from agent.request import thinking_rule
from agent.session.records import Record
from agent.session.state import Price, State
from agent.token_counter import Counter
from compaction.messages import Block, as_blocks, is_thinking, text, text_of, tool_uses
from compaction.pins import pinned
from compaction.plan import Receipt
from compaction.thrash import Progress
from compaction.timeline import Timeline
from compaction.tokens import Meter, thinking_total
from compaction.view import Change, Count, Origin, Reader, head_sha
from tools.known import merge
from tools.limits import find_marks_to

UNSENT = ("restore", "budget", "prompt")
"""Layers that change only what was not sent yet: the cached prefix stays."""

SUMMARY = "summary"
"""The layer that puts a summary in place of the history: what was asked for is done."""
RESETS = ("summary", "reactive")
"""Layers after which the context starts over: what it grew by in that turn says nothing of the next."""


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
        state.meter = Meter(overhead=state.count(_overhead(record)))
    state.head = record
    _model(state, record)
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
    asked_with = state.view.tokens
    state.timeline.append(record["id"], "assistant", blocks, origin=origin, step=state.step)
    state.calls.used.update(call["id"] for call in tool_uses(blocks))
    usage = record.get("usage") or {}
    state.meter = state.meter.measured(
        usage, state.view.tokens, asked_with=asked_with, left_out=_left_out(state, record, blocks)
    )
    state.spent.add(usage, state.price(record["model"], usage))


def _left_out(state: State, record: Record, blocks: list[Block]) -> int:
    """Tokens of a reply that were paid for and do not go back: a call that was cut, thinking nobody may see again."""
    usage = record.get("usage") or {}
    factor = state.meter.factor
    if record.get("cut"):
        kept = sum(state.count(block) for block in blocks)
        return max(0, int(usage.get("output_tokens") or 0) - round(factor * kept))
    if thinking_rule(row(state.model)) != "none" and record["model"] == state.model:
        return 0
    thoughts = [block for block in blocks if is_thinking(block)]
    if not thoughts:
        return 0
    told = thinking_total(usage)
    return told if told is not None else round(factor * sum(map(state.count, thoughts)))


def _call(state: State, record: Record) -> None:
    state.calls.started.add(record["call"])


def _result(state: State, record: Record) -> None:
    state.calls.results[record["id"]] = record
    if spill := record.get("spill"):
        state.own_files[_absolute(state, spill["path"])] = None
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
    if record.get("layer") == "prompt":
        _shorten_prompts(state, record["changes"])
    state.timeline.apply(record["id"], record["changes"])
    state.meter = state.meter.changed()
    state.own_files.update(dict.fromkeys(_absolute(state, file["path"]) for file in record["files"]))
    state.context_files = {**(state.context_files or {}), **record.get("context_files", {})}
    if record.get("layer") == SUMMARY:
        state.compact_wish = None
        state.summarised_at = state.step + 1
    state.archives += bool(record["receipt"].get("archive"))
    state.marks.update(_own_marks(state, record))
    if record.get("layer") not in UNSENT:
        state.newest_change = record["id"]
    if record.get("layer") in RESETS:
        state.pace = state.pace.broken()
    if record.get("layer") != "restore":
        state.compactions += 1
        state.standing.append(record["id"])
    _judge(state, record["receipt"])
    _paid(state, record["receipt"].get("usage"))


def _own_marks(state: State, record: Record) -> list[str]:
    """Return the ids of the markers that a compaction put; what only looks like one leads to no file of ours."""
    archive = PurePath(record["receipt"].get("archive") or "").stem

    def is_own(path: str) -> bool:
        return path == archive or _absolute(state, path) in state.own_files

    return find_marks_to(json.dumps(record["changes"], ensure_ascii=False), is_own)


def _shorten_prompts(state: State, changes: Sequence[Change]) -> None:
    """Note what stands for the user's long texts, so that a summary repeats that and not the whole."""
    standing = {placed.id: placed.block for placed in state.view}
    for change in changes:
        block = standing.get(change["ids"][0])
        if block is not None and block["type"] == "text":
            state.long_prompts[block["text"]] = text_of(change["blocks"])


def _judge(state: State, receipt: Receipt) -> None:
    """Note whether it made room, and whether the model can still be asked for a summary."""
    state.progress = state.progress.with_receipt(receipt, state.step + 1)
    if receipt.get("trigger") in ("manual", "reactive"):
        state.progress, state.is_paused = Progress(), False
    if by := receipt.get("summary_by"):
        state.failed_summaries = 0 if by == "model" else state.failed_summaries + 1


def _undo(state: State, record: Record) -> None:
    target = record["target"]
    state.meter, state.pace = state.meter.changed(), state.pace.broken()
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
    state.is_paused = record.get("compaction_paused", state.is_paused)
    state.failed_summaries += bool(record.get("summary_failed"))
    _paid(state, record.get("usage"))


def _model(state: State, record: Record) -> None:
    before, state.model = state.model or record["model"], record["model"]
    state.view.reader = Reader(rule=thinking_rule(row(state.model)), model=state.model)
    if before != state.model:
        state.meter = state.meter.rescaled(_denser(state, before))


def _denser(state: State, before: str) -> float:
    """How many times as many tokens the context is for the model as it was for the one ``before``."""
    old, new = row(before).family, row(state.model).family
    if old == new:
        return 1.0
    blocks = [_overhead(state.head), *(placed.block for placed in state.view)]
    sums = [sum(map(Counter(family).block_tokens, blocks)) for family in (old, new)]
    return sums[1] / sums[0] if sums[0] else 1.0


def _overhead(head: Record) -> Block:
    return text(str(head["system"]) + str(head["tools"]))


def _mode(state: State, record: Record) -> None:
    state.mode = record["mode"]


def _subagent(state: State, record: Record) -> None:
    state.subagents = max(state.subagents, int(record["number"]))
    state.own_files.update(dict.fromkeys(_absolute(state, path) for path in record.get("files", ())))
    state.spent.take(record["spent"])


def _end(state: State, record: Record) -> None:
    state.is_turn_open = False
    if record.get("of") == "turn":
        state.pace = state.pace.ended(state.context_size)


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
