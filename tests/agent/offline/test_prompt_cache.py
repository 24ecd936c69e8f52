"""Usage is split as a prompt cache with marks, a lookback, lifetimes and a smallest size would split it."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from agent.offline import Bill, MessagesServer, Script, always, calls, says, stalls
from tests.agent.offline.asking import (
    Json,
    ask,
    assistant,
    body,
    call,
    image,
    result,
    stream,
    text,
    tool,
    user,
)
from tests.agent.offline.pictures_of import picture

LONG = "word " * 800
MARK: Json = {"type": "ephemeral"}
HOUR: Json = {"type": "ephemeral", "ttl": "1h"}


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Cached:
    """One server, its clock, and the bill of each request."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.server = MessagesServer(Script(always(says("ok"))), clock=self.clock)

    def bill(self, asked: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Bill:
        got = ask(self.server, asked, headers=headers)
        assert got.status == 200, got.raw
        bill = self.server.requests[-1].bill
        assert bill is not None
        usage = got.json["usage"]
        assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (bill.uncached, bill.read)
        assert usage["cache_creation_input_tokens"] == bill.written == sum(usage["cache_creation"].values())
        return bill


@pytest.fixture
def cached() -> Iterator[Cached]:
    cached = Cached()
    yield cached
    cached.server.close()


def marked(words: str = LONG, mark: Json = MARK) -> Json:
    return text(words, cache_control=mark)


def test_without_a_mark_nothing_is_cached(cached: Cached) -> None:
    """Twice the same request is paid twice."""
    for _ in range(2):
        bill = cached.bill(body(user(LONG)))
        assert (bill.read, bill.written) == (0, 0)
        assert bill.uncached > 1000


def test_a_mark_writes_and_the_next_request_reads(cached: Cached) -> None:
    """First written, then read; only what is new behind it is written or paid."""
    first = cached.bill(body(user(marked())))
    assert (first.uncached, first.read) == (0, 0)
    assert first.written == first.written_5m > 1000
    again = cached.bill(body(user(marked())))
    assert (again.uncached, again.read, again.written) == (0, first.written, 0)
    longer = cached.bill(body(user(text(LONG)), assistant("ok"), user(marked("more"), "and")))
    assert longer.read == first.written
    assert 0 < longer.written < 100
    assert 0 < longer.uncached < 100
    assert longer.total == longer.read + longer.written + longer.uncached


def test_the_automatic_mark_stands_on_the_last_block(cached: Cached) -> None:
    """A top-level cache_control caches the whole prompt."""
    assert cached.bill(body(user(LONG, "end"), cache_control=MARK)).uncached == 0
    assert cached.bill(body(user(LONG, "end"), assistant("ok"), user("go"), cache_control=MARK)).read > 1000


def test_what_is_too_small_is_not_cached(cached: Cached) -> None:
    """The smallest size is the model's: 512 tokens here, 4,096 there."""
    small = body(user(marked("word " * 20)))
    assert (cached.bill(small).written, cached.bill(small).read) == (0, 0)
    assert cached.bill(body(user(marked()), model="claude-haiku-4-5")).written == 0
    assert cached.bill(body(user(marked()), model="claude-opus-5")).written > 0


def test_entries_live_for_their_lifetime_and_a_read_renews_them(cached: Cached) -> None:
    """Five minutes or an hour, counted from the last request that used them."""
    asked = body(user(marked()))
    size = cached.bill(asked).written
    for _ in range(3):
        cached.clock.now_s += 299
        assert cached.bill(asked).read == size
    cached.clock.now_s += 300
    assert cached.bill(asked).written == size
    hour = body(user(marked(LONG + "x", HOUR)))
    bill = cached.bill(hour)
    assert (bill.written_1h, bill.written_5m) == (bill.written, 0)
    cached.clock.now_s += 3599
    assert cached.bill(hour).read == bill.written


def test_both_lifetimes_are_billed_apart(cached: Cached) -> None:
    """What lies before the hour's mark is written for an hour, the rest for five minutes."""
    asked = body(user(marked()), system=[marked(LONG, HOUR)])
    bill = cached.bill(asked)
    assert bill.written_1h > 1000
    assert bill.written_5m > 1000
    cached.clock.now_s += 600
    later = cached.bill(asked)
    assert (later.read, later.written_5m) == (bill.written_1h, bill.written_5m)


def test_models_do_not_share(cached: Cached) -> None:
    """Another model reads nothing."""
    cached.bill(body(user(marked())))
    assert cached.bill(body(user(marked()), model="claude-opus-4-8")).read == 0


def base(**changes: Any) -> Json:
    """A request with a mark on tools, system and messages each, all of them large enough."""
    fields: Json = {
        "tools": [tool("read", description=LONG, cache_control=MARK), tool("write")],
        "system": [marked()],
        **changes,
    }
    return body(user(marked()), **fields)


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({}, "all"),
        ({"max_tokens": 7}, "all"),
        ({"metadata": {"user_id": "x"}}, "all"),
        ({"thinking": {"type": "adaptive"}}, "system"),
        ({"output_config": {"effort": "low"}}, "system"),
        ({"tool_choice": {"type": "auto"}}, "system"),
        ({"tool_choice": {"type": "none"}}, "system"),
        ({"system": [marked(LONG + "x")]}, "tools"),
        ({"tools": [tool("read", description=LONG + "x", cache_control=MARK), tool("write")]}, "nothing"),
    ],
)
def test_a_change_invalidates_all_behind_it(cached: Cached, changes: Json, kept: str) -> None:
    """Tools: all; system: it and the messages; thinking, effort, tool choice: the messages."""
    whole = cached.bill(base()).written
    tools = cached.bill(base(system="x")).read
    system = cached.bill(base(output_config={"effort": "max"})).read
    assert 0 < tools < system < whole
    sizes = {"all": whole, "system": system, "tools": tools, "nothing": 0}
    assert cached.bill(base(**changes)).read == sizes[kept]


