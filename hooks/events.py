"""What hooks are told and what they may answer: one frozen payload for each event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Decision = Literal["allow", "ask", "deny"]
Source = Literal["startup", "resume", "clear", "fork", "compact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathUse:
    """A path that a call is about to use, resolved once; the tool opens this very path."""

    path: str
    """Absolute, symlinks followed; for a file yet to be made its deepest existing parent decides."""
    shown: str
    """As the model writes it: relative to the project when inside it, else absolute."""
    access: Literal["read", "write"]
    is_inside: bool
    """Inside the project."""
    is_own: bool = False
    """A spill or archive of this session: always readable."""
    written: str = ""
    """As it was written, absolute, links not followed; empty where that is ``path``."""
    written_shown: str = ""
    """The same, relative to the project when it looks inside."""
    is_shared: bool = False
    """A file with several names (hard links): who changes one changes what the others show."""
    is_caseless: bool = False
    """Its folder takes names whatever their case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """A session begins or goes on."""

    event_name: ClassVar[Literal["SessionStart"]] = "SessionStart"
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPromptSubmit:
    """The user sent a prompt, or words typed while a turn runs; nothing is appended yet."""

    event_name: ClassVar[Literal["UserPromptSubmit"]] = "UserPromptSubmit"
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreToolUse:
    """A call is about to run: its input is valid, its paths are resolved."""

    event_name: ClassVar[Literal["PreToolUse"]] = "PreToolUse"
    tool_name: str
    tool_input: Mapping[str, Any]
    paths: tuple[PathUse, ...] = ()
    cwd: str
    """Where a bash call would start (absolute)."""
    is_read_only: bool = False
    agent: str = ""
    """Empty for the main agent, else the subagent's name, such as `task-002`."""
    agent_type: str = ""
    """The type of that subagent."""
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToolUse:
    """A call ended well; ``tool_response`` is the text the model will see."""

    event_name: ClassVar[Literal["PostToolUse"]] = "PostToolUse"
    tool_name: str
    tool_input: Mapping[str, Any]
    paths: tuple[PathUse, ...] = ()
    tool_response: str
    duration_s: float = 0.0
    """How long the tool itself took."""
    agent: str = ""
    agent_type: str = ""
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToolUseFailure:
    """A call ran and failed; ``error`` is the text the model will see."""

    event_name: ClassVar[Literal["PostToolUseFailure"]] = "PostToolUseFailure"
    tool_name: str
    tool_input: Mapping[str, Any]
    paths: tuple[PathUse, ...] = ()
    error: str
    duration_s: float = 0.0
    agent: str = ""
    agent_type: str = ""
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCompact:
    """A summary compaction is due: before the threshold, by command, or after an overflow."""

    event_name: ClassVar[Literal["PreCompact"]] = "PreCompact"
    trigger: Literal["auto", "manual", "reactive"]
    focus: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostCompact:
    """A summary compaction was recorded."""

    event_name: ClassVar[Literal["PostCompact"]] = "PostCompact"
    trigger: Literal["auto", "manual", "reactive"]
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentStop:
    """A subagent is about to give back its report."""

    event_name: ClassVar[Literal["SubagentStop"]] = "SubagentStop"
    agent: str
    agent_type: str
    log: str = ""
    """Path of the subagent's own log."""
    last_text: str
    stop_hook_active: bool = False
    """True when a SubagentStop hook already made this subagent go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """The user's attention is wanted: a question is open."""

    event_name: ClassVar[Literal["Notification"]] = "Notification"
    message: str
    title: str = ""
    kind: str = "permission_prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A turn is about to end."""

    event_name: ClassVar[Literal["Stop"]] = "Stop"
    last_text: str
    stop_hook_active: bool = False
    """True when a Stop hook already made this turn go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd:
    """The session is being left."""

    event_name: ClassVar[Literal["SessionEnd"]] = "SessionEnd"
    reason: str


HookEvent = (
    SessionStart
    | UserPromptSubmit
    | PreToolUse
    | PostToolUse
    | PostToolUseFailure
    | PreCompact
    | PostCompact
    | SubagentStop
    | Notification
    | Stop
    | SessionEnd
)
"""Every payload; the class and its ``event_name`` are the tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeSend:
    """A message to the model is ready and was never sent. Only the program's own hook is told of it."""

    event_name: ClassVar[Literal["BeforeSend"]] = "BeforeSend"
    todos: Sequence[Mapping[str, object]]
    """`content` and `status` of each item."""
    steps: int
    """How many steps ago the model wrote the list, or was last told it."""
    reminders: int
    """How many there were since the model wrote it."""


AnyEvent = HookEvent | BeforeSend


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one hook answers, and what all hooks of an event come to together."""

    decision: Decision | None = None
    reason: str = ""
    """Said to the model on deny, to the user on ask."""
    updated_input: Mapping[str, Any] | None = None
    """The whole new input of the call; it is validated and resolved again before it is judged."""
    contexts: tuple[str, ...] = ()
    """Texts to add to the history, marked as a hook's words."""
    stop_reason: str | None = None
    """Set when the turn must end here; the text for the user."""
    notices: tuple[str, ...] = ()
    """Lines to show to the user: failed hooks and the like."""
    rule_to_add: str = ""
    """On ask: the allow rule that would have answered; empty when no rule can."""
    is_firm: bool = False
    """An ask for a reason of its own, not for want of a rule that allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What permission says of a call."""

    decision: Decision
    reason: str = ""
    is_firm: bool = False
    """An ask that a hook's allow does not silence: by an explicit rule, or built in."""
    rule_to_add: str = ""
    """On ask: the allow rule that would have answered; empty when no rule can."""
