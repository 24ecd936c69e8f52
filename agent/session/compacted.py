"""Records of compactions and of their undoing, and their effect on the state."""

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from agent.session.file_state import place
from agent.session.kinds import SAID, name, name_put
from agent.session.measure import pay
from agent.session.records import Record
from agent.session.skills import put_skills
from agent.session.state import State
from compaction.messages import text_of
from compaction.plan import Receipt
from compaction.thrash import Progress
from compaction.view import Change
from tools.limits import find_marks_to

UNSENT = ("restore", "budget", "prompt")
"""Layers that change only what was not sent yet: the cached prefix stays."""

SUMMARY = "summary"
"""The layer that puts a summary in place of the history: what was asked for is done."""
RESETS = ("summary", "reactive")
"""Layers after which the context starts over: what it grew by in that turn says nothing of the next."""


def compaction(state: State, record: Record) -> None:
    """Put what a compaction put in the view."""
    if record.get("layer") == "prompt":
        _shorten_prompts(state, record["changes"])
        name(state, record, [SAID] * len(record["changes"]))
        state.kept_prompts += len(record["files"])
    state.timeline.apply(record["id"], record["changes"])
    name_put(state, record)
    state.meter = state.meter.changed()
    state.own_files.update(dict.fromkeys(place(state.project, file["path"]) for file in record["files"]))
    put_skills(state, record)
    _retell(state, record["id"], record.get("context_files", {}))
    if record.get("layer") == SUMMARY:
        state.compact_wish = state.compact_wish if record.get("trigger") == "auto" else None
        state.todo_clock = state.todo_clock.after_summary()
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
    pay(state, record["receipt"].get("usage"))


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
        return path == archive or str(state.project / path) in state.own_files

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


def undo(state: State, record: Record) -> None:
    """Take a compaction back, or make it again."""
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