def test_an_image_more_or_less_invalidates_the_messages(cached: Cached) -> None:
    """Wherever it stands; the system prompt stays."""

    def asked(*more: Json) -> Json:
        return body(user(marked()), *more, system=[marked()])

    whole = cached.bill(asked()).written
    shot = [assistant(call("a")), user(result("a", [image(picture())]))]
    assert 0 < cached.bill(asked(*shot)).read < whole
    assert cached.bill(asked(*shot, assistant("ok"), user("go"))).read == whole


def test_the_lookback_ends_after_twenty_blocks(cached: Cached) -> None:
    """An entry 19 blocks before the mark is found, one 20 blocks before it is not."""

    def asked(between: int) -> Json:
        return body(user(text(LONG), *["x"] * between, marked("end")))

    size = cached.bill(body(user(marked()))).written
    assert cached.bill(asked(18)).read == size
    cached.clock.now_s += 1000
    size = cached.bill(body(user(marked()))).written
    assert cached.bill(asked(19)).read == 0


def test_neighbouring_results_count_as_one_block_of_the_lookback(cached: Cached) -> None:
    """A round of many calls does not push the last entry out of reach."""
    ids = [f"c{number}" for number in range(15)]
    round_ = [assistant(*[call(name) for name in ids]), user(*[result(name) for name in ids], marked("go"))]
    size = cached.bill(body(user(marked()))).written
    assert cached.bill(body(user(text(LONG)), *round_)).read == size


def test_a_mark_inside_what_was_read_makes_an_entry_for_nothing(cached: Cached) -> None:
    """A mark put on an earlier block keeps the part before it readable when what follows changes."""
    head = cached.bill(body(user(marked("head " * 500)))).written
    cached.clock.now_s += 1000
    cached.bill(body(user("head " * 500, marked())))
    again = cached.bill(body(user(marked("head " * 500), marked())))
    assert again.written == 0
    assert cached.bill(body(user(marked("head " * 500), "other"))).read == head


def test_marks_may_move_and_strings_may_become_blocks(cached: Cached) -> None:
    """Neither is a change of what the model reads."""
    size = cached.bill(body({"role": "user", "content": LONG}, cache_control=MARK)).written
    assert cached.bill(body(user(LONG), assistant("ok"), user(marked("go")))).read == size


def test_a_stream_carries_the_same_split() -> None:
    """message_start has the split, message_delta repeats its totals."""
    with MessagesServer(Script(stalls(0) + calls("read"))) as server:
        events = stream(server, body(user(marked()))).events
        usage, final = events[0]["message"]["usage"], events[-2]["usage"]
        assert (
            usage["cache_creation_input_tokens"] == usage["cache_creation"]["ephemeral_5m_input_tokens"] > 0
        )
        assert final["cache_creation_input_tokens"] == usage["cache_creation_input_tokens"]
