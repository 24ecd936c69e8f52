"""The client in tests: a request, and what comes of it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from agent.api.reply import Reply, ReplyBuilder
from agent.client import MessagesClient

REQUEST: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
}


class HasUrl(Protocol):
    """Any server."""

    @property
    def url(self) -> str:
        """Its address."""
        ...


@asynccontextmanager
async def client_of(server: HasUrl, *, stall_timeout_s: float = 20) -> AsyncGenerator[MessagesClient, None]:
    """A client of a local server, closed at the end."""
    key = getattr(server, "api_key", "k")
    client = MessagesClient(base_url=server.url, api_key=key, stall_timeout_s=stall_timeout_s)
    try:
        yield client
    finally:
        await client.close()


async def collect(
    client: MessagesClient, request: dict[str, Any] | None = None, betas: tuple[str, ...] = ()
) -> list[Any]:
    """Return all events of an answer."""
    return [event async for event in client.stream(request or REQUEST, betas)]


async def ask(client: MessagesClient, request: dict[str, Any] | None = None) -> Reply:
    """Return the reply to a request."""
    builder = ReplyBuilder()
    async for event in client.stream(request or REQUEST, ()):
        builder.feed(event)
    return builder.reply()


async def until(condition: Callable[[], object]) -> None:
    """Wait until ``condition`` holds, 20 s at most."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come true")
