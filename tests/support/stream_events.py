"""Events of a streamed reply, written short."""

import json
from collections.abc import Sequence
from typing import Any

Event = dict[str, Any]


def block_events(
    index: int, start: Event, deltas: Sequence[Event] = (), *, is_open: bool = False
) -> list[Event]:
    """One block: its start, its deltas, its stop unless ``is_open``."""
    events: list[Event] = [{"type": "content_block_start", "index": index, "content_block": start}]
    events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return events if is_open else [*events, {"type": "content_block_stop", "index": index}]


def text(index: int, *pieces: str, is_open: bool = False) -> list[Event]:
    """A text block."""
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return block_events(index, {"type": "text", "text": ""}, deltas, is_open=is_open)


def thinking(
    index: int, *pieces: str, signature: Sequence[str] = ("sig",), is_open: bool = False
) -> list[Event]:
    """A thinking block, its signature in as many deltas as there are parts."""
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    deltas += [{"type": "signature_delta", "signature": part} for part in signature]
    return block_events(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas, is_open=is_open)


def call(index: int, call_id: str, *pieces: str, is_open: bool = False) -> list[Event]:
    """A call of `write`."""
    start = {"type": "tool_use", "id": call_id, "name": "write", "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces)]
    return block_events(index, start, deltas, is_open=is_open)


def stream(
    *blocks: list[Event], stop_reason: str | None = "end_turn", usage: Any = None, **message: Any
) -> list[Event]:
    """A whole reply."""
    delta = {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}}
    return [
        {"type": "message_start", "message": {"id": "msg_1", "model": "m", "content": [], **message}},
        {"type": "ping"},
        *(event for block in blocks for event in block),
        delta if usage is None else {**delta, "usage": usage},
        {"type": "message_stop"},
    ]


def over_the_wire(event: Event) -> Event:
    """The event after its way as JSON."""
    again: Event = json.loads(json.dumps(event))
    return again
