"""A reply on the wire: the events in their order, and all the ways in which they stop too early."""

import json
from typing import Any

import pytest

from agent.offline import (
    Fault,
    MessagesServer,
    Reply,
    Script,
    UsageEvents,
    calls,
    empty,
    raw_block,
    raw_call,
    redacted,
    refuses,
    says,
    stalls,
    thinks,
)
from tests.agent.offline.asking import Got, Json, ask, body, stream


def served(reply: Reply | Fault, **fields: Any) -> Got:
    """What a stream of ``reply`` looks like to a client."""
    with MessagesServer(Script(reply)) as server:
        return stream(server, body(**fields))


def deltas(got: Got, field: str) -> list[str]:
    """The values of one field of all deltas."""
    found = [event["delta"] for event in got.events if event["type"] == "content_block_delta"]
    return [delta[field] for delta in found if field in delta]


def test_the_events_come_in_the_apis_order() -> None:
    """Start, ping, each block with its deltas, message_delta, stop; chunked, with nothing after it."""
    reply = thinks("hm") + redacted("x") + says("I'll look.") + calls("read", file_path="a.py")
    got = served(reply)
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert got.names == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_stop",
        *block,
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert got.headers["transfer-encoding"] == "chunked"
    assert got.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert got.whole


def test_blocks_start_empty_and_fill_up() -> None:
    """Text, thinking, signature and input come as deltas only; redacted thinking comes whole."""
    got = served(thinks("hm") + redacted("x") + says("I'll look.") + calls("read", file_path="a.py"))
    opened = [event["content_block"] for event in got.events if event["type"] == "content_block_start"]
    assert opened[0] == {"type": "thinking", "thinking": "", "signature": ""}
    assert opened[1]["type"] == "redacted_thinking"
    assert opened[1]["data"].startswith("x")
    assert opened[2] == {"type": "text", "text": ""}
    assert opened[3] == {"type": "tool_use", "id": "toolu_offline000001", "name": "read", "input": {}}
    assert deltas(got, "text") == ["I'll look."]
    assert deltas(got, "partial_json") == ["", '{"file_path"', ':"a.py"}']
    assert len(deltas(got, "signature")) == 1


def test_message_start_and_message_delta_share_the_usage() -> None:
    """The cache split is in message_start only; output is 1 there and cumulative in message_delta."""
    got = served(says("word " * 50))
    start, delta = got.events[0]["message"], got.events[-2]
    assert (start["content"], start["stop_reason"], start["role"]) == ([], None, "assistant")
    assert start["usage"]["output_tokens"] == 1
    assert set(start["usage"]["cache_creation"]) == {"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"}
    assert delta["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert "cache_creation" not in delta["usage"]
    assert delta["usage"]["input_tokens"] == start["usage"]["input_tokens"] > 0
    assert delta["usage"]["output_tokens"] > 50


@pytest.mark.parametrize(
    ("usage", "start", "ends"),
    [
        (
            {"input_tokens": 9, "cache_creation": {}, "output_tokens": 50},
            {"input_tokens": 9, "cache_creation": {}, "output_tokens": 1},
            [{"input_tokens": 9, "output_tokens": 50}],
        ),
        ({"input_tokens": None, "output_tokens": None}, {"input_tokens": None, "output_tokens": None}, None),
        (UsageEvents(start=None), "absent", ["absent"]),
        (UsageEvents(start={"output_tokens": 7}), {"output_tokens": 7}, ["absent"]),
        (
            UsageEvents(start={}, deltas=({"output_tokens": 20}, {"output_tokens": 50})),
            {},
            [{"output_tokens": 20}, {"output_tokens": 50}],
        ),
    ],
)
def test_usage_can_be_made_up(usage: Any, start: Any, ends: Any) -> None:
    """Given fields, null fields, none at all, only at the start, or at the end and twice."""
    got = served(says("x", usage=usage))
    found = [event.get("usage", "absent") for event in got.events if event["type"] == "message_delta"]
    assert got.events[0]["message"].get("usage", "absent") == start
    assert found == ([start] if ends is None else ends)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (says("x"), "end_turn"),
        (says("x") + calls("read"), "tool_use"),
        (calls("read").having(stop_reason="max_tokens"), "max_tokens"),
        (says("x", stop_reason="pause_turn"), "pause_turn"),
        (empty(), "end_turn"),
        (refuses(category="cyber"), "refusal"),
    ],
)
def test_the_stop_reason_follows_from_the_reply(reply: Reply, reason: str) -> None:
    """`tool_use` if there is a call, else `end_turn`, unless the script says another."""
    assert served(reply).events[-2]["delta"]["stop_reason"] == reason


def test_a_refusal_says_why() -> None:
    """HTTP 200 with details beside the stop reason."""
    got = served(refuses("I won't.", category="bio", explanation="no"))
    assert got.status == 200
    assert got.events[-2]["delta"]["stop_details"] == {
        "type": "refusal",
        "category": "bio",
        "explanation": "no",
    }


@pytest.mark.parametrize(
    "raw", ['{"file_path":"a.txt",,}', "[]", '"x"', "null", "", '{"content":"\\ud83d"}', "{"]
)
def test_a_tools_input_is_sent_as_the_script_has_it(raw: str) -> None:
    """Be it no JSON, no object, nothing, or half a pair."""
    assert "".join(deltas(served(raw_call("write", raw)), "partial_json")) == raw


