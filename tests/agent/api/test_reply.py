"""Replies put together from events."""

from typing import Any

import pytest

from agent.api.reply import Reply, ReplyBuilder
from agent.api.reply_block import CallDelta, Delta, TextDelta, ThinkingDelta, parse_object
from tests.support.stream_events import Event, block_events, call, stream, text, thinking


def feed(events: list[Event]) -> tuple[ReplyBuilder, list[Delta]]:
    builder = ReplyBuilder()
    deltas = [builder.feed(event) for event in events]
    return builder, [delta for delta in deltas if delta]


def reply_of(*blocks: list[Event], **how: Any) -> Reply:
    return feed(stream(*blocks, **how))[0].reply()


def test_a_reply_in_wire_form() -> None:
    """Every block type comes out as it would be sent back."""
    redacted = {"type": "redacted_thinking", "data": "abc"}
    reply = reply_of(
        thinking(0, "Grüße ", " \n", signature=("s", "ig")),
        block_events(1, redacted),
        thinking(2),
        text(3, "a", "", "b"),
        call(4, "toolu_1", '{"a"', ": [1]}"),
        stop_reason="tool_use",
    )
    assert reply.content == [
        {"type": "thinking", "thinking": "Grüße  \n", "signature": "sig"},
        redacted,
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"type": "text", "text": "ab"},
        {"type": "tool_use", "id": "toolu_1", "name": "write", "input": {"a": [1]}},
    ]
    assert (reply.id, reply.model, reply.stop_reason) == ("msg_1", "m", "tool_use")
    assert (reply.malformed, reply.cut, reply.usage) == ({}, [], None)


def test_deltas_for_the_screen() -> None:
    """Text and thinking as they come; a call with its name and the characters so far."""
    _, deltas = feed(stream(thinking(0, "hm"), text(1, "a", "b"), call(2, "t", "{}", " ")))
    assert deltas == [
        ThinkingDelta("hm"),
        TextDelta("a"),
        TextDelta("b"),
        *(CallDelta(2, "write", chars) for chars in (0, 0, 2, 3)),
    ]


def test_a_start_that_brings_the_whole_block() -> None:
    """Servers that send text, thinking or input with the first event lose nothing."""
    reply = reply_of(
        block_events(0, {"type": "thinking", "thinking": "hm", "signature": "s"}),
        block_events(1, {"type": "text", "text": "whole", "citations": None}),
        block_events(
            2, {"type": "tool_use", "id": "t", "name": "read", "input": {"a": 1}, "caller": {"x": 1}}
        ),
    )
    assert reply.content == [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "whole"},
        {"type": "tool_use", "id": "t", "name": "read", "input": {"a": 1}, "caller": {"x": 1}},
    ]


def test_unknown_blocks_deltas_and_events_do_no_harm() -> None:
    """Unknown blocks are kept as received; unknown deltas, events and indexes are passed over."""
    odd = {"type": "server_gift", "payload": [1, {"a": None}]}
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    events = stream(
        block_events(0, odd, [{"type": "gift_delta", "x": 1}]),
        block_events(1, search, [{"type": "input_json_delta", "partial_json": '{"q":1}'}]),
        block_events(2, {}, [{"type": "text_delta", "text": "of no type"}]),
    )
    events.insert(
        3, {"type": "content_block_delta", "index": 99, "delta": {"type": "text_delta", "text": "x"}}
    )
    events.insert(3, {"type": "content_block_delta", "index": 0, "delta": None})
    events[3:3] = [{"type": "news"}, {"type": "content_block_stop", "index": 77}, {}]
    assert feed(events)[0].reply().content == [odd, {**search, "input": {"q": 1}}]


def test_citations_are_kept() -> None:
    """A text block carries its citations, those of the start and those of the deltas."""
    deltas: list[Event] = [
        {"type": "citations_delta", "citation": {"n": 2}},
        {"type": "text_delta", "text": "a"},
    ]
    start = {"type": "text", "text": "", "citations": [{"n": 1}]}
    assert reply_of(block_events(0, start, deltas)).content == [
        {"type": "text", "text": "a", "citations": [{"n": 1}, {"n": 2}]}
    ]


def test_blocks_that_share_an_index_are_two_blocks() -> None:
    """Some servers number every block 0."""
    reply = reply_of(text(0, "a"), text(0, "b"))
    assert [block["text"] for block in reply.content if block["type"] == "text"] == ["a", "b"]


