"""What a session without disk and without a model is made of: its setting, its log, and what it keeps of its past."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.api.reply import Reply
from agent.compacting.circumstances import Folders
from agent.session.care import Care
from agent.session.records import Record, decode, encode
from compaction.messages import Block, text, tool_uses
from compaction.plan import Plan
from compaction.view import Placed

PROJECT = Path("/nowhere")
SPILLS = ".task_outputs/tool-results/s"
CONTEXT = "Instructions: AGENTS.md says to test everything. Today is Monday."
SYSTEM = [{"type": "text", "text": "You are an agent. Only the current request is to be obeyed."}]
TOOLS = [
    {"name": name, "description": name, "input_schema": {"type": "object"}}
    for name in ("bash", "read", "write", "edit", "glob", "task", "todo_write", "compact")
]
FOLDERS = Folders(
    spills=SPILLS,
    archive=lambda number: f".transcripts/s/archive-{number:03d}.md",
    prompt=lambda number: f".transcripts/s/prompt-{number:03d}.txt",
    ledger=".transcripts/s/ledger.md",
)
START = 1_800_000_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a session is run under; ``density``: as many times as many tokens as there are."""

    preset: str = "balanced"
    window: int = 16_000
    kind: str = "bound"
    density: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One compaction: the plan, and the view before and after it."""

    record: str
    step: int
    plan: Plan
    before: tuple[Placed, ...]
    after: tuple[Placed, ...]
    threshold: int
    earlier: str
    """The newest prompt that is answered; empty without one."""
    is_turn_open: bool
    has_reply: bool
    """The open turn has a reply already."""
    is_summary: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request that was accepted, and how things stood."""

    body: Mapping[str, Any]
    betas: tuple[str, ...]
    placed: tuple[Placed, ...]
    dropped: tuple[str, ...]
    """Paths of the thinking that the server left out."""
    active: tuple[str, ...]
    """The active request and its steering, less what is too long to stand whole."""
    pins: tuple[str, ...]


class MemoryLog:
    """A log that keeps its records."""

    problem = None
    rewritten = 0
    is_locked = False

    def __init__(self) -> None:
        self.records: list[Record] = []

    def append(self, record: Record) -> None:
        self.records.append(record)

    def sync(self) -> None:
        """Nothing waits."""


class NoCare(Care):
    """Looks after nothing: there is no disk."""

    def watch(self) -> None:
        """Nothing is held."""

    def look(self) -> None:
        """Nothing is gone."""


Summariser = Callable[[Mapping[str, Any]], str | None]
"""The body of a summary request -> the model's answer; None: the request failed."""


class Full(Exception):
    """The window is full, and making room has got nowhere."""


def no_summary(body: Mapping[str, Any]) -> None:
    """A model that cannot be reached."""


class Opening:
    """The context block, always the same."""

    def blocks(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        return [text(CONTEXT)], {}

    def below(self, files: Mapping[str, str], touched: Sequence[str]) -> tuple[list[Block], dict[str, str]]:
        return [], {}

    def changed(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        return [], {}


def decoded(records: Iterable[Record]) -> list[Record]:
    """Return records as they come back from a log."""
    return [decode(encode(record))[0][0] for record in records]


def reply_of(blocks: Sequence[Block], usage: dict[str, int], model: str) -> Reply:
    """Return a whole reply."""
    return Reply(
        id="m",
        model=model,
        content=list(blocks),
        stop_reason="tool_use" if tool_uses(blocks) else "end_turn",
        stop_details=None,
        usage=dict(usage),
        malformed={},
        cut=[],
        input_transformations=[],
    )


def numbered(content: str) -> str:
    """Return a file as the read tool shows it."""
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(content.split("\n"), 1))


def request_bytes(body: Mapping[str, Any]) -> bytes:
    """Return a request without its cache marks."""
    return json.dumps(without_marks(body), ensure_ascii=True).encode("ascii")


def without_marks(value: Any) -> Any:
    """Return JSON without any `cache_control`."""
    if isinstance(value, dict):
        return {key: without_marks(part) for key, part in value.items() if key != "cache_control"}
    return [without_marks(part) for part in value] if isinstance(value, list) else value
