"""What the records of a session add up to: the view, and all that stands beside it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from agent.models import Effort
from agent.session.file_state import FileState
from agent.session.points import Point
from agent.session.records import Record
from agent.todos.clock import TodoClock
from compaction.messages import Block, text
from compaction.pace import Pace
from compaction.thrash import Progress
from compaction.timeline import Timeline
from compaction.tokens import Meter
from compaction.view import Count, View
from tools.base import KnownFile, Todo

Price = Callable[[str, Mapping[str, Any]], float | None]
"""(model, usage) -> USD; None when the price is unknown."""

LOST_OUTPUT = (
    "[The user ran a command here; what it printed is lost: its line in the session's log is damaged.]"
)


@dataclass(slots=True)
class Spent:
    """What the session's requests cost, each counted once; subagents and summaries included."""

    usd: float = 0.0
    is_known: bool = True
    """False once a request was paid whose price nobody knows."""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    def add(self, usage: Mapping[str, Any], usd: float | None) -> None:
        """Count one request."""
        read = int(usage.get("cache_read_input_tokens") or 0)
        fresh = int(usage.get("input_tokens") or 0) + int(usage.get("cache_creation_input_tokens") or 0)
        self.input_tokens += fresh + read
        self.cached_tokens += read
        self.output_tokens += int(usage.get("output_tokens") or 0)
        self.is_known = self.is_known and usd is not None
        self.usd += usd or 0.0

    def take(self, other: Mapping[str, Any]) -> None:
        """Count what a subagent spent, given as the fields of its own `Spent`."""
        self.usd += other["usd"]
        self.is_known = self.is_known and other["is_known"]
        self.input_tokens += other["input_tokens"]
        self.cached_tokens += other["cached_tokens"]
        self.output_tokens += other["output_tokens"]


@dataclass(slots=True)
class Calls:
    """The calls of a session and what became of them."""

    used: set[str] = field(default_factory=set)
    """Every tool_use id there was: none may come twice."""
    started: set[str] = field(default_factory=set)
    told: dict[str, str] = field(default_factory=dict)
    """Call that the user changed before it ran -> how its result begins, until there is one."""
    results: dict[str, Record] = field(default_factory=dict)
    """Record id -> result record that no message has answered with yet."""


