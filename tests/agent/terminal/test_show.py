"""What the loop's events become on the screen."""

import pytest

from agent import events as ev
from agent.terminal.pending import CHARS_A_TOKEN, Pending
from agent.terminal.show import PROMPT_LINES
from compaction.messages import text
from tests.support.agent import FakeClock
from tests.support.seen import Seen, call, finished, reply

RECEIPT = {"layer": "summary", "before": 9_000, "after": 4_000}


@pytest.fixture
def seen() -> Seen:
    return Seen()


def test_an_answer_is_committed_block_by_block(seen: Seen) -> None:
    """What is finished stands above once; what is not, below."""
    assert (
        seen(ev.TurnStarted(turn=1, prompt="hi\nyou"), ev.TextDelta("One.\n\nTw")) == "> hi\n  you\n\nOne.\n"
    )
    assert seen.tail() == ["Tw"]
    assert seen(ev.TextDelta("o."), reply()) == "> hi\n  you\n\nOne.\n\nTwo.\n"
    assert seen.tail() == []


def test_a_broken_reply_is_void(seen: Seen) -> None:
    """Nothing is said of what only stood below; of what stands above for good it is."""
    assert seen(ev.TextDelta("Half"), ev.ReplyDiscarded()) == ""
    assert seen.tail() == []
    above = seen(ev.TextDelta("One.\n\nTwo"), ev.ReplyDiscarded())
    assert above == "One.\n\nthe reply broke off; what stands above of it does not count\n"
    assert seen.tail() == []


def test_cards_stand_in_call_order(seen: Seen) -> None:
    """A call that is finished before an earlier one waits for it, in its place; nothing else is between them."""
    seen(*(ev.CallStarted(call=call(id_)) for id_ in ("a", "b", "c")))
    assert seen(finished("b")) == ""
    assert seen.activity() == ["◐ bash  a", "● bash  b  done", "◐ bash  c"]
    assert seen(finished("a")) == "● bash  a  done\n● bash  b  done\n"
    seen(ev.TurnEnded(reason="interrupted", text=""))
    assert seen.activity() == []


def test_a_call_that_ends_before_an_earlier_one_has_started_waits_for_it(seen: Seen) -> None:
    """It was refused while the user was asked about the other one."""
    seen(reply(call("a"), call("b")), finished("b"))
    assert not seen.show.activity.is_busy
    assert seen.activity() == ["● bash  b  done"]
    seen(ev.CallStarted(call=call("a")))
    assert seen.activity() == ["◐ bash  a", "● bash  b  done"]
    assert seen(finished("a")) == "● bash  a  done\n● bash  b  done\n"


def test_an_interrupt_leaves_the_cards_that_waited(seen: Seen) -> None:
    """And says that it was one; a problem is told in its own words."""
    seen(ev.CallStarted(call=call("a")), ev.CallStarted(call=call("b")), finished("b"))
    assert seen(ev.TurnEnded(reason="interrupted", text="")).endswith("● bash  b  done\n\ninterrupted\n")
    assert seen(ev.TurnEnded(reason="error", text="", problem="no key")).endswith("no key\n")


def test_a_running_call_moves(seen: Seen) -> None:
    """Elapsed time and its last line of output."""
    seen(ev.CallStarted(call=call("a")))
    seen.clock.now += 12
    seen(ev.CallProgress(call_id="a", text="one\ntwo\n"), ev.CallProgress(call_id="a", text="\n"))
    seen(ev.CallProgress(call_id="nobody", text="x"))
    assert seen.activity() == ["◐ bash  a  12 s · two"]
    assert seen.show.activity.is_busy


def test_what_the_model_does(seen: Seen) -> None:
    """Waiting, thinking in at most three lines, writing a call, waiting for the next try."""
    seen(ev.StepStarted(step=1, size=1, is_estimate=True))
    assert seen.activity() == ["◐ waiting for the model"]
    seen.clock.now += 3
    assert seen.activity() == ["◐ waiting for the model · 3.0 s"]
    seen(ev.ThinkingDelta("\n".join(f"thought {number}" for number in range(9))))
    assert seen.activity() == ["◐ thinking"]
    assert seen.tail() == ["thought 6", "thought 7", "thought 8"]
    seen(ev.CallDelta(index=1, name="write", chars=10))
    assert seen.activity() == ["◐ writing a call of write"]
    seen(ev.RetryWaiting(attempt=2, delay_s=30, problem="overloaded"))
    assert seen.activity() == ["◐ again in 30 s · Esc stops · overloaded (try 2)"]


