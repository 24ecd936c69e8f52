"""What holds for every reply, however it is cut into events."""

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.api.reply import Reply, ReplyBuilder
from agent.api.reply_block import TextDelta
from tests.support.stream_events import Event, call, over_the_wire, stream, text, thinking

ANY_TEXT = st.text(st.characters(codec=None), max_size=12)
"""With halves of surrogate pairs."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=5,
)
BLOCK = st.one_of(
    st.tuples(st.just("text"), ANY_TEXT),
    st.tuples(st.just("thinking"), ANY_TEXT),
    st.tuples(st.just("call"), st.dictionaries(ANY_TEXT, JSON, max_size=3).map(json.dumps) | ANY_TEXT),
)


def split(source: str, data: st.DataObject) -> list[str]:
    """Cut between UTF-16 units, as a server in JavaScript would."""
    units = source.encode("utf-16-le", "surrogatepass")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(units) // 2), max_size=4)))
    ends = [0, *(2 * cut for cut in cuts), len(units)]
    return [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in itertools.pairwise(ends)]


def events_of(blocks: list[tuple[str, str]], pieces: Any) -> list[Event]:
    built = []
    for index, (kind, source) in enumerate(blocks):
        if kind == "text":
            built.append(text(index, *pieces(source)))
        elif kind == "thinking":
            built.append(thinking(index, *pieces(source), signature=pieces("c2lnbmF0dXJl")))
        else:
            built.append(call(index, f"toolu_{index}", *pieces(source)))
    return [over_the_wire(event) for event in stream(*built, stop_reason="tool_use")]


def reply_of(events: list[Event]) -> tuple[Reply, str]:
    builder = ReplyBuilder()
    deltas = [builder.feed(event) for event in events]
    return builder.reply(), "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


@given(blocks=st.lists(BLOCK, max_size=5), data=st.data())
def test_any_splitting_gives_the_same_reply(blocks: list[tuple[str, str]], data: st.DataObject) -> None:
    """Where the deltas are cut, also inside a character, makes no difference, to the text on the screen neither."""
    whole = reply_of(events_of(blocks, lambda source: [source]))
    cut = reply_of(events_of(blocks, lambda source: split(source, data)))
    assert cut == whole


@given(blocks=st.lists(BLOCK, max_size=5), data=st.data())
def test_what_comes_out_can_be_sent(blocks: list[tuple[str, str]], data: st.DataObject) -> None:
    """UTF-8, no blank text, no unsigned thinking and none at the end, of the reply and of every stretch of it."""
    events = events_of(blocks, lambda source: split(source, data))
    broken = ReplyBuilder()
    for event in events[: data.draw(st.integers(0, len(events)))]:
        broken.feed(event)
    for content in (reply_of(events)[0].content, broken.partial()):
        json.dumps(content, ensure_ascii=False).encode()
        assert all(block["text"].strip() for block in content if block["type"] == "text")
        assert all(block["signature"] for block in content if block["type"] == "thinking")
        assert not content or content[-1]["type"] != "thinking"


@given(source=st.text(max_size=50), data=st.data())
def test_thinking_is_byte_for_byte(source: str, data: st.DataObject) -> None:
    """Whatever the text, thinking comes back as it was served."""
    events = events_of([("thinking", source), ("text", "x")], lambda piece: split(piece, data))
    block = reply_of(events)[0].content[0]
    assert block == {"type": "thinking", "thinking": source, "signature": "c2lnbmF0dXJl"}


def test_the_work_is_linear() -> None:
    """4 MB of arguments in 200,000 deltas: parsed or joined at each of them, this would take hours."""
    events = stream(call(0, "t", '{"a":"', *["x" * 20] * 200_000, '"}'))
    assert len(str(reply_of(events)[0].content)) > 4_000_000
