"""Records to state: the one way a session grows, live and on load alike."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from agent.clock import seconds
from agent.models import EFFORTS
from agent.session.going_back import mark, rewind, snapshot
from agent.session.kinds import SAID, name, name_message, name_put
from agent.session.measure import denser, left_out, overhead, reader_of
from agent.session.records import Record
from agent.session.shells import output, shell
from agent.session.state import LOST_OUTPUT, Price, State
from compaction.messages import as_blocks, text, text_of, tool_uses
from compaction.pins import pinned
from compaction.plan import Receipt
from compaction.thrash import Progress
from compaction.timeline import Timeline
from compaction.tokens import Meter
from compaction.view import Change, Count, Origin, head_sha
from tools.known import merge
from tools.limits import find_marks_to

UNSENT = ("restore", "budget", "prompt")
"""Layers that change only what was not sent yet: the cached prefix stays."""

CHANGERS = ("write", "edit")
"""Tools whose results say what they made of a file."""
SUMMARY = "summary"
"""The layer that puts a summary in place of the history: what was asked for is done."""
RESETS = ("summary", "reactive")
"""Layers after which the context starts over: what it grew by in that turn says nothing of the next."""


def empty_state(project: Path, count: Count, price: Price) -> State:
    """Return the state of a session without records."""
    return State(project=project, count=count, price=price, timeline=Timeline(head_sha([], []), count))


def apply(state: State, record: Record) -> None:
    """Let ``record`` take its effect; unknown types have none."""
    mark(state, record)
    state.turn = max(state.turn, int(record.get("turn", 0)))
    state.step = max(state.step, int(record.get("step", 0)))
    state.last = record["id"]
    if (effect := EFFECTS.get(record["type"])) is not None:
        effect(state, record)


def _session(state: State, record: Record) -> None:
    if not state.head:
        state.timeline = Timeline(head_sha(record["system"], record["tools"]), state.count)
        state.meter = Meter(overhead=state.count(overhead(record)))
    state.head = record
    _model(state, record)
    state.mode = record.get("mode", "")
    _effort(state, record)


def _context(state: State, record: Record) -> None:
    state.timeline.append(record["id"], "user", as_blocks(record["content"]), step=state.step)
    name(state, record, ["context"] * len(record["content"]))
    state.context_files = {**(state.context_files or {}), **record["files"]}


def _message(state: State, record: Record) -> None:
    if record["role"] == "assistant":
        _reply(state, record)
        return
    blocks = state.blocks_of(record)
    state.timeline.append(record["id"], "user", blocks, step=state.step)
    name_message(state, record, blocks)
    for result in record.get("results", ()):
        del state.calls.results[result]
    for steering in record.get("steering", ()):
        state.waiting.pop(steering, None)
    state.notes += [state.shells.pop(shell, LOST_OUTPUT) for shell in record.get("shells", ())]
    content = record.get("content", [])
    said = record.get("said", ())
    state.prompts += [(state.turn, content[index]["text"]) for index in said]
    others = [block for index, block in enumerate(content) if index not in said]
    state.notes += [block["text"] for block in others if block["type"] == "text"]
    state.is_turn_open = True


def _reply(state: State, record: Record) -> None:
    state.last_request_at = seconds(record.get("at", ""))
    state.answered_by, state.notes = record["model"], []
    origin = Origin(model=record["model"], prefix_sha=record["prefix_sha"])
    blocks = as_blocks(record["content"])
    asked_with = state.view.tokens
    state.timeline.append(record["id"], "assistant", blocks, origin=origin, step=state.step)
    state.calls.used.update(call["id"] for call in tool_uses(blocks))
    usage = record.get("usage") or {}
    state.meter = state.meter.measured(
        usage, state.view.tokens, asked_with=asked_with, left_out=left_out(state, record, blocks)
    )
    state.spent.add(usage, state.price(record["model"], usage))


def _call(state: State, record: Record) -> None:
    state.calls.started.add(record["call"])
    if said := record.get("told"):
        state.calls.told[record["call"]] = str(said)


def _result(state: State, record: Record) -> None:
    state.calls.results[record["id"]] = record
    state.calls.told.pop(record["call"], None)
    if spill := record.get("spill"):
        state.own_files[_absolute(state, spill["path"])] = None
        state.spills[record["call"]] = spill["path"]
    facts = record.get("facts", {})
    if record.get("name") in CHANGERS and not record.get("is_error"):
        state.written.update({path: new["sha256"] for path, new in facts.get("known", {}).items()})
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
        name(state, record, [SAID] * len(record["changes"]))
        state.kept_prompts += len(record["files"])
    state.timeline.apply(record["id"], record["changes"])
    name_put(state, record)
    state.meter = state.meter.changed()
    state.own_files.update(dict.fromkeys(_absolute(state, file["path"]) for file in record["files"]))
    _retell(state, record["id"], record.get("context_files", {}))
    if record.get("layer") == SUMMARY:
        state.compact_wish = state.compact_wish if record.get("trigger") == "auto" else None
        state.summaries[record["id"]] = state.summarised_at = state.step + 1
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


def _retell(state: State, compaction: str, files: Mapping[str, str]) -> None:
    """Note which instruction files a compaction told anew: an undo brings back what was told of them before."""
    known = state.context_files or {}
    state.retold[compaction] = {path: (known.get(path, ""), sha) for path, sha in files.items()}
    state.context_files = {**known, **files}


def _told_as(state: State, compaction: str, *, is_redo: bool) -> None:
    """Take or give back what a compaction told anew, but for what was told again since."""
    known = dict(state.context_files or {})
    for path, (before, after) in state.retold.get(compaction, {}).items():
        was, now = (before, after) if is_redo else (after, before)
        if known.get(path) == was:
            known[path] = now
    state.context_files = known


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
    _told_as(state, target, is_redo=record["is_redo"])
    if record["is_redo"]:
        state.timeline.redo(target)
        state.standing.append(target)
    else:
        state.timeline.undo(target)
        state.standing.remove(target)
    state.summarised_at = max((state.summaries.get(id_, 0) for id_ in state.standing), default=0)


def _pin(state: State, record: Record) -> None:
    state.pins.append(record["text"])
    name(state, record, ["pins"])
    state.timeline.append(record["id"], "user", [text(pinned(record["text"]))], step=state.step)


def _title(state: State, record: Record) -> None:
    state.title = str(record["text"])


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
    state.written.update(record.get("written", {}))
    _paid(state, record.get("usage"))


def _model(state: State, record: Record) -> None:
    before, state.model = state.model or record["model"], record["model"]
    state.view.reader = reader_of(state.model)
    if before != state.model:
        state.meter = state.meter.rescaled(denser(state, before))


def _effort(state: State, record: Record) -> None:
    state.effort = next((effort for effort in EFFORTS if effort == record.get("effort")), None)


def _mode(state: State, record: Record) -> None:
    state.mode = record["mode"]


def _subagent(state: State, record: Record) -> None:
    state.subagents = max(state.subagents, int(record["number"]))
    state.own_files.update(dict.fromkeys(_absolute(state, path) for path in record.get("files", ())))
    state.written.update(record.get("written", {}))
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
    "title": _title,
    "snapshot": snapshot,
    "rewind": rewind,
    "steering": _steering,
    "shell": shell,
    "output": output,
    "note": _note,
    "model": _model,
    "mode": _mode,
    "effort": _effort,
    "subagent": _subagent,
    "end": _end,
}