def test_blank_text_and_trailing_thinking_are_left_out() -> None:
    """What a server would refuse in a history is not in the reply; thinking at the end takes all with it."""
    assert reply_of(text(0, "\n\n"), thinking(1, "a"), text(2, " x "), text(3)).content == [
        {"type": "thinking", "thinking": "a", "signature": "sig"},
        {"type": "text", "text": " x "},
    ]
    assert reply_of(thinking(1, "a"), text(2, " x "), text(3), thinking(4, "b")).content == [
        {"type": "text", "text": " x "}
    ]
    assert reply_of(thinking(0, "a"), text(1, " ")).content == []
    assert reply_of().content == []


def test_thinking_that_cannot_be_sent_takes_all_thinking_with_it() -> None:
    """No signature, or half a surrogate pair: thinking may go from a reply as a whole, not out of its middle."""
    good = thinking(0, "good")
    for bad in (
        thinking(1, "x", signature=()),
        thinking(1, "x\ud83d"),
        thinking(1, "x", signature=("\udc00",)),
    ):
        assert reply_of(good, bad, text(2, "a")).content == [{"type": "text", "text": "a"}]
    unreadable = block_events(1, {"type": "redacted_thinking"})
    assert reply_of(good, unreadable, text(2, "a")).content == [{"type": "text", "text": "a"}]


def test_f46_surrogates() -> None:
    """b, g: halves in two deltas are joined, also in thinking; lone ones become U+FFFD in text and inputs."""
    builder, deltas = feed(
        stream(
            thinking(0, "a\ud83d", "\ude42"),
            text(1, "x\ud83d", "\ude42y", "\ud83d", "z\ud83d"),
            call(2, "t", '{"k\\ud83d": ["\\ude42", "\\ud83d\\ude42", "\ud83d', '\ude42"]}'),
        )
    )
    content: list[Any] = builder.reply().content
    assert content[0]["thinking"] == "a🙂"
    assert content[1]["text"] == "x🙂y\ufffdz\ufffd"
    assert content[2]["input"] == {"k\ufffd": ["\ufffd", "🙂", "🙂"]}
    shown = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert shown == content[1]["text"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {}),
        ("  ", {}),
        ("{}", {}),
        ('{"a":1}', {"a": 1}),
        ('{"file_path":"a.txt",,}', None),
        ("[]", None),
        ('"x"', None),
        ("null", None),
        ('{"a": NaN}', None),
        ('{"a": [-1e999]}', None),
        ('{"a":' + "[" * 100_000, None),
        ('{"a":' + "1" * 5_000 + "}", None),
    ],
)
def test_f57_d_e_arguments(arguments: str, expected: dict[str, Any] | None) -> None:
    """What is no JSON object is malformed, its text kept, the input {}; no text at all means no arguments."""
    reply = reply_of(call(0, "toolu_1", arguments), stop_reason="tool_use")
    assert reply.malformed == ({} if expected is not None else {"toolu_1": arguments})
    assert reply.content == [{"type": "tool_use", "id": "toolu_1", "name": "write", "input": expected or {}}]
    assert reply.cut == []


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
@pytest.mark.parametrize(
    "arguments",
    ['{"file_path":"a.txt","content":"half', '{"file_path":"a.txt"', '{"command":"rm -rf build', ""],
)
def test_f57_a_b_h_i_a_cut_call_is_not_in_the_content(arguments: str, reason: str) -> None:
    """The last call of a reply that reached its limit is kept aside; the calls before it stay."""
    reply = reply_of(text(0, "so"), call(1, "t1", '{"a":1}'), call(2, "t2", arguments), stop_reason=reason)
    assert [block["type"] for block in reply.content] == ["text", "tool_use"]
    assert reply.cut == [{"id": "t2", "name": "write", "arguments": arguments}]
    assert reply.malformed == {}


def test_a_whole_call_at_the_limit_is_a_call() -> None:
    """`max_tokens` right behind complete arguments cuts nothing; nor does a malformed call further up."""
    reply = reply_of(call(0, "t0", "{"), call(1, "t1", "{}"), stop_reason="max_tokens")
    assert len(reply.content) == 2
    assert (reply.cut, reply.malformed) == ([], {"t0": "{"})
    whole = {"type": "tool_use", "id": "t", "name": "n", "input": {"a": 1}}
    assert reply_of(block_events(0, whole), stop_reason="max_tokens").content == [whole]


