"""What is shown of a subagent while it works: what it has come to, and its last two lines."""

from collections.abc import Mapping
from typing import Any

import pytest
from rich.cells import cell_len

from agent import events as ev
from agent.terminal.nested import Nested
from compaction.messages import ToolUseBlock, text, tool_result
from tests.support.seen import Seen, call, reply

WORK = {"steps": 14, "size": 31_000, "usd": 0.041, "is_known": True}
RECEIPT = {"layer": "summary", "before": 41_000, "after": 12_000}


@pytest.fixture
def seen() -> Seen:
    return Seen()


def inner(event: ev.Event, of: str = "a", work: Mapping[str, Any] = WORK) -> ev.FromSubagent:
    """An event of the subagent that works for a call."""
    return ev.FromSubagent(agent="task-001", call=of, event=event, work=work)


def ended(one: ToolUseBlock, **facts: Any) -> ev.CallFinished:
    """The end of a call that went well."""
    return ev.CallFinished(call=one, result=tool_result(one["id"], "x"), facts=facts)


def after(*events: ev.Event) -> tuple[str, ...]:
    """The lines after these events of one subagent."""
    nested = Nested()
    for event in events:
        nested.take(inner(event))
    return tuple(" · ".join(filter(None, did)) for did in nested.lines)


def test_it_says_what_it_said_wants_and_did() -> None:
    """A call waits until it runs, which may be until the user has answered; then what came of it stands behind it."""
    look, run = call("one"), call("two")
    assert after(reply(text("I look.\nThen more."), look)) == ("I look. Then more.", "bash: one · waits")
    assert after(reply(look, run), ev.CallStarted(call=look)) == ("bash: one", "bash: two · waits")
    lines = after(reply(look, run), ev.CallStarted(call=look), ended(look, note="exit 1", duration_s=3.2))
    assert lines == ("bash: one · exit 1 · 3.2 s", "bash: two · waits")
    assert after(reply(look), ended(look, note="2 lines", duration_s=0.2)) == ("bash: one · 2 lines",)


def test_what_it_waits_for_does_not_last() -> None:
    """A pause before the next try, a summary that is written: gone with the next step."""
    retry = ev.RetryWaiting(attempt=1, delay_s=5.0, problem="overloaded")
    assert after(reply(call("one")), retry)[-1] == "overloaded; try 2 in 5.0 s"
    assert after(retry, ev.StepStarted(step=2, size=1, is_estimate=False)) == ()
    assert after(ev.SummaryStarted(trigger="auto")) == ("writing a summary",)


def test_a_compaction_stands_on_its_own_line(seen: Seen) -> None:
    """It is the subagent's: no line of ours above, and nothing that could be undone."""
    task = call("a", "task", description="look", prompt="look")
    above = seen(reply(task), ev.CallStarted(call=task), inner(ev.Compacted(record={"receipt": RECEIPT})))
    assert above == ""
    assert seen.activity() == [
        "◐ task  look  14 steps · 31k · $0.04",
        "    ⟲ summary · 41k → 12k",
    ]


@pytest.mark.parametrize("width", [24, 40, 80, 160])
def test_four_take_three_rows_each_at_most(seen: Seen, width: int) -> None:
    """However much they do, and whatever stands in it: no row is wider than the screen, none is added."""
    tasks = [call(id_, "task", description=f"{id_} " * 60, prompt="look") for id_ in ("a", "b", "c", "d")]
    seen(reply(*tasks), *(ev.CallStarted(call=one) for one in tasks))
    for number in range(60):
        for task in tasks:
            one = call(f"{number}\x1b[2J\u202e" + "漢" * 200)
            seen(
                inner(reply(text("so " * 200), one), task["id"]), inner(ev.CallStarted(call=one), task["id"])
            )
            rows = seen.show.activity.lines(width)
            assert len(rows) <= 12
    shown = seen.activity(width)
    assert len(shown) == 12
    assert all(cell_len(row) <= width for row in shown)
    assert "\x1b" not in "".join(shown)


def test_many_are_counted(seen: Seen) -> None:
    """Those that wait for their turn, and those that have ended behind one that has not."""
    tasks = [call(f"t{number}", "task", description=f"part {number}", prompt="p") for number in range(9)]
    seen(reply(*tasks), *(ev.CallStarted(call=one) for one in tasks[:4]))
    assert seen.activity()[-1] == "  5 more tasks to come"
    seen(*(ended(one, note="x", work=WORK) for one in tasks[1:4]))
    assert [row[0] for row in seen.activity()] == ["◐", "●", "●", "●", " "]
    seen(*(ev.CallStarted(call=one) for one in tasks[4:]), *(ended(one, work=WORK) for one in tasks[4:7]))
    assert [row.strip() for row in seen.activity()] == [
        "◐ task  part 0",
        "◐ task  part 7",
        "◐ task  part 8",
        "6 calls behind it ended",
    ]


def test_where_it_is_narrow_what_it_is_for_has_the_room(seen: Seen) -> None:
    """Steps and size stay; cost and time, which the bar has, do not."""
    task = call("a", "task", description="where is VAT configured", prompt="look")
    seen(reply(task), ev.CallStarted(call=task), inner(ev.StepStarted(step=1, size=1, is_estimate=False)))
    seen.clock.now += 12
    assert seen.activity(40) == ["◐ task  where is VAT co…  14 steps · 31k"]


def test_a_notice_stands_above_under_its_name(seen: Seen) -> None:
    """What the user should know does not go with the row of the subagent that it is about."""
    task = call("a", "task", description="look", prompt="look")
    seen(reply(task), ev.CallStarted(call=task))
    above = seen(inner(ev.Notice(text="big.bin is not kept for /rewind", is_error=True)))
    assert above == "task-001: big.bin is not kept for /rewind\n"


def test_what_came_of_it_is_not_pushed_out(seen: Seen) -> None:
    """A long command is cut, its exit code is not."""
    task, run = call("a", "task", description="look", prompt="look"), call("pytest -q " * 30)
    seen(
        reply(task),
        ev.CallStarted(call=task),
        inner(ev.CallStarted(call=run)),
        inner(ended(run, note="exit 1")),
    )
    assert seen.activity(40)[1] == "    bash: pytest -q pytest -q … · exit 1"
