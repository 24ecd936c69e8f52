"""A reply with everything the script leaves open filled in: ids, signatures, stop reason, usage."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.offline.cache import Bill
from agent.offline.catalog import ModelFacts
from agent.offline.count import block_tokens
from agent.offline.ledger import Ledger
from agent.offline.reply import Call, Part, Raw, Redacted, Reply, Stall, Text, Thinking, UsageEvents, input_of

Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What is sent: the message, the blocks beside the parts they come from, and `usage` event by event."""

    id: str
    model: str
    reply: Reply
    pieces: Sequence[tuple[Part, Block]]
    stop_reason: str
    usage: UsageEvents
    transformations: Sequence[Mapping[str, str]] | None = None

    @property
    def blocks(self) -> list[Block]:
        """The finished content blocks."""
        return [block for part, block in self.pieces if not isinstance(part, Stall)]

    def message(self) -> Block:
        """The reply as a whole, as a request that does not stream gets it."""
        usage: Block = dict(self.usage.start or {})
        for delta in self.usage.deltas:
            usage |= delta or {}
        return self.head() | {
            "content": self.blocks,
            "stop_reason": self.stop_reason,
            "stop_sequence": self.reply.stop_sequence,
            "stop_details": self.reply.stop_details,
            "usage": usage,
        }

    def head(self) -> Block:
        """The message before its first block, as `message_start` has it."""
        head: Block = {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        if self.usage.start is not None:
            head["usage"] = dict(self.usage.start)
        if self.transformations is not None:
            head["input_transformations"] = list(self.transformations)
        return head


class Composer:
    """Fills in replies; ids count up, so that the same script gives the same bytes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._messages = itertools.count(1)
        self._calls = itertools.count(1)

    def compose(
        self,
        reply: Reply,
        *,
        facts: ModelFacts,
        bill: Bill,
        transformations: Sequence[Mapping[str, str]] | None,
    ) -> Served:
        """The reply as it is served to a request with this bill."""
        pieces = [(part, self._block(part)) for part in reply.parts]
        called = any(isinstance(part, Call) for part in reply.parts)
        return Served(
            id=f"msg_offline{next(self._messages):06d}",
            model=facts.id,
            reply=reply,
            pieces=pieces,
            stop_reason=reply.stop_reason or ("tool_use" if called else "end_turn"),
            usage=_usage(reply, pieces, facts=facts, bill=bill),
            transformations=transformations,
        )

    def _block(self, part: Part) -> Block:
        match part:
            case Text(text=text):
                return {"type": "text", "text": text}
            case Thinking(thinking=thinking):
                return {"type": "thinking", "thinking": thinking, "signature": self._ledger.sign()}
            case Redacted(data=data):
                return {"type": "redacted_thinking", "data": data + self._ledger.sign()}
            case Call(name=name, id=call_id):
                call_id = f"toolu_offline{next(self._calls):06d}" if call_id is None else call_id
                return {"type": "tool_use", "id": call_id, "name": name, "input": input_of(part)}
            case Raw(block=block):
                return dict(block)
            case Stall():
                return {}


def _usage(
    reply: Reply, pieces: Sequence[tuple[Part, Block]], *, facts: ModelFacts, bill: Bill
) -> UsageEvents:
    if isinstance(reply.usage, UsageEvents):
        return reply.usage
    if reply.usage is not None:
        return _from_one(reply.usage)
    blocks = [(part, block) for part, block in pieces if block]
    thinking = sum(
        block_tokens(block, facts) for part, block in blocks if isinstance(part, Thinking | Redacted)
    )
    output = max(1, sum(block_tokens(block, facts) for _, block in blocks))
    prompt = {
        "input_tokens": bill.uncached,
        "cache_creation_input_tokens": bill.written,
        "cache_read_input_tokens": bill.read,
    }
    split = {"ephemeral_5m_input_tokens": bill.written_5m, "ephemeral_1h_input_tokens": bill.written_1h}
    start = {
        **prompt,
        "cache_creation": split,
        "output_tokens": 1,
        "service_tier": "standard",
        "inference_geo": "not_available",
    }
    delta = {**prompt, "output_tokens": output, "output_tokens_details": {"thinking_tokens": thinking}}
    return UsageEvents(start=start, deltas=(delta,))


def _from_one(usage: Mapping[str, Any]) -> UsageEvents:
    """One made-up usage as the API would spread it: output 1 at the start, all but the cache split at the end."""
    start = {**usage, "output_tokens": 1} if isinstance(usage.get("output_tokens"), int) else dict(usage)
    delta = {name: value for name, value in usage.items() if name != "cache_creation"}
    return UsageEvents(start=start, deltas=(delta,))