def test_thinking_before_a_cut_call_goes_too() -> None:
    """The message may not end with thinking."""
    assert reply_of(thinking(0, "a"), call(1, "t", '{"a'), stop_reason="max_tokens").content == []


def test_calls_beside_signed_thinking_that_is_lost_are_cut() -> None:
    """The server takes no answer to a call without the thinking before it; one that signs nothing does not care."""
    signed, unsigned = thinking(0, "a"), thinking(0, "a", signature=())
    last = thinking(2, "b", signature=())
    reply = reply_of(signed, call(1, "t", "{}"), last, stop_reason="max_tokens")
    assert reply.content == []
    assert reply.cut == [{"id": "t", "name": "write", "arguments": "{}"}]
    both = reply_of(
        signed, call(1, "t", "{}"), thinking(2, "b"), call(3, "u", '{"a'), stop_reason="max_tokens"
    )
    assert [cut["id"] for cut in both.cut] == ["t", "u"]
    kept = reply_of(unsigned, call(1, "t", "{}"), last)
    assert [block["type"] for block in kept.content] == ["tool_use"]
    assert kept.cut == []
    assert feed(stream(signed, call(1, "t", "{}"), thinking(2, "b")))[0].partial() == []


def test_a_call_without_id_or_name_has_empty_ones() -> None:
    """The loop gives it an id; nothing crashes."""
    reply = reply_of(block_events(0, {"type": "tool_use"}))
    assert reply.content == [{"type": "tool_use", "id": "", "name": "", "input": {}}]


def test_f49_usage() -> None:
    """The start is overwritten by what comes later; nulls and absent fields change nothing; none at all is None."""
    start = {
        "input_tokens": 100,
        "cache_read_input_tokens": None,
        "cache_creation": {"a": 5},
        "output_tokens": 1,
    }
    events = stream(usage={"output_tokens": 20, "input_tokens": None})
    events[0]["message"]["usage"] = start
    events.insert(-1, {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 50}})
    events.insert(-1, {"type": "message_delta", "delta": {"stop_reason": None}, "usage": None})
    reply = feed(events)[0].reply()
    assert reply.usage == {"input_tokens": 100, "cache_creation": {"a": 5}, "output_tokens": 50}
    assert reply.stop_reason == "end_turn"
    assert reply_of().usage is None
    assert reply_of(usage={"output_tokens": 3}).usage == {"output_tokens": 3}


def test_details_and_transformations() -> None:
    """Why a reply was refused, and what the server left out of the request."""
    events = stream(stop_reason="refusal", input_transformations=[{"type": "x"}])
    events[-2]["delta"]["stop_details"] = {"type": "refusal", "category": "bio"}
    reply = feed(events)[0].reply()
    assert reply.stop_details == {"type": "refusal", "category": "bio"}
    assert reply.input_transformations == [{"type": "x"}]


def test_partial_keeps_whole_blocks_and_the_text_so_far() -> None:
    """F41 f, F58 c, d: never unfinished thinking or calls, never thinking at the end, never blank text."""
    whole = [thinking(0, "a"), call(1, "t1", "{}")]

    def partial(*blocks: list[Event]) -> list[Any]:
        return feed(stream(*blocks)[:-2])[0].partial()

    kept = partial(*whole)
    assert [block["type"] for block in kept] == ["thinking", "tool_use"]
    assert partial(*whole, text(2, "so ", "far", is_open=True)) == [*kept, {"type": "text", "text": "so far"}]
    assert partial(*whole, text(2, " ", is_open=True)) == kept
    assert partial(*whole, call(2, "t2", '{"a":', is_open=True)) == kept
    assert partial(*whole, thinking(2, "b", signature=(), is_open=True)) == kept
    assert partial(*whole, thinking(2, "b")) == []
    assert ReplyBuilder().partial() == []


def test_there_is_no_reply_before_its_end() -> None:
    """Half a reply is never taken for a whole one."""
    builder, _ = feed(stream(text(0, "a"))[:-1])
    with pytest.raises(ValueError, match="has not ended"):
        builder.reply()
    assert builder.usage is None


def test_parse_object_takes_no_array() -> None:
    """Only objects are arguments."""
    assert parse_object("[1]") is None
