"""What a reply means for its turn."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.api.reply import Reply
from agent.endings import (
    CUT_CALL,
    CUT_TEXT,
    CUT_WINDOW,
    EMPTY,
    MAX_CONTINUATIONS,
    MAX_PAUSES,
    MAX_REPEATS,
    Endings,
    Verdict,
)
from compaction.messages import Block, text

CALL: Block = {"type": "tool_use", "id": "call_1", "name": "bash", "input": {"command": "ls"}}
CUT: list[dict[str, str]] = [{"id": "call_1", "name": "write", "arguments": '{"f'}]


def reply(*content: Block, reason: str | None = "end_turn", **fields: Any) -> Reply:
    """A reply."""
    whole = Reply(
        id="msg",
        model="m",
        content=list(content),
        stop_reason=reason,
        stop_details=None,
        usage=None,
        malformed={},
        cut=[],
        input_transformations=[],
    )
    return replace(whole, **fields)


def judge(endings: Endings, one: Reply, *, has_run: bool = True) -> Verdict:
    """The verdict."""
    return endings.judge(one, has_run=has_run)


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (reply(text("Done.")), Verdict(end="done")),
        (reply(text("Done."), reason="stop_sequence"), Verdict(end="done")),
        (
            reply(text("x"), reason="odd"),
            Verdict(end="done", problem="the model stopped for an unknown reason: odd"),
        ),
        (reply(CALL, reason="end_turn"), Verdict()),
        (reply(CALL, reason="pause_turn"), Verdict()),
        (reply(text("x"), reason="pause_turn"), Verdict()),
        (reply(reason="pause_turn"), Verdict(note=EMPTY)),
        (reply(text("x"), reason="max_tokens"), Verdict(note=CUT_TEXT)),
        (reply(text("x"), reason="model_context_window_exceeded"), Verdict(note=CUT_WINDOW)),
        (reply(CALL, reason="max_tokens"), Verdict()),
        (reply(CALL, reason="max_tokens", cut=CUT), Verdict(note=CUT_CALL.format(names="write"))),
        (reply(reason="max_tokens", cut=CUT), Verdict(note=CUT_CALL.format(names="write"))),
        (reply(), Verdict(note=EMPTY)),
    ],
)
def test_the_first_reply(one: Reply, verdict: Verdict) -> None:
    """Calls decide, then cuts and pauses, then the text."""
    assert judge(Endings(), one) == verdict


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        (None, "the model declined to answer"),
        ({"category": None, "explanation": None}, "the model declined to answer"),
        ({"category": "bio"}, "the model declined to answer (bio)"),
        ({"category": "bio", "explanation": "Why."}, "the model declined to answer (bio): Why."),
        ({"explanation": "Why."}, "the model declined to answer: Why."),
    ],
)
def test_refusals(details: Any, problem: str) -> None:
    """A refusal ends the turn also with calls in it, with what was said of it."""
    one = reply(CALL, reason="refusal", stop_details=details)
    assert judge(Endings(), one) == Verdict(end="refused", problem=problem)


@pytest.mark.parametrize(
    ("one", "has_run", "bound", "end"),
    [
        (reply(text("x"), reason="max_tokens"), True, MAX_CONTINUATIONS, "error"),
        (reply(text("x"), reason="pause_turn"), True, MAX_PAUSES, "error"),
        (reply(), True, 1, "empty"),
        (reply(CALL), False, MAX_REPEATS, "error"),
    ],
)
def test_what_repeats_is_bounded(one: Reply, has_run: bool, bound: int, end: str) -> None:
    """So often the turn goes on, and not once more; the message says what to do."""
    endings = Endings()
    verdicts = [judge(endings, one, has_run=has_run) for _ in range(bound + 1)]
    assert [verdict.end for verdict in verdicts] == [None] * bound + [end]
    assert verdicts[-1].problem


def test_the_limit_is_raised_by_the_first_cut() -> None:
    """And stays so for the turn."""
    endings = Endings()
    judge(endings, reply(CALL))
    assert not endings.is_limit_raised
    judge(endings, reply(reason="max_tokens", cut=CUT))
    judge(endings, reply(CALL))
    assert endings.is_limit_raised


def test_calls_that_could_not_be_run() -> None:
    """Counted while they come again just the same; another call, or one that ran, starts anew."""
    endings = Endings()
    other: Block = {"type": "tool_use", "id": "call_2", "name": "bash", "input": {"command": "pwd"}}
    for one, has_run in [
        (CALL, False),
        (CALL, False),
        (CALL, False),
        (other, False),
        (CALL, False),
        (CALL, True),
    ] * 3:
        assert judge(endings, reply(one), has_run=has_run).end is None
    bad = reply(CALL, malformed={"call_1": "{"})
    assert all(judge(endings, bad, has_run=False).end is None for _ in range(MAX_REPEATS))
    worse = reply(CALL, malformed={"call_1": "{{"})
    assert judge(endings, worse, has_run=False).end is None


REPLIES = st.builds(
    reply,
    st.sampled_from([CALL, text("x"), text(" ")]),
    reason=st.sampled_from(["end_turn", "max_tokens", "pause_turn", "refusal", "odd", None]),
    cut=st.sampled_from([[], CUT]),
)


@given(st.lists(st.tuples(REPLIES, st.booleans()), min_size=1))
def test_a_turn_without_calls_that_run_ends(replies: list[tuple[Reply, bool]]) -> None:
    """Whatever comes, one thing is said: the end, or a note, or neither; never both."""
    endings = Endings()
    for one, has_run in replies:
        verdict = judge(endings, one, has_run=has_run)
        assert not (verdict.end and verdict.note)
        assert not (verdict.problem and not verdict.end)


def test_an_answer_in_pieces_is_one_text() -> None:
    """What was cut at a limit is gone on with letter by letter; what came before other work, or a pause, is not."""
    endings = Endings()
    assert judge(endings, reply(text("The bugs are: 1. fo"), reason="max_tokens")).note == CUT_TEXT
    assert endings.text == "The bugs are: 1. fo"
    assert judge(endings, reply(text("o 2. "), reason="model_context_window_exceeded")).note == CUT_WINDOW
    assert judge(endings, reply(text("bar"))).end == "done"
    assert endings.text == "The bugs are: 1. foo 2. bar"
    judge(endings, reply(text("I search."), reason="pause_turn"))
    judge(endings, reply(text("I look."), CALL, reason="tool_use"))
    assert judge(endings, reply(text("Done."))).end == "done"
    assert endings.text == "Done."
    assert judge(endings, reply(text("I write."), cut=CUT)).note == CUT_CALL.format(names="write")
    judge(endings, reply(text("Done.")))
    assert endings.text == "Done."