@dataclass(slots=True)
class State:
    """The session as its log tells it; changed by `replay.apply` alone."""

    project: Path
    count: Count
    price: Price
    timeline: Timeline
    head: Record = field(default_factory=dict)
    model: str = ""
    mode: str = ""
    effort: Effort | None = None
    """None: as the server has it."""
    turn: int = 0
    step: int = 0
    last: str = ""
    """Id of the newest record."""
    is_turn_open: bool = False
    turn_at: float = 0.0
    """When the turn began that is open, or was last, seconds since the epoch."""
    worked_s: float = 0.0
    """How long all turns took that have ended."""
    prompts: list[tuple[int, str]] = field(default_factory=list)
    """(turn, text) of everything the user said, in order."""
    notes: list[str] = field(default_factory=list)
    """What was told to the model since its last reply and is not the user's: by hooks, or by us."""
    waiting: dict[str, str] = field(default_factory=dict)
    """Steering that no message has carried yet: record id -> text."""
    shells: dict[str, str] = field(default_factory=dict)
    """What is to be told of the user's own commands and no message has carried yet: record id -> text."""
    open_shells: dict[str, str] = field(default_factory=dict)
    """Commands of the user's own that have not ended: record id -> command."""
    kinds: dict[str, str] = field(default_factory=dict)
    """Block id -> what a text that the model was given is, by the record that brought it: `said` by the user, printed
    by a `shell` command of theirs, a `reminder`, or one of `compaction.plan.Part`. Others are notes, or markers where a compaction
    put them."""
    pictures: dict[str, int] = field(default_factory=dict)
    """Block id of a picture that the user named -> the turn in which that was."""
    calls: Calls = field(default_factory=Calls)
    todos: list[Todo] = field(default_factory=list)
    todo_clock: TodoClock = field(default_factory=TodoClock)
    """When the model was last told them."""
    known: dict[str, KnownFile] = field(default_factory=dict)
    shown: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """(path, sha256, range) -> id of the call whose result shows it, or of the block that is it."""
    bash_cwd: str = ""
    own_files: dict[str, None] = field(default_factory=dict)
    """Paths of the spills and archives, in the order in which they were made."""
    job_logs: dict[str, None] = field(default_factory=dict)
    """Paths of the logs of background processes, in the order in which these were started."""
    spills: dict[str, str] = field(default_factory=dict)
    """Call id -> path of the full text that its tool kept, as shown."""
    marks: set[str] = field(default_factory=set)
    context_files: dict[str, str] | None = None
    """Path -> sha256 of the instruction files as last told to the model; None before the first turn."""
    retold: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """Compaction -> path of each instruction file that it told anew -> its hash in what stood before, and its own."""
    compact_wish: str | None = None
    """The focus of a compaction that the model or the user asked for, due before the next step; None: none is."""
    compactions: int = 0
    summarised_at: int = 0
    """Step before which a summary was last put in place of the history."""
    summaries: dict[str, int] = field(default_factory=dict)
    """Compaction -> the step before which its summary came."""
    archives: int = 0
    standing: list[str] = field(default_factory=list)
    """Ids of the compactions that stand and can be undone, the newest last."""
    pins: list[str] = field(default_factory=list)
    title: str = ""
    """What the user calls the session."""
    changes: list[FileState] = field(default_factory=list)
    """How files stood before our changes, in the order of the log whatever was gone back since."""
    written: dict[str, str] = field(default_factory=dict)
    """Path -> what we made of the file last, as `file_state.identity`."""
    points: dict[str, Point] = field(default_factory=dict)
    """Record id -> the place before it."""
    branch: list[str] = field(default_factory=list)
    """Ids of the points where the turns of this branch begin."""
    rewound: Record = field(default_factory=dict)
    """The newest `rewind` record: what it left can be gone back to."""
    answered_by: str = ""
    """The model of the last reply: for another one the cache holds nothing."""
    last_request_at: float = 0.0
    """When the last reply came, seconds since the epoch: how warm the cache is."""
    long_prompts: dict[str, str] = field(default_factory=dict)
    """What the user said at great length -> head, tail and path, as it stands in the view."""
    kept_prompts: int = 0
    """How many of these were put on disk; the same words may have been said twice."""
    newest_change: str = ""
    """Record id of the newest compaction: a cache mark stands before the first block it changed."""
    subagents: int = 0
    open_subagents: dict[str, Record] = field(default_factory=dict)
    """Call that has no result yet -> the newest record of the subagent that was begun for it."""
    is_binding_refused: bool = False
    meter: Meter = field(default_factory=Meter)
    pace: Pace = field(default_factory=Pace)
    spent: Spent = field(default_factory=Spent)
    delegated: Spent = field(default_factory=Spent)
    """What of it subagents spent that have ended."""
    progress: Progress = field(default_factory=Progress)
    """Whether making room gets anywhere."""
    is_paused: bool = False
    """Making room got nowhere twice in a row: size alone sets nothing off."""
    failed_summaries: int = 0
    """In a row."""

    @property
    def view(self) -> View:
        """What is sent."""
        return self.timeline.view

    @property
    def session_id(self) -> str:
        """The session's id."""
        return str(self.head.get("session", ""))

    @property
    def context_size(self) -> int:
        """Tokens of the next request, by the meter."""
        return self.meter.size(self.view.tokens)

    @property
    def is_estimate(self) -> bool:
        """True unless the context size is what the last reply measured."""
        return self.meter.is_estimate(self.view.tokens)

    def turns_left(self, threshold: int) -> int | None:
        """Return how many turns fit below ``threshold`` tokens at the newest turns' growth.

        None before the third turn, or when the context does not grow.
        """
        return self.pace.turns_left(threshold - self.context_size)

    @property
    def prefix_sha(self) -> str:
        """Hash of the request that the view makes."""
        return self.view.prefix_sha

    @property
    def spent_usd(self) -> float:
        """What the session has cost, as far as prices are known."""
        return self.spent.usd

    @property
    def cwd(self) -> Path:
        """Where the next bash call starts."""
        return Path(self.bash_cwd) if self.bash_cwd else self.project

    @property
    def active(self) -> list[str]:
        """The active request with its steering, in order; empty between turns."""
        return [self.long_prompts.get(text, text) for text in self.active_in_full]

    @property
    def active_in_full(self) -> list[str]:
        """The same, also what is kept on disk at full length."""
        if not self.is_turn_open:
            return []
        newest = takewhile(lambda prompt: prompt[0] == self.turn, reversed(self.prompts))
        return [text for _, text in newest][::-1]

    @property
    def earlier(self) -> list[str]:
        """The user's prompts before the active request, oldest first."""
        return [
            self.long_prompts.get(text, text)
            for turn, text in self.prompts
            if not self.is_turn_open or turn != self.turn
        ]

    def is_own_file(self, path: Path) -> bool:
        """True for a spill or archive of this session."""
        return str(path) in self.own_files

    def is_own_mark(self, mark: str) -> bool:
        """True for the id of a marker line of this session."""
        return mark in self.marks

    def shown_before(self, path: str, sha256: str, key: str) -> str | None:
        """Return the id of the call, or block, that shows this range and content and stands whole in the view."""
        found = self.shown.get((path, sha256, key))
        return found if found is not None and self.view.is_whole(found) else None

    def blocks_of(self, record: Record) -> list[Block]:
        """Return the blocks of a message record: its results, what the user's own commands printed, the rest."""
        results = [result_block(self.calls.results[id_]) for id_ in record.get("results", ())]
        shells = [text(self.shells.get(id_, LOST_OUTPUT)) for id_ in record.get("shells", ())]
        return [*results, *shells, *record.get("content", ())]


def result_block(record: Record) -> Block:
    """Return the tool_result that a result record stands for."""
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": record["call"],
        "content": record["content"],
    }
    if record.get("is_error"):
        block["is_error"] = True
    return as_block(block)


def as_block(value: Mapping[str, Any]) -> Block:
    """Take JSON that was logged as a block."""
    blocks: Sequence[Any] = [value]
    block: Block = blocks[0]
    return block
