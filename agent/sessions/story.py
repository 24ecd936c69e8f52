"""One pass over a log: what was said, how large the context was, what was compacted, what it cost."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.models import cost_usd, row
from agent.session.bridge import BROKEN
from agent.session.glance import context_tokens, is_prompt, number_of, title_of, words_of
from agent.session.records import Record
from agent.session.state import Spent
from agent.sessions.branches import Branches, Rewind
from agent.sessions.lines import Line, is_being_written, read_lines, records_of

PROMPT_CHARS = 1_000
"""So much of each prompt is kept for lists of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The context size after a reply or a compaction, or where a rewind went back to, in tokens."""

    step: int
    tokens: int
    compaction: str = ""
    """Id of the compaction; empty for all else."""
    rewind: str = ""
    """Id of the rewind; empty for all else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the user said, cut; ``record``: the number of its record."""

    turn: int
    words: str
    record: int


@dataclass(slots=True)
class Story:
    """What a log tells, in the order in which it was appended. What the blocks say stays in the log."""

    path: Path
    bytes: int = 0
    """How much of the log it tells of."""
    damaged: list[int] = field(default_factory=list)
    """Lines that hold no record, or one that is not as it was written."""
    broken: set[int] = field(default_factory=set)
    """Numbers of the records, from 0, that are not as they were written."""
    head: Record = field(default_factory=dict)
    title: str = ""
    model: str = ""
    forked_from: str = ""
    ended: str = ""
    """Stamp of the newest record."""
    turns: int = 0
    steps: int = 0
    prompts: list[Prompt] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    compactions: list[Record] = field(default_factory=list)
    """Without the blocks that they put."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Id of a compaction -> number of its record."""
    subagents: dict[str, Record] = field(default_factory=dict)
    """Name -> the newest record of it: that of its end, if it has one."""
    undos: list[tuple[int, str, bool]] = field(default_factory=list)
    """(number of the record, compaction, whether it was redone)."""
    kinds: dict[str, str] = field(default_factory=dict)
    """Block id -> what the block is: `text`, `call`, `bash result`, …"""
    results: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Call id -> where the line of its newest result begins in the log, and how long it is."""
    spent: Spent = field(default_factory=Spent)
    branches: Branches = field(default_factory=Branches)

    @property
    def id(self) -> str:
        """The session's id."""
        return self.path.stem

    @property
    def context_size(self) -> int:
        """Tokens after the newest reply or compaction that stands; 0 before the first."""
        return self.points[-1].tokens if self.points else 0

    def is_undone(self, compaction: str) -> bool:
        """True for a compaction that does not stand any more; what was left behind with an undo is as it was before."""
        number = self.numbers.get(compaction)
        is_left = number is not None and self.branches.left_by(number) is not None
        found = [
            is_redo
            for undo, target, is_redo in self.undos
            if target == compaction and (is_left or self.branches.left_by(undo) is None)
        ]
        return bool(found) and not found[-1]

    def left_with(self, compaction: str) -> Rewind | None:
        """Return the rewind that left a compaction behind; None for one that was not."""
        number = self.numbers.get(compaction)
        return None if number is None else self.branches.left_by(number)


def read_story(path: Path) -> Story:
    """Return what the log at ``path`` tells; records that are not as they were written count as damaged.

    A line that is being written at this moment is no damage, and not told of.

    Raises:    OSError: it cannot be read.
    """
    story = Story(path=path)
    names: dict[str, str] = {}
    with path.open("rb") as file:
        for line in read_lines(file, os.fstat(file.fileno()).st_size):
            records = records_of(line)
            if None in records and is_being_written(file, line):
                break
            story.bytes = line.start + len(line.data)
            for record in records:
                _read(story, line, record, names)
    return story


def _read(story: Story, line: Line, record: Record | None, names: dict[str, str]) -> None:
    number = story.branches.number
    try:
        if record is not None:
            _take(story, record, names)
            if record["type"] == "result":
                story.results[str(record["call"])] = (line.start, len(line.data))
            return
    except BROKEN:
        story.broken.add(number)
    if story.branches.number == number:
        story.branches.pass_over()
    if line.number not in story.damaged[-1:]:
        story.damaged.append(line.number)


