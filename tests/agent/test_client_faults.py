"""F56 and F57 at the client: whatever goes wrong becomes one error of our tree, raised once, never retried."""

import socket
from typing import Any

import pytest

from agent.api.reply import ReplyBuilder
from agent.client import MessagesClient
from agent.errors import (
    BadRequest,
    ConnectionLost,
    ContextTooLong,
    ModelError,
    NotAllowed,
    NotFound,
    Overloaded,
    RateLimited,
    RequestTooLarge,
    ServerFault,
)
from agent.offline import MessagesServer, Script, calls, error, hangs_up, says, stalls, thinks
from agent.offline import Reply as Scripted
from tests.support.client import REQUEST, client_of, collect
from tests.support.raw_http import STREAM_HEAD, Step, answer, raw_server

START = b'data: {"type":"message_start","message":{}}\n\n'
PAGE = "<!DOCTYPE html><html><head><title>502\n Bad gateway</title></head><body>x</body></html>"


async def feed(builder: ReplyBuilder, client: MessagesClient) -> None:
    async for event in client.stream(REQUEST, ()):
        builder.feed(event)


async def fault(scripted: Any, *, stall_timeout_s: float = 20) -> tuple[ModelError, ReplyBuilder, int]:
    """The error, what had been received, and how many requests there were."""
    builder = ReplyBuilder()
    with MessagesServer(Script(scripted)) as server:
        async with client_of(server, stall_timeout_s=stall_timeout_s) as client:
            with pytest.raises(ModelError) as caught:
                await feed(builder, client)
        return caught.value, builder, len(server.queries)


async def raw_fault(*steps: Step) -> ModelError:
    async with raw_server(*steps) as server, client_of(server, stall_timeout_s=1) as client:
        with pytest.raises(ModelError) as caught:
            await collect(client)
    assert "\n" not in str(caught.value)
    return caught.value


async def test_f56_a_an_overload_in_mid_stream_is_an_overload() -> None:
    """Told by its type, for its status is 200; the text so far can be had."""
    raised, builder, requests = await fault(says("half a text").then_error("overloaded_error"))
    assert type(raised) is Overloaded
    assert builder.partial() == [{"type": "text", "text": "half a text"}]
    assert requests == 1


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("api_error", "Internal server error", ServerFault),
        ("rate_limit_error", "slow down", RateLimited),
        ("timeout_error", "late", ServerFault),
        ("something_new", "hm", ServerFault),
        ("invalid_request_error", "prompt is too long: 5 tokens > 4 maximum", ContextTooLong),
        ("invalid_request_error", "bad", BadRequest),
        ("authentication_error", "bad key", NotAllowed),
    ],
)
async def test_an_error_event_is_mapped_by_its_type(kind: str, text: str, expected: type[ModelError]) -> None:
    """All types, also unknown ones, in mid-stream."""
    raised, _, _ = await fault(says("a").then_error(kind, text))
    assert type(raised) is expected
    assert raised.status == (400 if expected is ContextTooLong else 0)


async def test_f56_b_529_is_an_overload() -> None:
    """And there is one request only: the SDK does not retry behind our back."""
    raised, _, requests = await fault(error(529))
    assert (type(raised), raised.status, requests) == (Overloaded, 529, 1)


@pytest.mark.parametrize(("value", "expected"), [("2", 2), ("3600", 3600), ("abc", None), (None, None)])
async def test_f56_c_a_rate_limit_names_the_pause(value: str | None, expected: float | None) -> None:
    """`retry-after` is handed on; nonsense and its absence (a spend limit) are None."""
    raised, _, requests = await fault(error(429, retry_after=value))
    assert isinstance(raised, RateLimited)
    assert (raised.retry_after_s, requests) == (expected, 1)


async def test_f56_e_a_page_of_html_is_one_line() -> None:
    """Only the title of the page is shown."""
    raised, _, requests = await fault(error(500, body=PAGE))
    assert (type(raised), requests) == (ServerFault, 1)
    assert str(raised) == "the server failed (500): 502 Bad gateway"


@pytest.mark.parametrize(
    ("status", "expected", "hint"),
    [
        (401, NotAllowed, "check ANTHROPIC_API_KEY"),
        (402, NotAllowed, "billing"),
        (403, NotAllowed, "permit"),
        (400, BadRequest, "refused the request"),
        (404, NotFound, "check ANTHROPIC_BASE_URL"),
        (413, RequestTooLarge, "size limit"),
        (422, BadRequest, "refused the request"),
    ],
)
async def test_f56_f_a_refusal_is_final_and_clear(status: int, expected: type[ModelError], hint: str) -> None:
    """One request, one class, one line that says what to do."""
    raised, _, requests = await fault(error(status))
    assert (type(raised), raised.status, requests) == (expected, status, 1)
    assert hint in str(raised)


async def test_f56_f_an_unknown_model_is_named() -> None:
    """404 for a model says which, and how to choose another."""
    raised, _, _ = await fault(error(404, "model: claude-sonnet-5-5"))
    assert "`claude-sonnet-5-5`: choose another with --model" in str(raised)


