"""A reply as the events of a stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent.offline.reply import Call, Part, Reply, Stall, Text, Thinking
from agent.offline.served import Block, Served
from agent.offline.wire import dump


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Nothing is sent for so long."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The connection ends here; ``clean``: with a proper end of the body."""

    clean: bool


Step = bytes | Pause | Cut


def event(name: str, **data: Any) -> bytes:
    """One event as it goes over the wire."""
    return f"event: {name}\ndata: {dump({'type': name, **data})}\n\n".encode()


def steps(served: Served) -> Iterator[Step]:
    """All that happens on the wire from `message_start` on."""
    yield event("message_start", message=served.head())
    yield from _content(served)
    ending = served.reply.ending
    if ending is None:
        yield from _end(served)
    elif ending.error is None:
        yield Cut(clean=ending.clean)
    else:
        yield event("error", error={"type": ending.error, "message": ending.message})


def _content(served: Served) -> Iterator[Step]:
    ending = served.reply.ending
    index = 0
    for place, (part, block) in enumerate(served.pieces):
        if isinstance(part, Stall):
            yield Pause(seconds=part.seconds)
            continue
        is_last = place == len(served.pieces) - 1
        after_chars = ending.after_chars if ending and is_last else None
        yield event("content_block_start", index=index, content_block=_opening(part, block))
        if index == 0:
            yield event("ping")
        for delta in _deltas(part, block, reply=served.reply, after_chars=after_chars):
            if served.reply.pace_s:
                yield Pause(seconds=served.reply.pace_s)
            yield event("content_block_delta", index=index, delta=delta)
        if after_chars is None:
            yield event("content_block_stop", index=index)
        index += 1


def _end(served: Served) -> Iterator[Step]:
    reply, last = served.reply, len(served.usage.deltas) - 1
    for place, usage in enumerate(served.usage.deltas):
        delta: Block = {"stop_reason": None, "stop_sequence": None}
        if place == last:
            delta = {"stop_reason": served.stop_reason, "stop_sequence": reply.stop_sequence}
            if reply.stop_details is not None:
                delta["stop_details"] = dict(reply.stop_details)
        yield event("message_delta", delta=delta, **({} if usage is None else {"usage": dict(usage)}))
    yield event("message_stop")


def _opening(part: Part, block: Block) -> Block:
    match part:
        case Text():
            return {"type": "text", "text": ""}
        case Thinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case Call():
            return {**block, "input": {}}
        case _:
            return block


def _deltas(part: Part, block: Block, *, reply: Reply, after_chars: int | None) -> Iterator[Block]:
    """The deltas of one block; ``after_chars``: only those of its first characters."""
    match part:
        case Text(text=text):
            yield from ({"type": "text_delta", "text": piece} for piece in _pieces(text[:after_chars], reply))
        case Thinking(thinking=text):
            yield from (
                {"type": "thinking_delta", "thinking": piece} for piece in _pieces(text[:after_chars], reply)
            )
            shares = [] if after_chars is not None else _shares(block["signature"], part.signature_deltas)
            yield from ({"type": "signature_delta", "signature": share} for share in shares)
        case Call(json=text):
            pieces = ["", *_pieces(text[:after_chars], reply)]
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
        case _:
            return


def _pieces(text: str, reply: Reply) -> Iterator[str]:
    size = reply.chunk_chars
    if not reply.split_surrogates:
        yield from (text[at : at + size] for at in range(0, len(text), size))
        return
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2 * size):
        yield units[at : at + 2 * size].decode("utf-16-le", "surrogatepass")


def _shares(text: str, count: int) -> list[str]:
    size = -(-len(text) // count)
    return [text[at : at + size] for at in range(0, len(text), size)]
