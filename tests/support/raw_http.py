"""A local HTTP server that writes given bytes: for answers that no proper server sends."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Step = bytes | float
"""Bytes to write, or seconds of silence."""

STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


@dataclass(slots=True)
class RawServer:
    """Where it listens, the requests it got (head and body), and how many clients went away too early."""

    url: str = ""
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    hangups: int = 0


def answer(status: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole answer, after which the connection is closed."""
    fields = {"connection": "close", "content-length": str(len(body)), **(headers or {})}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@asynccontextmanager
async def raw_server(*steps: Step) -> AsyncGenerator[RawServer, None]:
    """Answer every request with ``steps``, then close the connection."""
    raw = RawServer()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            size = next(line for line in head.lower().splitlines() if line.startswith("content-length:"))
            raw.heads.append(head)
            raw.bodies.append(await reader.readexactly(int(size.partition(":")[2])))
            await _write(steps, reader, writer)
        except ConnectionError:
            raw.hangups += 1
        finally:
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    raw.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield raw
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
