"""What a scripted model answers: replies that read like the transcript they produce, and faults."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from agent.offline.wire import ERROR_TEXTS, dump, error_type

CHUNK_CHARS = 12
"""Into pieces of how many characters a reply is streamed unless it says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """A thinking block; its signature is the server's, sent in so many deltas."""

    thinking: str
    signature_deltas: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A redacted_thinking block; the server makes its data unique."""

    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool_use block: the input as JSON text, valid or not; ``id`` None: the server picks one."""

    name: str
    json: str
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A block that is sent whole in `content_block_start`, such as a server tool's."""

    block: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """Silence in mid-stream."""

    seconds: float


Part = Text | Thinking | Redacted | Call | Raw | Stall


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a stream ends instead of properly.

    ``error``: the type of an `error` event; None: the connection is cut, with a proper end of the body if
    ``clean``. ``after_chars``: how much of the last block is sent, which then stays open; None: all, and closed.
    """

    error: str | None = None
    message: str = ""
    clean: bool = False
    after_chars: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageEvents:
    """Made-up `usage`, event by event; None: the event has no `usage` at all.

    ``deltas``: one `message_delta` for each.
    """

    start: Mapping[str, Any] | None
    deltas: tuple[Mapping[str, Any] | None, ...] = (None,)


Usage = Mapping[str, Any] | UsageEvents


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply of the model; ``a + b`` is the reply that says a and then b.

    ``stop_reason`` None: `tool_use` if there is a call, else `end_turn`. ``usage`` None: the server's own count.
    ``delay_s`` passes before the answer begins, ``pace_s`` before each delta.
    ``split_surrogates``: text may be cut inside a character beyond U+FFFF, its halves sent as JSON escapes.
    """

    parts: tuple[Part, ...] = ()
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Mapping[str, Any] | None = None
    usage: Usage | None = None
    ending: Ending | None = None
    delay_s: float = 0.0
    pace_s: float = 0.0
    chunk_chars: int = CHUNK_CHARS
    split_surrogates: bool = False

    def __add__(self, other: "Reply") -> "Reply":
        names = [field.name for field in fields(self) if field.name != "parts"]
        said = {name: getattr(other, name) for name in names if getattr(other, name) != getattr(_EMPTY, name)}
        return replace(self, parts=self.parts + other.parts, **said)

    def having(self, **changes: Any) -> "Reply":
        """The same reply with other fields, such as ``stop_reason``, ``usage``, ``delay_s``, ``chunk_chars``."""
        return replace(self, **changes)

    def then_error(
        self, kind: str = "overloaded_error", message: str = "", *, after_chars: int | None = None
    ) -> "Reply":
        """The reply broken off by an `error` event, behind its last block or inside it."""
        text = message or ERROR_TEXTS[529]
        return replace(self, ending=Ending(error=kind, message=text, after_chars=after_chars))

    def then_cut(self, *, clean: bool = False) -> "Reply":
        """The connection is cut behind the last block; ``clean``: the body ends properly, only too early."""
        return replace(self, ending=Ending(clean=clean))

    def cut_after(self, chars: int, *, clean: bool = False) -> "Reply":
        """The connection is cut inside the last block, ``chars`` characters into its text or input."""
        return replace(self, ending=Ending(clean=clean, after_chars=chars))


_EMPTY = Reply()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An HTTP answer that is no reply; ``status`` None: the connection is closed without an answer."""

    status: int | None
    body: bytes = b""
    kind: str = ""
    message: str = ""
    headers: Mapping[str, str]
    delay_s: float = 0.0


def says(text: str, **how: Any) -> Reply:
    """A text block; ``how``: fields of `Reply`."""
    return Reply(parts=(Text(text=text),), **how)


def thinks(thinking: str, *, signature_deltas: int = 1) -> Reply:
    """A thinking block, which the server signs."""
    return Reply(parts=(Thinking(thinking=thinking, signature_deltas=signature_deltas),))


def redacted(data: str = "") -> Reply:
    """A redacted_thinking block."""
    return Reply(parts=(Redacted(data=data),))


def calls(name: str, /, call_id: str | None = None, **input: Any) -> Reply:
    """A tool_use block; the keywords are the tool's input."""
    return Reply(parts=(Call(name=name, json=dump(input), id=call_id),))


def raw_call(name: str, json_text: str, *, call_id: str | None = None) -> Reply:
    """A tool_use block whose input is sent as it stands here, be it JSON or not."""
    return Reply(parts=(Call(name=name, json=json_text, id=call_id),))


def raw_block(block: Mapping[str, Any]) -> Reply:
    """Any block, sent whole in `content_block_start`."""
    return Reply(parts=(Raw(block=block),))


def stalls(seconds: float) -> Reply:
    """Silence in mid-stream, to be put between two parts with `+`."""
    return Reply(parts=(Stall(seconds=seconds),))


def empty(**how: Any) -> Reply:
    """A reply without a single block."""
    return Reply(**how)


def refuses(text: str = "", *, category: str | None = None, explanation: str | None = None) -> Reply:
    """HTTP 200 with the stop reason `refusal`."""
    details = {"type": "refusal", "category": category, "explanation": explanation}
    reply = says(text) if text else empty()
    return reply.having(stop_reason="refusal", stop_details=details)


def error(
    status: int,
    message: str = "",
    *,
    body: str | None = None,
    retry_after: float | str | None = None,
    headers: Mapping[str, str] | None = None,
    delay_s: float = 0.0,
) -> Fault:
    """An HTTP error; ``body``: instead of the proper JSON body, sent as text/html."""
    wait = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Fault(
        status=status,
        kind=error_type(status),
        message=message or ERROR_TEXTS.get(status, "Error"),
        body=(body or "").encode(),
        headers={**wait, **(headers or {})},
        delay_s=delay_s,
    )


def hangs_up(*, delay_s: float = 0.0) -> Fault:
    """The connection is closed before any answer."""
    return Fault(status=None, headers={}, delay_s=delay_s)


def input_of(call: Call) -> Any:
    """The call's input as a value; an empty object if it is no JSON."""
    try:
        return json.loads(call.json or "{}")
    except json.JSONDecodeError:
        return {}
