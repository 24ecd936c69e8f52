"""The client over real HTTP: good streams, what is sent, interrupts."""

import asyncio
import json
import subprocess
import sys
from contextlib import aclosing
from typing import Any

import pytest

from agent.api.reply import Reply
from agent.client import MessagesClient
from agent.errors import ModelError
from agent.offline import MessagesServer, Script, always, calls, redacted, says, stalls, thinks
from agent.offline import Reply as Scripted
from compaction.messages import text, tool_result, tool_uses
from tests.support.client import REQUEST, ask, client_of, collect, until
from tests.support.raw_http import STREAM_HEAD, raw_server

START = b'data: {"type":"message_start","message":{"id":"m","model":"x"}}\n\n'
STOP = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'


async def one_reply(scripted: Scripted) -> Reply:
    with MessagesServer(Script(scripted)) as server:
        async with client_of(server) as client:
            return await ask(client)


async def raw_events(*steps: bytes | float, stall_timeout_s: float = 5) -> list[Any]:
    async with raw_server(*steps) as server, client_of(server, stall_timeout_s=stall_timeout_s) as client:
        return await collect(client)


async def test_a_reply_arrives_whole() -> None:
    """Text, thinking and calls of a real stream become the blocks that were served."""
    reply = await one_reply(
        thinks("über ") + redacted("x") + says("a\u2028b 🙂") + calls("bash", command="ls")
    )
    assert [block["type"] for block in reply.content] == ["thinking", "redacted_thinking", "text", "tool_use"]
    assert reply.stop_reason == "tool_use"
    assert reply.usage is not None


async def test_f41_a_thinking_is_sent_back_byte_for_byte() -> None:
    """Thinking with umlauts, blanks, an empty text, a signature in pieces: the strict server takes it back."""
    script = Script(
        thinks("grübeln  \n ", signature_deltas=3) + thinks("") + redacted() + calls("bash", command="ls"),
        says("done"),
    )
    request = {**REQUEST, "tools": [{"name": "bash", "input_schema": {"type": "object"}}]}
    with MessagesServer(script) as server:
        async with client_of(server) as client:
            reply = await ask(client, request)
            call = tool_uses(reply.content)[0]
            history = [
                *REQUEST["messages"],
                {"role": "assistant", "content": reply.content},
                {"role": "user", "content": [tool_result(call["id"], "ok")]},
            ]
            second = await ask(client, {**request, "messages": history})
        assert second.content == [text("done")]
        assert server.refusals == []
        assert list(server.queries[0].content) == reply.content


async def test_what_is_sent() -> None:
    """The request goes out as it is, with `stream`, the betas in one header, and no telemetry of its own."""
    betas = ("thinking-binding-controls-2026-08-01", "other-beta")
    request = {**REQUEST, "system": "s…"}
    with MessagesServer(Script(says("a"))) as server:
        async with client_of(server) as client:
            await collect(client, request, betas)
        sent = server.queries[0]
    assert sent.body == {**request, "stream": True}
    assert sent.headers["anthropic-beta"] == ",".join(betas)
    assert "traceparent" not in sent.headers


async def test_no_beta_header_without_betas() -> None:
    """No betas, no header."""
    with MessagesServer(Script(says("a"))) as server:
        async with client_of(server) as client:
            await collect(client)
        assert "anthropic-beta" not in server.queries[0].headers


async def test_a_second_request_uses_the_same_connection() -> None:
    """After a whole reply the connection is kept."""
    used: set[int] = set()
    with MessagesServer(Script(always(says("a")))) as server:
        async with client_of(server) as client:
            for _ in range(3):
                await collect(client)
                assert client._sdk is not None
                used |= {id(open_) for open_ in client._sdk.client._client._transport._pool.connections}
    assert len(used) == 1


