"""Events from bytes."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.api.sse import EventParser
from agent.errors import ServerFault


def parse(*chunks: bytes) -> list[dict[str, Any]]:
    parser = EventParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return [*events, *parser.close()]


def test_the_standard() -> None:
    """Comments, ids, a byte order mark, no blank behind the colon, data in several lines, names without data."""
    stream = b'\xef\xbb\xbfevent:a\ndata:{"x":\ndata: 1}\nid: 7\nretry\n\n: keep-alive\n\nevent: b\n\n'
    assert parse(stream) == [{"x": 1, "type": "a"}]


def test_the_type_in_the_data_counts() -> None:
    """The name stands in only where the data have no type; a bare `error` is one."""
    assert parse(b'event: a\ndata: {"type":"b"}\n\n') == [{"type": "b"}]
    assert parse(b'event: a\ndata: {"error":{}}\n\n') == [{"error": {}, "type": "error"}]
    assert parse(b'event: error\ndata: {"message":"x"}\n\n') == [{"message": "x", "type": "error"}]


def test_only_line_ends_end_lines() -> None:
    """U+2028, U+0085 and the like inside a string are text."""
    event = {"type": "a", "text": "x\u2028y\x85z\x0b\x0c\x1c"}
    assert parse(f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()) == [event]


def test_bytes_that_are_no_utf8_do_no_harm() -> None:
    """They arrive as lone surrogates, which the reply repairs."""
    assert parse(b'data: {"type":"a","x":"\xff"}\n\n') == [{"type": "a", "x": "\udcff"}]


@given(
    events=st.lists(st.fixed_dictionaries({"type": st.text(min_size=1), "x": st.text()}), max_size=4),
    ending=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    data=st.data(),
)
def test_cutting_makes_no_difference(
    events: list[dict[str, str]], ending: bytes, data: st.DataObject
) -> None:
    """Wherever the stream is cut into chunks, inside a character or a CRLF too, the events are the same."""
    payloads = [json.dumps(event, ensure_ascii=False).encode() for event in events]
    raw = b"".join(ending.join((b"event: e", b"data: " + payload, b"", b"")) for payload in payloads)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    chunks = [raw[start:end] for start, end in itertools.pairwise([0, *cuts, len(raw)])]
    assert parse(*chunks) == events


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_the_last_blank_line_may_be_missing(ending: bytes) -> None:
    """A whole line is an event at the end of the stream; half a line is not."""
    assert parse(b'data: {"type":"a"}' + ending) == [{"type": "a"}]
    assert parse(b'data: {"type":"a"}') == []
    assert parse(b'data: {"type":"a"}' + 2 * ending) == [{"type": "a"}]


@pytest.mark.parametrize("data", [b"{oops", b"[]", b"1", b"{}", b'{"type":1}', b"[" * 100_000])
def test_what_is_no_event_is_a_server_fault(data: bytes) -> None:
    """Not JSON, no object, no type."""
    with pytest.raises(ServerFault):
        parse(b"data: " + data + b"\n\n")


def test_the_head_is_kept_for_an_error_text() -> None:
    """The first 4,000 bytes, whatever they are."""
    parser = EventParser()
    for _ in range(3):
        assert list(parser.feed(b"<html>" * 500)) == []
    assert (parser.head, parser.has_events) == ((b"<html>" * 1500)[:4000], False)


def test_done_of_another_protocol_is_no_event() -> None:
    """`[DONE]` is passed over."""
    assert parse(b"data: [DONE]\n\n") == []


def test_a_line_of_many_chunks_is_joined_once() -> None:
    """20 MB without a line end, in chunks of 100 bytes: joined at each, this would take hours."""
    chunks = [b'data: {"type":"a","x":"', *[b"x" * 100] * 200_000, b'"}\n\n']
    assert len(parse(*chunks)[0]["x"]) == 20_000_000
