"""What a tool is: its value, its input, its result, and what it is given to run with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from pydantic import BaseModel, ConfigDict

from tools.orders import Spawn, Work
from tools.running import Jobs

Access = Literal["read", "write"]
Content = str | list[dict[str, Any]]
"""What the model sees of a result, in wire form: a text, or a list of text and image blocks."""


class ToolError(Exception):
    """A call that failed in a way the model can act on; the text says what to do next."""


class NotRun(ToolError):
    """A call that did nothing at all, and would do nothing if it came again just the same."""


class ToolInput(BaseModel):
    """Base of every tool's input: unknown fields are refused, nothing is coerced silently."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class KnownFile(TypedDict):
    """What the model knows of a file: its hash when last shown or written, and which lines were shown."""

    sha256: str
    ranges: list[list[int]]
    """Shown line ranges, 1-based, both ends included, sorted and merged; empty when we wrote the file."""
    is_whole: bool
    """The model saw the whole file, or wrote it."""
    lines: int
    """Number of lines of the file with that hash; 0 where they were not counted (a notebook shown as cells)."""
    cut_at: NotRequired[str]
    """Mark inside a line (`12+2000`) where the newest page broke off; a page from there goes on with that line."""


class Todo(TypedDict):
    """One item of the todo list."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    activeForm: str


class Facts(TypedDict, total=False):
    """What a result says to the session beside its text; plain JSON, stored in the `result` record."""

    known: dict[str, KnownFile]
    """Absolute path -> what is known now; merged into the session's known content."""
    shown: dict[str, str]
    """A read: `path`, `sha256` and `key` (the range asked for), so that a repeated read can be a stub."""
    stub_of: str
    """Id of the call whose result this stub stands for."""
    cwd: str
    """The directory the next bash call starts in (absolute)."""
    todos: list[Todo]
    news: list[str]
    """What has changed since the list before, an item of ``todos`` each: `new`, `begun`, `done`, `again` or nothing."""
    gone: list[str]
    """The items of the list before that are no more in it."""
    exit_code: int
    duration_s: float
    diff: str
    """Numbered diff of an edit (`   42 - old`), for the screen only."""
    note: str
    """A few words for the one-line card on the screen: `212 lines`, `exit 1`."""
    compact: str
    """The model asked for a compaction; the focus, possibly empty."""
    work: Work
    """What a subagent did for the call, for the screen only."""
    not_run: bool
    """The call did nothing (`NotRun`)."""
    job: dict[str, Any]
    """A background process: `pid`, `log`, `command`."""
    marks: list[str]
    """Ids of the marker lines that stand in this result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spill:
    """The full text of a shortened result, kept on disk."""

    path: str
    """As shown to the model: relative to the project, or absolute outside it."""
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gives back: text for the model, facts for the session."""

    content: Content
    is_error: bool = False
    spill: Spill | None = None
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPath:
    """A path of an input, resolved once: what permission judges is what the tool opens."""

    path: Path
    """Absolute, symlinks followed; the deepest existing parent decides for a file yet to be made."""
    shown: str
    """As the model should write it: relative to the project when inside it."""
    access: Access
    is_inside: bool
    is_own: bool
    """A file of the session's own registry (spill, archive): always readable."""
    note: str = ""
    """Set when a lookalike name was taken instead of the one given; the tool says it in its result."""
    written: Path | None = None
    """As it was written, absolute, links not followed; None where that is ``path``."""
    is_shared: bool = False
    is_caseless: bool = False
    """Its folder takes names whatever their case; ``is_shared``: it is a file with several names (hard links)."""


class SessionFacts(Protocol):
    """What the log of the current branch says. Read only, current after every appended record."""

    @property
    def cwd(self) -> Path:
        """Where the next bash call starts."""
        ...

    @property
    def known(self) -> Mapping[str, KnownFile]:
        """Known content: absolute path -> what the model knows of the file."""
        ...

    @property
    def todos(self) -> Sequence[Todo]: ...

    def is_own_file(self, path: Path) -> bool:
        """True for a spill or archive of this session, its parents and subagents."""
        ...

    def is_own_mark(self, mark: str) -> bool:
        """True if ``mark`` is the id of a marker line or placeholder of this session."""
        ...

    def shown_before(self, path: str, sha256: str, key: str) -> str | None:
        """Return the id of an earlier read of this range and content that stands whole in the view."""
        ...


class Locks(Protocol):
    """One lock a path, shared by all agents of the process."""

    def of(self, path: Path) -> AbstractAsyncContextManager[Any]:
        """Return the lock that a check and the write after it hold together."""
        ...


class Instructions(Protocol):
    """A skill as it is on disk."""

    @property
    def path(self) -> Path:
        """Its `SKILL.md`, absolute."""
        ...

    @property
    def sha256(self) -> str: ...

    @property
    def is_for_model(self) -> bool:
        """False where only the user may start it."""
        ...

    @property
    def text(self) -> str:
        """What the model is given of it: where it lies, what lies beside it, and its whole body."""
        ...


class Skills(Protocol):
    """The skill catalog as the load_skill tool sees it."""

    def names_for_model(self) -> Sequence[str]: ...

    def load(self, name: str) -> Instructions:
        """Return a skill as it is now.

        Raises KeyError for a name not in the catalog, another LookupError that says why for one that is gone.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What all calls of one agent share."""

    project: Path
    """The folder the program was started in, resolved."""
    spill_folder: Path
    """Absolute; made on first use, files 0600."""
    locks: Locks
    jobs: Jobs
    skills: Skills
    spawn: Spawn | None
    """None inside a subagent: the task tool is not offered there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call's surroundings."""

    facts: SessionFacts
    services: Services
    call_id: str
    step: int
    index: int
    """Position of the call in its reply, from 0: with step and tool name it names the spill."""
    paths: Mapping[str, ResolvedPath]
    """Input field -> the path that permission judged. Never resolve again."""
    progress: Callable[[str], None]
    """Live output for the screen, any chunk of text; must not block."""


Run = Callable[[Any, ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    Contract of ``run``: gets a validated instance of ``input_model``. Raises ToolError for what the model
    can mend. When cancelled it stops at once and leaves no process behind; it may return a ToolResult with
    what it had (is_error, says it was interrupted) instead of letting CancelledError out.
    """

    name: str
    description: str
    input_model: type[ToolInput]
    run: Run
    is_read_only: bool = False
    path_fields: Mapping[str, Access] = field(default_factory=dict)
    """Input fields that hold a path; a missing or empty one means the project."""


def describe(name: str) -> str:
    """Return the description of tool ``name``: the text of the `.md` beside it."""
    return Path(__file__).with_name(f"{name}.md").read_text("utf-8").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call whose input is valid and whose paths are resolved: what hooks and permission see."""

    tool: Tool
    input: ToolInput
    paths: Mapping[str, ResolvedPath]