def _take(story: Story, record: Record, names: dict[str, str]) -> None:
    """Take one record in; ``names``: result record id -> name of the tool."""
    to = story.branches.take(record, turn=number_of(record.get("turn")), tokens=story.context_size)
    if to is not None:
        story.points.append(
            Point(step=number_of(record.get("step")), tokens=to.tokens, rewind=str(record["id"]))
        )
    story.turns = max(story.turns, number_of(record.get("turn")))
    story.steps = max(story.steps, number_of(record.get("step")))
    title = title_of(record)
    story.title = story.title if title is None else title
    match record["type"]:
        case "session":
            story.head = {key: record[key] for key in ("at",) if key in record}
            story.forked_from = str(record.get("forked_from") or "")
            story.model = str(record["model"])
        case "model":
            story.model = str(record["model"])
        case "result":
            names[record["id"]] = str(record["name"])
        case "message":
            _take_message(story, record, names)
        case _:
            _take_beside(story, record)
    _measure(story, record)
    story.ended = str(record.get("at", ""))


def _take_beside(story: Story, record: Record) -> None:
    """Take in what is beside the conversation."""
    match record["type"]:
        case "compaction":
            changes = [{"ids": list(change["ids"])} for change in record["changes"]]
            receipt = _receipt(record)
            _pay(story, receipt.get("usage"), story.model)
            story.compactions.append({**record, "receipt": receipt, "changes": changes})
            story.numbers[record["id"]] = story.branches.number - 1
        case "undo":
            number = story.branches.number - 1
            story.undos.append((number, str(record["target"]), bool(record["is_redo"])))
        case "context":
            story.kinds |= {
                f"{record['id']}.{index}": "context block" for index in range(len(record["content"]))
            }
        case "pin":
            story.kinds[f"{record['id']}.0"] = "pin"
        case "note":
            _pay(story, record.get("usage"), story.model)
        case "subagent":
            story.spent.take(_sane(record["spent"]))
            story.subagents[str(record["agent"])] = record


def _receipt(record: Record) -> dict[str, Any]:
    """The receipt of a compaction. Raises TypeError, ValueError where it is not as it was written."""
    receipt = dict(record["receipt"])
    return {**receipt, **{name: dict(receipt[name]) for name in ("usage", "where") if receipt.get(name)}}


def _take_message(story: Story, record: Record, names: Mapping[str, str]) -> None:
    results = [f"{names.get(id_, 'lost')} result" for id_ in record.get("results", ())]
    shells = ["own command"] * len(record.get("shells", ()))
    blocks = [_KINDS.get(block["type"], str(block["type"])) for block in record.get("content", ())]
    kinds = [*results, *shells, *blocks]
    story.kinds |= {f"{record['id']}.{index}": kind for index, kind in enumerate(kinds)}
    if is_prompt(record):
        turn, number = number_of(record.get("turn")), story.branches.number - 1
        story.prompts += [
            Prompt(turn=turn, words=words[:PROMPT_CHARS], record=number) for words in words_of(record)
        ]
    if record["role"] == "assistant":
        _pay(story, record.get("usage"), str(record["model"]))


_KINDS = {"tool_use": "call", "thinking": "thinking block", "redacted_thinking": "thinking block"}


def _measure(story: Story, record: Record) -> None:
    tokens = context_tokens(record)
    if tokens is not None:
        id_ = record["id"] if record["type"] == "compaction" else ""
        story.points.append(Point(step=number_of(record.get("step")), tokens=tokens, compaction=id_))


def _pay(story: Story, usage: Mapping[str, Any] | None, model: str) -> None:
    if usage:
        story.spent.add(_sane(usage), cost_usd(row(model), _sane(usage)))


def _sane(counts: Mapping[str, Any]) -> dict[str, Any]:
    """``counts`` with 0 for numbers that nobody can have counted."""
    return {name: number_of(one) if isinstance(one, int) else one for name, one in counts.items()}
