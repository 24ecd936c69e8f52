"""One content block of a streamed reply, put together from its pieces."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from agent.surrogates import is_encodable, joined, repaired, repaired_text


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the answer; whole characters only."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More of the reasoning, to be shown; whole characters only."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """More of a call's arguments: the block's place in the reply, the tool's name, characters so far."""

    index: int
    name: str
    chars: int


Delta = TextDelta | ThinkingDelta | CallDelta

_HALF = re.compile("\\\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class BlockBuilder:
    """Takes the events of one block; the work is linear in its size, for nothing is parsed before the end.

    ``index``: place in the reply; ``start``: the `content_block` of its first event.
    """

    def __init__(self, index: int, start: Mapping[str, Any]) -> None:
        self.index = index
        self.is_finished = False
        self._start = {key: value for key, value in start.items() if value is not None}
        self._texts: list[str] = []
        self._signatures: list[str] = []
        self._arguments: list[str] = []
        self._citations: list[Any] = []
        self._chars = 0
        self._half = ""

    @property
    def type(self) -> str:
        """The block's type, "" if the server named none."""
        return _text(self._start.get("type"))

    @property
    def arguments(self) -> str:
        """The arguments of a call as they came."""
        return repaired_text("".join(self._arguments))

    @property
    def is_bare(self) -> bool:
        """True while a call has no arguments at all."""
        return not self.arguments.strip() and not self._start.get("input")

    def open(self) -> Delta | None:
        """Report what the first event already brings."""
        if self.type == "text":
            return self._add_text(_text(self._start.get("text")))
        if self.type == "thinking":
            self._signatures.append(_text(self._start.get("signature")))
            return self._add_text(_text(self._start.get("thinking")))
        return self._call_delta()

    def feed(self, delta: Mapping[str, Any]) -> Delta | None:
        """Take one `delta`; kinds that we do not know are passed over."""
        match delta.get("type"):
            case "text_delta":
                return self._add_text(_text(delta.get("text")))
            case "thinking_delta":
                return self._add_text(_text(delta.get("thinking")))
            case "input_json_delta":
                piece = _text(delta.get("partial_json"))
                self._arguments.append(piece)
                self._chars += len(piece)
                return self._call_delta()
            case "signature_delta":
                # The API sends one; what comes in pieces elsewhere belongs together.
                self._signatures.append(_text(delta.get("signature")))
            case "citations_delta":
                self._citations.append(delta.get("citation"))
        return None

    def finish(self) -> Delta | None:
        """Mark the block as whole; report a half character that was held back."""
        self.is_finished = True
        half, self._half = self._half, ""
        return self._text_delta(repaired_text(half))

    def block(self) -> dict[str, Any]:
        """Return the block as it goes into a message: thinking byte for byte, all else as valid UTF-8."""
        if self.type == "thinking":
            thinking, signature = joined("".join(self._texts)), "".join(self._signatures)
            return {**self._start, "thinking": thinking, "signature": signature}
        if self.type == "redacted_thinking":
            return dict(self._start)
        block: dict[str, Any] = repaired(self._start)
        if self.type == "text":
            block["text"] = repaired_text("".join(self._texts))
            if self._citations:
                block["citations"] = repaired([*block.get("citations", []), *self._citations])
        if self.type == "tool_use":
            block = {"type": "tool_use", "id": "", "name": "", **block}
        if self.type == "tool_use" or self._arguments:
            block["input"] = self.input() or {}
        return block

    def input(self) -> dict[str, Any] | None:
        """Return a call's arguments; None where they are not a JSON object. No text at all means {}."""
        raw = joined("".join(self._arguments))
        if not raw.strip():
            whole = self._start.get("input")
            return repaired(whole) if isinstance(whole, dict) else {}
        return parse_object(raw)

    def _add_text(self, piece: str) -> Delta | None:
        self._texts.append(piece)
        shown, self._half = self._half + piece, ""
        if "\ud800" <= shown[-1:] <= "\udbff":
            shown, self._half = shown[:-1], shown[-1]
        return self._text_delta(repaired_text(shown))

    def _text_delta(self, text: str) -> Delta | None:
        if not text:
            return None
        return ThinkingDelta(text) if self.type == "thinking" else TextDelta(text)

    def _call_delta(self) -> CallDelta | None:
        if self.type != "tool_use":
            return None
        return CallDelta(self.index, repaired_text(_text(self._start.get("name"))), self._chars)


def parse_object(raw: str) -> dict[str, Any] | None:
    """Parse a JSON object, lone surrogates replaced; None for anything that is not one.

    Neither `NaN` nor a number too large to be written back (`1e999`) is JSON here.
    """
    try:
        value = json.loads(raw, parse_constant=_refuse, parse_float=_finite)
        if _HALF.search(raw):
            value = repaired(value)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_sendable_thinking(block: Mapping[str, Any]) -> bool:
    """False for thinking that no server takes: without a signature, or with half a surrogate pair."""
    proof = block.get("data") if block["type"] == "redacted_thinking" else block.get("signature")
    text = block.get("thinking", "")
    return isinstance(proof, str) and bool(proof) and is_encodable(proof + text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
