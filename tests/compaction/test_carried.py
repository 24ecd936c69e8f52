"""What a summary carries over: paths that lead somewhere, words that were let through whole, what nobody has read."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compaction.carried import NOTES, OPEN_ROUND
from compaction.messages import text
from compaction.policy import Sizes
from compaction.summary import plan_from_summary
from compaction.timeline import Timeline
from compaction.view import Change, View
from tests.support.histories import HEAD, Said, count, view_of
from tests.support.summaries import SIZES, around, compacted, long_history, said_in

THINKING: Any = {"type": "thinking", "thinking": "Hm.", "signature": "s"}


def asking(*said: str) -> View:
    """A history whose last reply thinks, says something and asks for a result that nobody has read."""
    words = [text(one) for one in said]
    use: Any = {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "cat big"}}
    result: Any = {"type": "tool_result", "tool_use_id": "a", "content": "result " * 12_000}
    return view_of(
        [
            Said(role="user", blocks=[text("fix the bug")]),
            Said(role="assistant", blocks=[THINKING, *words, use]),
            Said(role="user", blocks=[result]),
        ]
    )


def test_long_words_of_the_open_round_are_where_they_are_said_to_be() -> None:
    """Behind thinking, and in several texts: each that is shortened names the file that holds all of it."""
    said = ["first " * 16_000, "second " * 14_000]
    plan = plan_from_summary(asking(*said), SIZES, around(), "short")
    assert plan is not None
    files = {file.path: file.data.decode() for file in plan.files}
    shown = said_in(compacted(asking(*said), plan))
    named = [
        line.rpartition("`read` ")[2].rstrip("]") for line in shown.split("\n") if "left out; `read`" in line
    ]
    assert [files[path] for path in named[:2]] == said


def test_a_request_that_was_let_through_whole_stays_whole() -> None:
    """Not its characters count but its tokens: under a quarter of the threshold it stands word for word."""
    words = "w" * (SIZES.words * 4 - 100)
    view = long_history(said=30_000)
    plan = plan_from_summary(view, SIZES, around(active=[words]), "short")
    assert plan is not None
    assert words in said_in(compacted(view, plan))
    assert not any("request-1" in file.path for file in plan.files)


@given(
    st.lists(st.text(min_size=1, max_size=40_000), min_size=1, max_size=4), st.sampled_from([16_000, 60_000])
)
def test_what_hooks_told_is_carried_over_within_its_room(notes: list[str], window: int) -> None:
    """Short notes whole, before the open round; long ones with head and tail; the view still fits."""
    sizes = Sizes(window=window, max_output=64_000)
    view = long_history(said=30_000)
    plan = plan_from_summary(view, sizes, around(notes=notes), "short")
    assert plan is not None
    said = said_in(compacted(view, plan))
    assert said.index(NOTES) < said.index(OPEN_ROUND)
    assert all(note in said for note in notes if len(note) < 50)
    assert plan.receipt["after"] <= sizes.threshold


def test_nothing_is_held_that_has_left() -> None:
    """What an undo brought back and a later compaction took out holds automatic layers back no longer."""
    timeline = Timeline(HEAD, count)
    for name in ("one", "two"):
        timeline.append(name, "user", [text(name)])
    timeline.apply("c1", [Change(ids=["one.0"], role="user", blocks=[text("short")])])
    timeline.undo("c1")
    assert timeline.held == {"one.0"}
    timeline.apply("c2", [Change(ids=["one.0", "two.0"], role="user", blocks=[text("summary")])])
    assert timeline.held == frozenset()
