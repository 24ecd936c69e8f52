"""Requests, and a bare HTTP client to send them with."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.offline import MessagesServer

Json = dict[str, Any]
MODEL = "claude-opus-5"
BINDING = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}


def user(*content: Any) -> Json:
    """A user message: blocks, or strings that become text blocks."""
    return {"role": "user", "content": [_block(part) for part in content]}


def assistant(*content: Any) -> Json:
    """An assistant message, likewise."""
    return {"role": "assistant", "content": [_block(part) for part in content]}


def text(text: str, **fields: Any) -> Json:
    return {"type": "text", "text": text, **fields}


def call(id: str, name: str = "read", **input: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def result(id: str, content: Any = "ok", **fields: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def image(data: str, media_type: str = "image/png") -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def tool(name: str = "read", **fields: Any) -> Json:
    return {"name": name, "input_schema": {"type": "object"}, **fields}


def body(*messages: Json, **fields: Any) -> Json:
    """A request body; without messages it says `hi`."""
    return {"model": MODEL, "max_tokens": 100, "messages": list(messages) or [user("hi")], **fields}


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """An answer; ``whole``: the HTTP body ended as announced."""

    status: int
    headers: Mapping[str, str]
    raw: bytes
    whole: bool = True

    @property
    def json(self) -> Json:
        parsed: Json = json.loads(self.raw)
        return parsed

    @property
    def error(self) -> str:
        return str(self.json["error"]["message"])

    @property
    def events(self) -> list[Json]:
        """The events of a stream; each one's name is its data's type."""
        found = []
        for chunk in self.raw.decode().split("\n\n")[:-1]:
            name, data = chunk.split("\n", 1)
            parsed = json.loads(data.removeprefix("data: "))
            assert name == f"event: {parsed['type']}"
            found.append(parsed)
        return found

    @property
    def names(self) -> list[str]:
        return [event["type"] for event in self.events]


def ask(
    server: MessagesServer,
    body: Any = None,
    *,
    path: str = "/v1/messages",
    headers: Mapping[str, str | None] | None = None,
) -> Got:
    """Send one request; ``body``: JSON, bytes as they are, or None for a GET; a header of None is left out."""
    sent = {"x-api-key": server.api_key, "anthropic-version": "2026-10-21", **(headers or {})}
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
    raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    kept = {name: value for name, value in sent.items() if value is not None}
    try:
        connection.request("GET" if raw is None else "POST", path, body=raw, headers=kept)
        answer = connection.getresponse()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        try:
            return Got(status=answer.status, headers=fields, raw=answer.read())
        except http.client.IncompleteRead as cut:
            return Got(status=answer.status, headers=fields, raw=cut.partial, whole=False)
    finally:
        connection.close()


def stream(server: MessagesServer, body: Json, **how: Any) -> Got:
    """Send a request that streams."""
    return ask(server, {**body, "stream": True}, **how)


def _block(part: Any) -> Any:
    return text(part) if isinstance(part, str) else part