async def test_the_environment_names_server_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without arguments the SDK's environment variables count."""
    with MessagesServer(Script(says("a"))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", server.api_key)
        client = MessagesClient()
        assert (await collect(client))[-1] == {"type": "message_stop"}
        await client.close()


async def test_a_deprecated_model_gives_no_warning() -> None:
    """Warnings are errors here: the SDK's words on old models never reach the screen."""
    with MessagesServer(Script(says("a"))) as server:
        async with client_of(server) as client:
            await collect(client, {**REQUEST, "model": "claude-sonnet-4-5"})


async def test_f46_half_a_surrogate_pair_is_never_sent() -> None:
    """A history that holds one all the same is repaired on its way out."""
    with MessagesServer(Script(says("a"))) as server:
        async with client_of(server) as client:
            await collect(client, {**REQUEST, "messages": [{"role": "user", "content": "a\ud83d"}]})
        assert server.queries[0].body["messages"][0]["content"] == "a\ufffd"


async def test_f46_g_an_emoji_split_over_two_deltas_is_joined() -> None:
    """Halves in two deltas are one character in the reply."""
    reply = await one_reply(says("🙂🙂", chunk_chars=1, split_surrogates=True))
    assert reply.content == [{"type": "text", "text": "🙂🙂"}]


async def test_unknown_events_pings_and_fields_pass_through() -> None:
    """What the server wrote is what comes out, also what nobody knows."""
    odd = b'event: new_thing\ndata: {"type":"new_thing","x":[1,null],"y":"\\ud83d"}\n\n'
    ping = b'event: ping\ndata: {"type": "ping"}\n\n'
    events = await raw_events(STREAM_HEAD, START, ping, odd, STOP)
    assert events[1:3] == [{"type": "ping"}, {"type": "new_thing", "x": [1, None], "y": "\ud83d"}]


async def test_pings_are_life() -> None:
    """Silence shorter than the limit, again and again, is no stall."""
    ping = b'data: {"type": "ping"}\n\n'
    events = await raw_events(
        STREAM_HEAD, START, 0.4, ping, 0.4, ping, 0.4, ping, 0.4, ping, STOP, stall_timeout_s=1
    )
    assert len(events) == 6


async def test_a_server_that_never_closes_does_not_hold_the_turn() -> None:
    """After `message_stop` the body's end is waited for only a moment."""
    async with asyncio.timeout(20):
        events = await raw_events(STREAM_HEAD, START, STOP, 40.0, stall_timeout_s=60)
    assert events[-1] == {"type": "message_stop"}


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
async def test_line_ends_and_a_missing_last_blank_line(ending: bytes) -> None:
    """Every line end of the standard works; a last event counts without its blank line."""
    stream = (START + STOP).rstrip(b"\n") + b"\n"
    events = await raw_events(STREAM_HEAD, stream.replace(b"\n", ending))
    assert events[-1] == {"type": "message_stop"}


async def test_closing_the_iterator_closes_the_connection() -> None:
    """An interrupt in mid-stream reaches the server at once."""
    with MessagesServer(Script(says("a") + stalls(30) + says("b"))) as server:
        async with client_of(server) as client:
            async with aclosing(client.stream(REQUEST, ())) as events:
                async for event in events:
                    if event["type"] == "content_block_stop":
                        break
            await until(lambda: server.hangups)


@pytest.mark.parametrize(
    "scripted", [says("a") + stalls(30), says("a", delay_s=30)], ids=["stream", "headers"]
)
async def test_cancelling_the_task_closes_the_connection(scripted: Scripted) -> None:
    """Also while the client waits, for headers or for more of the stream."""
    with MessagesServer(Script(scripted)) as server:
        async with client_of(server) as client:
            task = asyncio.create_task(collect(client))
            await until(lambda: server.queries)
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: server.hangups)


async def test_a_closed_client_opens_again() -> None:
    """Closing twice, or before any use, does no harm; the next request connects anew."""
    with MessagesServer(Script(says("a"))) as server:
        async with client_of(server) as client:
            await client.close()
            client._warm()
            await client.close()
            assert (await collect(client))[-1] == {"type": "message_stop"}


def test_nothing_is_imported_before_it_is_needed() -> None:
    """Importing the client costs neither the SDK nor its transport; `warm` loads both in the background."""
    code = (
        "import json, sys, threading, agent.client, agent.api.reply, agent.models, agent.tokenizer as t\n"
        "names = ('anthropic', 'httpx2', 'tiktoken', 'pydantic', 'PIL')\n"
        "before = [name for name in names if name in sys.modules]\n"
        "agent.client.MessagesClient(base_url='http://127.0.0.1:9', api_key='k').warm(); t.warm()\n"
        "[thread.join(50) for thread in threading.enumerate() if thread.name.startswith('load-')]\n"
        "print(json.dumps([before, [name for name in names if name in sys.modules]]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    assert before == []
    assert {"anthropic", "httpx2", "tiktoken"} <= set(after)
    assert done.stderr == ""


@pytest.mark.parametrize("url", ["nonsense://proxy:1", "socks5://proxy:1"])
async def test_a_broken_proxy_setting_is_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the transport refuses at construction is silent while warming, and a ModelError of the first request."""
    monkeypatch.setenv("HTTP_PROXY", url)
    client = MessagesClient(base_url="http://127.0.0.1:9", api_key="k")
    client._warm()
    with pytest.raises(ModelError, match="connection cannot be set up"):
        await collect(client)
