"""A streamed reply put together: events in, blocks in wire form out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.api.reply_block import BlockBuilder, Delta, is_sendable_thinking
from agent.api.wire import WireEvent
from compaction.messages import Block, as_blocks, is_sendable, is_thinking

CUTTING_REASONS = ("max_tokens", "model_context_window_exceeded", "refusal")
"""Stop reasons that may end a reply in the middle of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply.

    ``content``: what may be sent back as it is: no blank text, no thinking at the end; `[]` is possible.
    ``usage``: the last word of the server on each figure, without its nulls; None if it named none.
    ``malformed``: by tool_use id, the arguments that are not a JSON object (the block's `input` is then {}).
    ``cut``: calls whose arguments end at the output limit, or that stand before thinking which is cut there and
    could not be answered without it: `{"id", "name", "arguments"}`; not in ``content``.
    ``input_transformations``: what the server did to the request, such as thinking it left out.
    """

    id: str
    model: str
    content: list[Block]
    stop_reason: str | None
    stop_details: Any
    usage: dict[str, Any] | None
    malformed: dict[str, str]
    cut: list[dict[str, str]]
    input_transformations: list[Any]


class ReplyBuilder:
    """Takes the events of one reply, in order; work per event does not grow with what came before.

    Event and block types that it does not know do no harm: the former are passed over, the latter kept.
    """

    def __init__(self) -> None:
        self.is_complete = False
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] | None = None
        self._blocks: list[BlockBuilder] = []
        self._open: dict[Any, BlockBuilder] = {}

    @property
    def usage(self) -> dict[str, Any] | None:
        """What the server has said of the cost so far: a reply that breaks off was paid for too."""
        return self._usage

    def feed(self, event: WireEvent) -> Delta | None:
        """Take one event; return what it adds to the screen, if anything."""
        match event.get("type"):
            case "message_start":
                self._merge(_mapping(event.get("message")))
            case "content_block_start":
                return self._start(event)
            case "content_block_delta":
                builder = self._open.get(event.get("index"))
                return builder.feed(_mapping(event.get("delta"))) if builder else None
            case "content_block_stop":
                builder = self._open.pop(event.get("index"), None)
                return builder.finish() if builder else None
            case "message_delta":
                self._merge({**event, **_mapping(event.get("delta"))})
            case "message_stop":
                self.is_complete = True
        return None

    def reply(self) -> Reply:
        """Return the whole reply.

        Raises:    ValueError: `message_stop` has not come; see `partial`.
        """
        if not self.is_complete:
            raise ValueError("the reply has not ended")
        blocks, cut = self._blocks, list[dict[str, str]]()
        if self._is_last_call_cut():
            blocks, cut = self._blocks[:-1], [_cut_call(self._blocks[-1])]
        if _is_proof_lost(blocks):
            cut = [*(_cut_call(block) for block in blocks if block.type == "tool_use"), *cut]
            blocks = _without_calls(blocks)
        return Reply(
            id=str(self._message.get("id", "")),
            model=str(self._message.get("model", "")),
            content=_content(blocks),
            stop_reason=self._message.get("stop_reason"),
            stop_details=self._message.get("stop_details"),
            usage=self._usage,
            malformed=_malformed(blocks),
            cut=cut,
            input_transformations=self._message.get("input_transformations") or [],
        )

    def partial(self) -> list[Block]:
        """Return what may be kept of a stream that was broken off: whole blocks, and the text so far."""
        blocks = [block for block in self._blocks if block.is_finished or block.type == "text"]
        return _content(_without_calls(blocks) if _is_proof_lost(blocks) else blocks)

    def _start(self, event: WireEvent) -> Delta | None:
        index = event.get("index")
        place = index if isinstance(index, int) else len(self._blocks)
        builder = BlockBuilder(place, _mapping(event.get("content_block")))
        self._blocks.append(builder)
        self._open[index] = builder
        return builder.open()

    def _merge(self, fields: Mapping[str, Any]) -> None:
        self._message.update({key: value for key, value in fields.items() if value is not None})
        usage = fields.get("usage")
        if isinstance(usage, dict):
            known = {key: value for key, value in usage.items() if value is not None}
            self._usage = {**(self._usage or {}), **known}

    def _is_last_call_cut(self) -> bool:
        if self._message.get("stop_reason") not in CUTTING_REASONS or not self._blocks:
            return False
        last = self._blocks[-1]
        return last.type == "tool_use" and (last.is_bare or last.input() is None)


def _content(builders: list[BlockBuilder]) -> list[Block]:
    content = _nonblank(builders)
    # Thinking may go from a reply as a whole, not out of its middle nor from its end alone.
    return [block for block in content if not is_thinking(block)] if _is_thinking_unfit(content) else content


def _nonblank(builders: list[BlockBuilder]) -> list[Block]:
    blocks = as_blocks([builder.block() for builder in builders if builder.type])
    return [block for block in blocks if is_sendable(block)]


def _is_thinking_unfit(content: list[Block]) -> bool:
    """True when the thinking of a reply cannot go back as it is; a message must not end with thinking."""
    thoughts = [block for block in content if is_thinking(block)]
    return bool(thoughts) and (is_thinking(content[-1]) or not all(map(is_sendable_thinking, thoughts)))


def _is_proof_lost(builders: list[BlockBuilder]) -> bool:
    """True when signed thinking cannot go back: its server then takes no answer to the calls beside it.

    Servers that sign nothing do not miss it.
    """
    content = _nonblank(builders)
    return _is_thinking_unfit(content) and any(
        is_sendable_thinking(block) for block in content if is_thinking(block)
    )


def _without_calls(builders: list[BlockBuilder]) -> list[BlockBuilder]:
    return [builder for builder in builders if builder.type != "tool_use"]


def _malformed(builders: list[BlockBuilder]) -> dict[str, str]:
    calls = (builder for builder in builders if builder.type == "tool_use" and builder.input() is None)
    return {call.block()["id"]: call.arguments for call in calls}


def _cut_call(call: BlockBuilder) -> dict[str, str]:
    block = call.block()
    return {"id": block["id"], "name": block["name"], "arguments": call.arguments}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
