"""A local HTTP server that writes given bytes: for answers that no proper server sends."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

Step = bytes | float
"""Bytes to write, or seconds of silence."""

STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class RawServer:
    """Where it listens."""

    url: str


def answer(status: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole answer, after which the connection is closed."""
    fields = {"connection": "close", "content-length": str(len(body)), **(headers or {})}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@asynccontextmanager
async def raw_server(*steps: Step) -> AsyncGenerator[RawServer, None]:
    """Answer every request with ``steps``, then close the connection."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            sizes = [line for line in head.lower().splitlines() if line.startswith("content-length:")]
            await reader.readexactly(sum(int(line.partition(":")[2]) for line in sizes))
            await _write(steps, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    try:
        yield RawServer(url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    finally:
        server.close()
        await server.wait_closed()


async def _write(steps: tuple[Step, ...], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for step in steps:
        if isinstance(step, bytes):
            writer.write(step)
            await writer.drain()
            continue
        try:
            await asyncio.wait_for(reader.read(1), step)
        except TimeoutError:
            continue
        raise ConnectionError
