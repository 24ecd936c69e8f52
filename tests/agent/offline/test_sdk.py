"""The vendor's own client is content with the server."""

import contextlib
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest

from agent.offline import MessagesServer, Script, calls, error, raw_call, says, thinks
from tests.agent.offline.asking import tool

ASKED: Any = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": "hi"}],
    "tools": [tool()],
}
REPLY = thinks("hm") + says("I'll look.") + calls("read", file_path="src/a.py")


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    script = Script(REPLY, error(529), REPLY, says("half").then_error(), says("half").then_cut(clean=True))
    with MessagesServer(script) as server:
        yield server
    assert server.refusals == []


def test_the_sync_client_streams(server: MessagesServer) -> None:
    """Message, retry after an overload, error in mid-stream, early end: each as the SDK reports it."""
    with anthropic.Anthropic(api_key=server.api_key, base_url=server.url, max_retries=1) as client:
        for _ in range(2):
            with client.messages.stream(**ASKED) as stream:
                message = stream.get_final_message()
            assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
            assert message.content[2].to_dict()["input"] == {"file_path": "src/a.py"}
            assert (message.stop_reason, message.usage.output_tokens > 1) == ("tool_use", True)
        with pytest.raises(anthropic.APIStatusError) as raised, client.messages.stream(**ASKED) as stream:
            stream.until_done()
        assert raised.value.type == "overloaded_error"
        with client.messages.stream(**ASKED) as stream:
            assert stream.get_final_message().stop_reason is None
    assert [request.status for request in server.queries] == [200, 529, 200, 200, 200]


async def test_the_async_client_streams(server: MessagesServer) -> None:
    """The same message comes out; counting and the list of models work, too."""
    async with anthropic.AsyncAnthropic(api_key=server.api_key, base_url=server.url) as client:
        async with client.messages.stream(**ASKED) as stream:
            texts = [text async for text in stream.text_stream]
            message = await stream.get_final_message()
        assert "".join(texts) == "I'll look."
        assert message.usage.input_tokens > 300
        plain = {name: ASKED[name] for name in ("model", "messages", "tools")}
        counted = await client.messages.count_tokens(**plain)
        assert counted.input_tokens == message.usage.input_tokens
        assert (await client.models.retrieve("claude-opus-5")).max_input_tokens == 1_000_000
        assert (await client.models.list()).data[0].id == "claude-opus-5-5"


def test_refusals_arrive_as_bad_requests() -> None:
    """With type, text and request id; the reply that follows is returned byte for byte and accepted."""
    with (
        MessagesServer(Script(REPLY, says("done"), raw_call("read", "{,}"))) as server,
        anthropic.Anthropic(auth_token=server.api_key, base_url=server.url, max_retries=0) as client,
    ):
        with pytest.raises(anthropic.BadRequestError, match=r"temperature: Extra inputs") as raised:
            client.messages.create(**ASKED, extra_body={"temperature": 1})
        assert raised.value.type == "invalid_request_error"
        assert raised.value.request_id == "req_offline000001"
        message = client.messages.create(**ASKED)
        answer = {"type": "tool_result", "tool_use_id": message.content[2].id, "content": "x"}
        more = [*ASKED["messages"], message.to_param(), {"role": "user", "content": [answer]}]
        with contextlib.suppress(anthropic.BadRequestError):
            client.messages.create(**{**ASKED, "messages": more})
        with (
            pytest.raises(ValueError, match="tool parameter JSON"),
            client.messages.stream(**ASKED) as stream,
        ):
            stream.until_done()
