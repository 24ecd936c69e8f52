"""What is kept behind a summary stays as it was, and the summary covers only what was cut."""

from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import tool_uses
from compaction.pairs import broken_pairs
from compaction.summary import plan_from_summary
from tests.support.histories import MODEL, Said, histories, view_of
from tests.support.summaries import SIZES, around, compacted, long_history, said_in


@given(histories(max_rounds=8), st.integers(1, 7))
def test_what_is_kept_stays_and_the_summary_covers_only_what_was_cut(said: list[Said], kept: int) -> None:
    """The newest messages stand as they were behind one user message; the archive holds the others and no more."""
    view = view_of(said)
    plan = plan_from_summary(view, SIZES, around(), None, kept_messages=kept)
    if plan is None:
        return
    after = view.copy()
    after.apply("r99", plan.changes)
    messages = after.messages("none", MODEL)
    gone = set(plan.changes[0]["ids"])

    assert messages[0]["role"] == "user"
    assert broken_pairs(messages) == []
    assert gone == {placed.id for placed in view} or len(messages) >= kept
    assert plan.receipt["where"].keys() <= gone
    tail = [placed.block for placed in view if placed.id not in gone]
    standing = [block for message in messages for block in message["content"]]
    stayed = [block for block in tail if block["type"] != "thinking"]
    assert standing[len(standing) - len(stayed) :] == stayed


def test_what_is_kept_is_no_open_round() -> None:
    """Results that stay with their calls are not repeated as text, and stay the last thing said."""
    view = long_history("r" * 8_000)
    plan = plan_from_summary(view, SIZES, around(), None, kept_messages=1)
    assert plan
    messages = compacted(view, plan)

    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert [call["id"] for call in tool_uses(messages[1]["content"])] == ["a", "b"]
    assert "Results of your last calls" not in said_in(messages)


def test_nothing_is_kept_where_it_would_not_fit() -> None:
    """A refused history must fit for sure: what is too large to stay goes with the rest."""
    view = long_history("r" * 400_000)
    plan = plan_from_summary(view, SIZES, around(trigger="reactive"), None, kept_messages=2)
    assert plan

    assert [message["role"] for message in compacted(view, plan)] == ["user"]
    assert plan.receipt["after"] <= SIZES.threshold