async def test_f56_h_a_finished_call_of_a_broken_reply_is_known_as_such() -> None:
    """The call is in `partial`, and there is no reply: whoever retries must not run it."""
    broken = (calls("bash", command="ls") + says("x")).then_error()
    raised, builder, _ = await fault(broken)
    assert isinstance(raised, Overloaded)
    assert [block["type"] for block in builder.partial()] == ["tool_use", "text"]
    assert not builder.is_complete


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("chars", [0, 12])
async def test_f57_c_an_unfinished_call_is_lost_with_its_connection(chars: int, clean: bool) -> None:
    """A stream without `message_stop` is an error, also one that ends properly as HTTP; the call is not kept."""
    scripted = calls("write", file_path="a.txt", content="half").cut_after(chars, clean=clean)
    raised, builder, _ = await fault(says("so") + scripted)
    assert type(raised) is ConnectionLost
    assert builder.partial() == [{"type": "text", "text": "so"}]


async def test_f41_f_thinking_without_its_signature_is_lost() -> None:
    """A stream cut between the two leaves nothing that may be sent."""
    _, builder, _ = await fault(thinks("hm, what is this").cut_after(9))
    assert builder.partial() == []


@pytest.mark.parametrize("scripted", [hangs_up(), says("a").then_cut()])
async def test_a_closed_connection_is_lost(scripted: Scripted) -> None:
    """Before the headers or in the stream."""
    raised, _, requests = await fault(scripted)
    assert (type(raised), requests) == (ConnectionLost, 1)


@pytest.mark.parametrize("scripted", [says("a") + stalls(20), says("a", delay_s=20)])
async def test_a_stall_is_lost(scripted: Scripted) -> None:
    """Silence for longer than the limit, before the headers or in the stream."""
    raised, _, requests = await fault(scripted, stall_timeout_s=0.5)
    assert (type(raised), requests) == (ConnectionLost, 1)
    assert "silent for 0.5 s" in str(raised)


@pytest.mark.parametrize(
    ("steps", "expected", "words"),
    [
        ((answer("200 OK", PAGE.encode(), {"content-type": "text/html"}),), ServerFault, "does not stream"),
        ((answer("200 OK", b'{"type":"message"}'),), ServerFault, "no content type"),
        ((answer("200 OK", b'{"error":{"type":"overloaded_error","message":"x"}}'),), Overloaded, "x"),
        ((answer("200 OK", b""),), ConnectionLost, "in the middle"),
        (
            (answer("200 OK", b"this is no gzip", {"content-encoding": "gzip"}),),
            ServerFault,
            "does not answer as",
        ),
        ((STREAM_HEAD, b"data: {oops\n\n"), ServerFault, "not JSON"),
        ((STREAM_HEAD, b"data: [1]\n\n"), ServerFault, "no JSON object"),
        ((STREAM_HEAD, b'data: {"choices":[]}\n\ndata: [DONE]\n\n'), ServerFault, "ANTHROPIC_BASE_URL"),
        ((STREAM_HEAD, START, b'data: {"type":"message_st'), ConnectionLost, "in the middle"),
        ((STREAM_HEAD, START, b'data: {"error":{"message":"boom"}}\n\n'), ServerFault, "boom"),
        ((b"SSH-2.0-OpenSSH_9.6\r\n\r\n",), ConnectionLost, "broke"),
        ((answer("304 Not Modified", b""),), ServerFault, "304"),
        ((answer("302 Found", b"", {"location": "/v1/messages"}),), NotFound, "ANTHROPIC_BASE_URL"),
        ((answer("500 X", b"", {"x-should-retry": "false"}),), ModelError, "will not help"),
        ((answer("400 X", b"{}", {"x-should-retry": "true"}),), ServerFault, "refused"),
    ],
)
async def test_answers_that_are_not_the_protocol(
    steps: tuple[Step, ...], expected: type[ModelError], words: str
) -> None:
    """Pages, other protocols, half events, broken encodings."""
    raised = await raw_fault(*steps)
    assert type(raised) is expected
    assert words in str(raised)


async def test_no_server_names_the_address() -> None:
    """A refused connection says where it went and what to check."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    client = MessagesClient(base_url=url, api_key="k")
    with pytest.raises(ConnectionLost, match=f"cannot reach {url}: check the network"):
        await collect(client)
    await client.close()


@pytest.mark.parametrize("url", ["localhost:1", "ftp://localhost", "http://[::1"])
async def test_a_bad_address_is_not_retried(url: str) -> None:
    """What is no address says which variable holds it."""
    client = MessagesClient(base_url=url, api_key="k")
    with pytest.raises(NotFound, match="ANTHROPIC_BASE_URL"):
        await collect(client)
    await client.close()


@pytest.mark.parametrize("key", ["schlüssel", "k\n", "k\x00"])
async def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    """The transport's own text would hold the key."""
    with MessagesServer(Script(says("a"))) as server:
        client = MessagesClient(base_url=server.url, api_key=key)
        with pytest.raises(NotAllowed, match="check ANTHROPIC_API_KEY") as caught:
            await collect(client)
        await client.close()
    assert key not in str(caught.value)


async def test_no_key_says_how_to_set_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's TypeError becomes a line that helps."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    client = MessagesClient(base_url="http://127.0.0.1:9")
    with pytest.raises(NotAllowed, match="set ANTHROPIC_API_KEY"):
        await collect(client)
    await client.close()
