"""One pass over a log: what was said, how large the context was, what was compacted, what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.models import cost_usd, row
from agent.session.bridge import BROKEN
from agent.session.glance import context_tokens, is_prompt, number_of, title_of, words_of
from agent.session.log import read_records
from agent.session.records import Record
from agent.session.state import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The context size after a reply or a compaction, in tokens."""

    step: int
    tokens: int
    compaction: str = ""
    """Id of the compaction; empty for a reply."""


@dataclass(slots=True)
class Story:
    """What a log tells, in the order in which it was appended."""

    id: str
    records: list[tuple[int, Record | None]] = field(default_factory=list)
    """(line, record); None where something on the line is no record."""
    damaged: list[int] = field(default_factory=list)
    """Lines that hold no record, or one that is not as it was written."""
    head: Record = field(default_factory=dict)
    title: str = ""
    model: str = ""
    forked_from: str = ""
    ended: str = ""
    """Stamp of the newest record."""
    turns: int = 0
    steps: int = 0
    prompts: list[tuple[int, str]] = field(default_factory=list)
    """(turn, words) of all that the user said."""
    points: list[Point] = field(default_factory=list)
    compactions: list[Record] = field(default_factory=list)
    undone: set[str] = field(default_factory=set)
    """Ids of the compactions that do not stand any more."""
    kinds: dict[str, str] = field(default_factory=dict)
    """Block id -> what the block is: `text`, `call`, `bash result`, …"""
    results: dict[str, Record] = field(default_factory=dict)
    """Call id -> its newest result."""
    spent: Spent = field(default_factory=Spent)

    @property
    def context_size(self) -> int:
        """Tokens after the newest reply or compaction; 0 before the first."""
        return self.points[-1].tokens if self.points else 0


def read_story(path: Path) -> Story:
    """Return what the log at ``path`` tells; records that are not as they were written count as damaged.

    Raises:    OSError: it cannot be read.
    """
    story = Story(id=path.stem)
    names: dict[str, str] = {}
    for line, record in read_records(path):
        kept = record
        if record is not None:
            try:
                _take(story, record, names)
            except BROKEN:
                kept = None
        story.records.append((line, kept))
        if kept is None and line not in story.damaged[-1:]:
            story.damaged.append(line)
    return story


def _take(story: Story, record: Record, names: dict[str, str]) -> None:
    """Take one record in; ``names``: result record id -> name of the tool."""
    story.turns = max(story.turns, number_of(record.get("turn")))
    story.steps = max(story.steps, number_of(record.get("step")))
    title = title_of(record)
    story.title = story.title if title is None else title
    match record["type"]:
        case "session":
            story.head = record
            story.forked_from = str(record.get("forked_from") or "")
            story.model = str(record["model"])
        case "model":
            story.model = str(record["model"])
        case "result":
            names[record["id"]] = str(record["name"])
            story.results[str(record["call"])] = record
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
            story.compactions.append({**record, "receipt": dict(record["receipt"])})
            _pay(story, record["receipt"].get("usage"), story.model)
        case "undo":
            (story.undone.discard if record["is_redo"] else story.undone.add)(str(record["target"]))
        case "context":
            story.kinds |= {
                f"{record['id']}.{index}": "context block" for index in range(len(record["content"]))
            }
        case "pin":
            story.kinds[f"{record['id']}.0"] = "pin"
        case "note":
            _pay(story, record.get("usage"), story.model)
        case "subagent":
            story.spent.take(record["spent"])


def _take_message(story: Story, record: Record, names: Mapping[str, str]) -> None:
    results = [f"{names.get(id_, 'lost')} result" for id_ in record.get("results", ())]
    blocks = [_KINDS.get(block["type"], str(block["type"])) for block in record.get("content", ())]
    story.kinds |= {f"{record['id']}.{index}": kind for index, kind in enumerate([*results, *blocks])}
    if is_prompt(record):
        turn = number_of(record.get("turn"))
        story.prompts += [(turn, words) for words in words_of(record)]
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
        story.spent.add(usage, cost_usd(row(model), usage))