def test_thinking_is_kept_where_the_user_wants_it(seen: Seen) -> None:
    """Whole, once, before what follows; what was said before it is a text of its own."""
    seen.show.thoughts.is_kept = True
    long = "\n".join(f"thought {number}" for number in range(900))
    seen(ev.ThinkingDelta(long[:4_000]), ev.ThinkingDelta(long[4_000:]))
    assert seen.tail() == ["thought 897", "thought 898", "thought 899"]
    seen(ev.TextDelta("One."), ev.ThinkingDelta("Again."), ev.TextDelta("Two."))
    assert seen(reply()) == f"thinking: {long}\n\nOne.\n\nthinking: Again.\n\nTwo.\n"


def test_thinking_that_is_void_is_told_so(seen: Seen) -> None:
    """Where it stands above; else nothing need be said."""
    assert seen(ev.ThinkingDelta("Hm."), ev.ReplyDiscarded(), reply()) == ""
    seen.show.thoughts.is_kept = True
    above = seen(ev.ThinkingDelta("Hm."), ev.TextDelta("Half"), ev.ReplyDiscarded())
    assert above == "thinking: Hm.\n\nthe reply broke off; what stands above of it does not count\n"


def test_a_subagent_shows_its_last_two_calls(seen: Seen) -> None:
    """Steps, size and cost beside what it is about; several stand in the order of their calls."""
    work = {"steps": 14, "size": 31_000, "usd": 0.041, "is_known": True}

    def inner(id_: str, event: ev.Event) -> ev.FromSubagent:
        return ev.FromSubagent(agent=f"task-{id_}", call=id_, event=event, work=work)

    asked = [call(id_, "task", description=f"look at {id_}", prompt="look") for id_ in ("a", "b")]
    asked[0]["input"]["agent_type"] = "explore"
    seen(reply(*asked), *(ev.CallStarted(call=one) for one in reversed(asked)))
    seen(inner("b", ev.TextDelta("quiet")), inner("nobody", ev.TextDelta("quiet")))
    seen(*(inner("a", ev.CallStarted(call=call(id_))) for id_ in ("one", "two", "three")))
    seen.clock.now += 12
    assert seen.activity() == [
        "◐ task  explore: look at a  14 steps · 31k · $0.04 · 12 s",
        "    bash: two",
        "    bash: three",
        "◐ task  look at b  14 steps · 31k · $0.04 · 12 s",
    ]


def test_a_long_paste_is_shown_in_part(seen: Seen) -> None:
    """Its head, and how much more there is."""
    shown = seen(ev.TurnStarted(turn=1, prompt="\n".join(str(number) for number in range(500))))
    assert len(shown.splitlines()) == PROMPT_LINES + 1
    assert shown.endswith(f"… {500 - PROMPT_LINES} more lines\n")


def test_steering_stands_where_the_model_hears_it(seen: Seen) -> None:
    """The user's own words, and nothing that is ours."""
    shown = seen(ev.ResultsSent(content=[text("faster"), text("a note")], said=["faster"]))
    assert shown == "> faster\n"


def test_notices_and_compactions(seen: Seen) -> None:
    """A line each."""
    shown = seen(
        ev.Notice(text="odd\x1b[2J"), ev.Compacted(record={"receipt": RECEIPT}), ev.ResultsSent(content=())
    )
    assert shown == "odd\\x1b[2J\n\n⟲ summary · 9k → 4k · /compact undo\n"


def test_pending_counts_what_is_not_in_the_history_yet() -> None:
    """Text, thinking, a call's arguments and results count; what brings them into the history, or voids them, ends it."""
    pending = Pending(FakeClock())
    for ending in (
        reply(),
        ev.ReplyDiscarded(),
        ev.ResultsSent(content=()),
        ev.TurnEnded(reason="done", text=""),
    ):
        for event in (
            ev.TextDelta("x" * 35),
            ev.ThinkingDelta("x" * 35),
            ev.CallDelta(index=1, name="bash", chars=20),
            ev.CallDelta(index=1, name="bash", chars=35),
            finished("a", "x" * 35),
            ev.StepStarted(step=1, size=1, is_estimate=False),
        ):
            pending.take(event)
        assert pending.tokens == round(4 * 35 / CHARS_A_TOKEN)
        pending.take(ending)
        assert pending.tokens == 0


def test_pending_remembers_the_last_compaction() -> None:
    """Until another session is open."""
    pending = Pending(FakeClock(now=5, step_s=0.0))
    pending.take(ev.Compacted(record={"receipt": RECEIPT}))
    assert pending.last_compaction == (5, RECEIPT)
    pending.take(ev.TextDelta("x" * 35))
    pending.forget()
    assert (pending.last_compaction, pending.tokens) == (None, 0)
