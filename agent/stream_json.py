"""What the loop reports as messages of the other agent's published shapes, for the drivers that read those.

`system/init`, then `assistant` and `user` (one a tool result) as things happen, `system/compact_boundary`, last
`result`. Source: the message types in that agent's public SDK documentation, read November 2026. Names of tools
are ours; permission modes are spelled as published. A field that we have nothing for is left out, except those
that typed drivers ask for.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.events import (
    CallFinished,
    Compacted,
    Event,
    FromSubagent,
    ReplyReceived,
    ResultsSent,
    StepStarted,
    TurnEnded,
)
from agent.models import cost_usd, row

Message = dict[str, Any]

_MODES = {"ask": "default", "accept-edits": "acceptEdits", "bypass": "bypassPermissions"}
_TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What `system/init` says of a session."""

    session: str
    cwd: str
    model: str
    mode: str
    tools: Sequence[str]
    skills: Sequence[str] = ()
    has_key: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What `result` says beside what the messages added up to; ``cost_usd``: of this run alone."""

    turn: TurnEnded
    cost_usd: float
    is_cost_known: bool
    denials: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True)
class Publisher:
    """Makes the messages of one run, and adds up what its `result` tells.

    ``clock``: seconds, monotonic.
    """

    clock: Callable[[], float]
    session: str = ""
    steps: int = 0
    stop_reason: str | None = None
    api_s: float = 0.0
    usage: dict[str, Counter[str]] = field(default_factory=dict)
    """By model; subagents and summaries included."""
    _model: str = ""
    _models: dict[str | None, str] = field(default_factory=dict)
    """Call that a subagent works for, None for the main agent -> the model that answered last."""
    _started_at: float = 0.0
    _asked_at: float = 0.0

    def open(self, opened: Opened) -> Message:
        """Return the first message."""
        self.session, self._model = opened.session, opened.model
        self._started_at = self.clock()
        return self._message(
            "system",
            subtype="init",
            cwd=opened.cwd,
            tools=list(opened.tools),
            mcp_servers=[],
            model=opened.model,
            permissionMode=_MODES.get(opened.mode, opened.mode),
            slash_commands=[],
            skills=list(opened.skills),
            apiKeySource="ANTHROPIC_API_KEY" if opened.has_key else "none",
            output_style="default",
        )

    def messages(self, event: Event) -> Iterator[Message]:
        """Yield what ``event`` is to a driver, mostly nothing or one message."""
        if isinstance(event, FromSubagent):
            yield from self._of(event.event, event.call)
            return
        if isinstance(event, StepStarted):
            self._asked_at = self.clock()
        if isinstance(event, ReplyReceived):
            self.steps += 1
            self.stop_reason = event.stop_reason or None
            self.api_s += self.clock() - self._asked_at
        yield from self._of(event, None)

    def result(self, ended: Ended) -> Message:
        """Return the last message."""
        turn = ended.turn
        is_error = turn.reason != "done"
        return self._message(
            "result",
            subtype=_subtype(turn),
            is_error=is_error,
            duration_ms=_ms(self.clock() - self._started_at),
            duration_api_ms=_ms(self.api_s),
            num_turns=self.steps,
            result=(turn.problem or turn.reason) if is_error else turn.text,
            **({"errors": [turn.problem or turn.reason]} if is_error else {}),
            stop_reason=self.stop_reason,
            total_cost_usd=round(ended.cost_usd, 6),
            is_cost_known=ended.is_cost_known,
            usage={name: sum(tally[name] for tally in self.usage.values()) for name in _TOKENS},
            modelUsage={model: _model_usage(model, tally) for model, tally in self.usage.items()},
            permission_denials=list(ended.denials),
        )

    def _of(self, event: Event, parent: str | None) -> Iterator[Message]:
        if isinstance(event, ReplyReceived):
            model = self._models[parent] = event.model or self._model
            self._count(model, event.usage)
            yield self._message("assistant", message=_reply(event), parent_tool_use_id=parent)
        elif isinstance(event, CallFinished):
            yield self._user([event.result], parent)
        elif isinstance(event, ResultsSent) and event.content:
            yield self._user(event.content, parent, isSynthetic=True)
        elif isinstance(event, Compacted):
            self._count(self._models.get(parent, self._model), event.receipt.get("usage") or {})
            if (
                parent is None
            ):  # the published boundary names no agent: it would be taken for the session's own
                metadata = _boundary(event.receipt)
                yield self._message("system", subtype="compact_boundary", compact_metadata=metadata)

    def _user(self, content: Sequence[Any], parent: str | None, **more: Any) -> Message:
        message = {"role": "user", "content": list(content)}
        return self._message("user", message=message, parent_tool_use_id=parent, **more)

    def _message(self, type: str, **fields: Any) -> Message:
        return {"type": type, **fields, "session_id": self.session, "uuid": str(uuid.uuid4())}

    def _count(self, model: str, usage: Mapping[str, Any]) -> None:
        tally = self.usage.setdefault(model, Counter())
        tally.update({name: int(usage.get(name) or 0) for name in _TOKENS})


def _reply(event: ReplyReceived) -> Message:
    return {
        "id": event.message_id,
        "type": "message",
        "role": "assistant",
        "model": event.model,
        "content": list(event.content),
        "stop_reason": event.stop_reason or None,
        "stop_sequence": None,
        "usage": dict(event.usage),
    }


def _boundary(receipt: Mapping[str, Any]) -> Message:
    return {
        "trigger": "manual" if receipt.get("trigger") == "manual" else "auto",
        "pre_tokens": receipt.get("before", 0),
        "post_tokens": receipt.get("after", 0),
    }


def _subtype(turn: TurnEnded) -> str:
    if turn.reason == "done":
        return "success"
    if turn.reason != "limit":
        return "error_during_execution"
    return "error_max_budget_usd" if "--max-cost" in turn.problem else "error_max_turns"


def _model_usage(model: str, tally: Counter[str]) -> Message:
    known = row(model)
    return {
        "inputTokens": tally["input_tokens"],
        "outputTokens": tally["output_tokens"],
        "cacheReadInputTokens": tally["cache_read_input_tokens"],
        "cacheCreationInputTokens": tally["cache_creation_input_tokens"],
        "webSearchRequests": 0,
        "costUSD": round(cost_usd(known, tally) or 0.0, 6),
        "contextWindow": known.window,
        "maxOutputTokens": known.max_output,
    }


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
