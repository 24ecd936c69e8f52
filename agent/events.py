"""What the loop reports: frozen, tagged values; terminal, headless output and tests are only listeners.

Order within a turn (tested):

    TurnStarted
    ├─ (Compacted | SummaryStarted RetryWaiting*)*    before any step, and after an overflow
    ├─ StepStarted
    │  ├─ (TextDelta | ThinkingDelta | CallDelta)*
    │  ├─ (ReplyDiscarded RetryWaiting)*    what had streamed is void, and is asked for again
    │  └─ ReplyReceived
    ├─ (CallStarted CallProgress* CallFinished)*    side by side for reads and subagents
    ├─ ResultsSent                     the message that answers the reply
    └─ … further steps …
    TurnEnded

Notice and HooksRunning may stand anywhere; FromSubagent, which wraps a subagent's own events, while its call runs. Nothing of a summary
is shown while it streams: after SummaryStarted comes Compacted, or a Notice that says why not. An interrupt, an error
or a limit ends the turn at any place; a prompt that a hook refuses is a TurnEnded alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent.api.reply_block import CallDelta, TextDelta, ThinkingDelta
from compaction.messages import Block, ToolResultBlock, ToolUseBlock

__all__ = [
    "CallDelta",
    "CallFinished",
    "CallProgress",
    "CallStarted",
    "Compacted",
    "Emit",
    "Event",
    "FromSubagent",
    "HooksRunning",
    "Notice",
    "ReplyDiscarded",
    "ReplyReceived",
    "ResultsSent",
    "RetryWaiting",
    "StepStarted",
    "SummaryStarted",
    "TextDelta",
    "ThinkingDelta",
    "TurnEnded",
    "TurnReason",
    "TurnStarted",
]

TurnReason = Literal["done", "interrupted", "refused", "empty", "limit", "error", "blocked", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A turn begins with what the user said."""

    turn: int
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted:
    """A request is about to leave; ``size`` in tokens by the meter."""

    step: int
    size: int
    is_estimate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyDiscarded:
    """What streamed of this reply does not count: it broke off and will be asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryWaiting:
    """The model will be asked again after ``delay_s``."""

    attempt: int
    delay_s: float
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReceived:
    """A reply is in the history."""

    message_id: str
    model: str
    content: Sequence[Block]
    stop_reason: str
    usage: Mapping[str, Any]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """A tool runs; its input as it was permitted."""

    call: ToolUseBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """Live output of a running tool."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFinished:
    """A call has its result; also one that was refused, unknown or interrupted and never started."""

    call: ToolUseBlock
    result: ToolResultBlock
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsSent:
    """The user message that answers a reply is in the history; ``said``: what in it the user typed meanwhile."""

    content: Sequence[Block]
    said: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryStarted:
    """The model is asked for a summary of the history; ``trigger`` is `auto`, `manual` or `reactive`."""

    trigger: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """A compaction changed the view; its record as the log has it, less the fields that every record has."""

    record: Mapping[str, Any]

    @property
    def receipt(self) -> Mapping[str, Any]:
        """What it did, as `compaction.plan.Receipt`."""
        receipt: Mapping[str, Any] = self.record["receipt"]
        return receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksRunning:
    """Hooks of ``event`` are at work and take their time; empty: none are any more."""

    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the user should know; one line."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """A turn is over; ``text`` is the final answer, ``problem`` why there is none."""

    reason: TurnReason
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromSubagent:
    """An event of a subagent's own loop; ``agent`` is its name, such as `task-001`."""

    agent: str
    call: str
    """Id of the call that it works for."""
    event: "Event"
    work: Mapping[str, Any]
    """What it has done so far, as `tools.base.Work`."""


Event = (
    TurnStarted
    | StepStarted
    | TextDelta
    | ThinkingDelta
    | CallDelta
    | ReplyDiscarded
    | RetryWaiting
    | ReplyReceived
    | CallStarted
    | CallProgress
    | CallFinished
    | ResultsSent
    | SummaryStarted
    | Compacted
    | HooksRunning
    | Notice
    | FromSubagent
    | TurnEnded
)

Emit = Callable[[Event], None]
"""Contract: must not raise and must not block."""