def test_half_a_surrogate_pair_travels_as_an_escape() -> None:
    """In text and in a tool's input, without breaking the stream's own JSON."""
    got = served(says("a\ud83db") + calls("write", content="\ud83d"))
    assert "".join(deltas(got, "text")) == "a\ud83db"
    assert json.loads("".join(deltas(got, "partial_json"))) == {"content": "\ud83d"}
    assert rb"\ud83d" in got.raw


def test_f46_g_a_whole_emoji_can_be_split_over_two_deltas() -> None:
    """As two escapes, one a delta; without the flag a character stays whole."""
    halves = deltas(served(says("a😀b", chunk_chars=2, split_surrogates=True)), "text")
    assert halves == ["a\ud83d", "\ude00b"]
    assert deltas(served(says("a😀b", chunk_chars=1)), "text") == ["a", "😀", "b"]


def test_a_signature_can_come_in_several_deltas() -> None:
    """Together they are the signature."""
    whole = deltas(served(thinks("hm")), "signature")
    shares = deltas(served(thinks("hm", signature_deltas=3)), "signature")
    assert len(shares) == 3
    assert "".join(shares) == whole[0]


def test_other_blocks_come_whole() -> None:
    """A server tool's call and result stand in content_block_start."""
    block: Json = {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {"query": "x"},
    }
    got = served(raw_block(block))
    assert got.events[1]["content_block"] == block


@pytest.mark.parametrize(
    ("reply", "last", "chars"),
    [
        (says("half").then_cut(), "content_block_stop", "half"),
        (says("half an answer").cut_after(4), "content_block_delta", "half"),
        (calls("write", a=1).cut_after(0), "content_block_delta", ""),
        (calls("write", content="xxxx").cut_after(13), "content_block_delta", '{"content":"x'),
        (thinks("hm").cut_after(2), "content_block_delta", "hm"),
        ((says("x") + calls("write", a=1)).cut_after(3), "content_block_delta", 'x{"a'),
    ],
)
def test_a_connection_can_be_cut_anywhere(reply: Reply, last: str, chars: str) -> None:
    """Behind the last block or inside it; nothing follows and the body does not end as announced."""
    got = served(reply)
    sent = "".join(value for field in ("text", "thinking", "partial_json") for value in deltas(got, field))
    assert (got.names[-1], sent, got.whole) == (last, chars, False)
    assert deltas(got, "signature") == []


def test_a_stream_can_end_properly_but_too_early() -> None:
    """The body is whole, only message_stop is missing."""
    for reply in (says("half").then_cut(clean=True), says("half").cut_after(2, clean=True)):
        got = served(reply)
        assert got.whole
        assert "message_stop" not in got.names


def test_an_error_can_come_in_mid_stream() -> None:
    """HTTP 200, then an `error` event as the last one."""
    got = served(calls("read").then_error("overloaded_error"))
    assert got.status == 200
    assert got.names[-2:] == ["content_block_stop", "error"]
    assert got.events[-1]["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    inside = served(says("half an answer").then_error("api_error", "sorry", after_chars=4))
    assert inside.names[-2:] == ["content_block_delta", "error"]
    assert inside.events[-1]["error"] == {"type": "api_error", "message": "sorry"}


def test_delays_and_stalls_change_nothing_else() -> None:
    """The same events come, only later."""
    plain = says("a") + says("b")
    slow = says("a", delay_s=0.01, pace_s=0.01) + stalls(0.01) + says("b")
    assert served(slow).raw == served(plain).raw


def test_a_request_that_does_not_stream_gets_the_message() -> None:
    """Content, stop reason and the final usage in one object; ids count on."""
    with MessagesServer(Script(thinks("hm") + says("x") + calls("read", a=1), calls("read"))) as server:
        message = ask(server, body()).json
        assert [block["type"] for block in message["content"]] == ["thinking", "text", "tool_use"]
        assert message["content"][2]["input"] == {"a": 1}
        assert message["stop_reason"] == "tool_use"
        assert message["usage"]["output_tokens"] > 1
        again = ask(server, body()).json
        assert again["content"][0]["id"] != message["content"][2]["id"]
        assert again["id"] != message["id"]


def test_what_interrupts_a_stream_comes_instead_of_a_message() -> None:
    """An error gets its status, a cut closes the connection, a stall delays."""
    script = Script(
        says("x").then_error("overloaded_error"),
        says("x").then_error("strange_error"),
        says("x") + stalls(0.01),
        says("x").then_cut(),
    )
    with MessagesServer(script) as server:
        assert [ask(server, body()).status for _ in range(3)] == [529, 500, 200]
        with pytest.raises(ConnectionError):
            ask(server, body())


def test_prewarming_asks_no_model() -> None:
    """`max_tokens: 0` fills the cache, gets no content and uses up no reply."""
    with MessagesServer(Script(says("x"))) as server:
        warmed = ask(server, body(max_tokens=0)).json
        assert (warmed["content"], warmed["stop_reason"]) == ([], "max_tokens")
        assert ask(server, body()).json["content"][0]["text"] == "x"


def test_an_input_that_is_no_object_is_billed_like_any_other() -> None:
    """The honest usage of a call whose input is a list."""
    assert served(raw_call("write", "[1, 2]")).events[-2]["usage"]["output_tokens"] > 20
