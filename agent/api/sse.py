"""Server-sent events from bytes: what the server wrote, as JSON, with nothing lost or made up."""

import json
from collections.abc import Iterator
from typing import Any

from agent.errors import ServerFault

MAX_HEAD_BYTES = 4_000
"""How much of an answer is kept for an error text, should it turn out to be no stream of events."""


class EventParser:
    """Takes the bytes of a stream as they come; every byte is looked at a bounded number of times.

    Lines end in LF, CRLF or CR only: a U+2028 or U+0085 inside a JSON string does not end one.
    """

    def __init__(self) -> None:
        self.head = b""
        self.has_events = False
        self._rest: list[bytes] = []
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """Yield the events that ``chunk`` completes.

        Raises:    ServerFault: an event that is not of the Messages API.
        """
        if len(self.head) < MAX_HEAD_BYTES:
            self.head += chunk[: MAX_HEAD_BYTES - len(self.head)]
        self._rest.append(chunk)
        if b"\n" not in chunk and b"\r" not in chunk:
            return
        lines = b"".join(self._rest).splitlines(keepends=True)
        # A CR at the very end may be half of a CRLF.
        self._rest = [] if lines[-1].endswith(b"\n") else [lines.pop()]
        for line in lines:
            yield from self._take(line.rstrip(b"\r\n"))

    def close(self) -> Iterator[dict[str, Any]]:
        """Yield a last event whose closing blank line is missing; half a line is no event."""
        rest, self._rest = b"".join(self._rest), []
        if rest.endswith(b"\r"):
            yield from self._take(rest.rstrip(b"\r"))
        if not rest or rest.endswith(b"\r"):
            yield from self._dispatch()

    def _take(self, line: bytes) -> Iterator[dict[str, Any]]:
        if not line:
            yield from self._dispatch()
            return
        field, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field == b"data":
            self._data.append(value)

    def _dispatch(self) -> Iterator[dict[str, Any]]:
        name, data = self._name, b"\n".join(self._data)
        self._name, self._data = "", []
        # `[DONE]` closes the streams of another protocol; gateways let it slip through.
        if data and data != b"[DONE]":
            self.has_events = True
            yield _event(name, data)


def _event(name: str, data: bytes) -> dict[str, Any]:
    try:
        # Bytes that are no UTF-8 become lone surrogates, which the reply knows how to deal with.
        event = json.loads(data.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise ServerFault(f"the server sent an event that is not JSON: {data[:80]!r}") from error
    if not isinstance(event, dict):
        raise ServerFault(f"the server sent an event that is no JSON object: {data[:80]!r}")
    if "type" not in event and "error" in event:
        event["type"] = "error"
    elif "type" not in event and name:
        event["type"] = name
    if not isinstance(event.get("type"), str):
        raise ServerFault(
            f"the server does not speak the Messages API (it sent {data[:80]!r}): check ANTHROPIC_BASE_URL"
        )
    return event
