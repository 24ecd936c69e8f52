"""The timeline: a compaction can be undone and made again; what was appended meanwhile stays."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import text
from compaction.timeline import Timeline
from compaction.view import Change, Origin
from tests.support.histories import HEAD, MODEL, Said, count, histories


def timeline_of(said: Sequence[Said]) -> Timeline:
    timeline = Timeline(HEAD, count)
    for number, message in enumerate(said, 1):
        origin = (
            Origin(model=MODEL, prefix_sha=timeline.view.prefix_sha) if message.role == "assistant" else None
        )
        timeline.append(f"r{number}", message.role, message.blocks, origin=origin, step=number)
    return timeline


def wire(timeline: Timeline) -> str:
    return json.dumps(timeline.view.messages("bound", MODEL))


def summarise(timeline: Timeline, record: str) -> None:
    ids = [placed.id for placed in timeline.view]
    timeline.apply(record, [Change(ids=ids, role="user", blocks=[text(f"summary {record}")])])


@given(histories(), st.integers(1, 10))
def test_undo_after_each_of_a_cascade_gives_back_the_exact_bytes(said: list[Said], number: int) -> None:
    """Undoing compactions one by one walks back through the very requests that stood before each of them."""
    timeline = timeline_of(said)
    before = []
    for index in range(number):
        before.append(wire(timeline))
        summarise(timeline, f"c{index}")
        timeline.append(f"p{index}", "user", [text(f"more {index}")], step=100 + index)

    for index in reversed(range(number)):
        timeline.undo(f"c{index}")
        expected = json.loads(before[index])
        shown = json.loads(wire(timeline))
        assert shown[: len(expected) - 1] == expected[:-1]
        assert shown[len(expected) - 1]["content"][: len(expected[-1]["content"])] == expected[-1][
            "content"
        ] or (expected[-1]["role"] == "assistant" and shown[len(expected) - 1] == expected[-1])
        assert f"more {index}" in json.dumps(shown)


@given(histories())
def test_redo_is_the_inverse_of_undo(said: list[Said]) -> None:
    """Undone and made again, the request is the same byte for byte, and the totals too."""
    timeline = timeline_of(said)
    original = wire(timeline)
    summarise(timeline, "c1")
    compacted, tokens = wire(timeline), timeline.view.tokens

    timeline.undo("c1")
    assert (wire(timeline), timeline.redoable) == (original, ["c1"])
    assert timeline.held == {placed.id for placed in timeline.view}
    timeline.redo("c1")

    assert (wire(timeline), timeline.view.tokens, timeline.redoable, timeline.held) == (
        compacted,
        tokens,
        [],
        frozenset(),
    )


def test_a_new_compaction_ends_what_can_be_made_again() -> None:
    """After another compaction the undone one has no place any more."""
    timeline = timeline_of([Said(role="user", blocks=[text("go")])])
    summarise(timeline, "c1")
    timeline.undo("c1")
    summarise(timeline, "c2")

    assert timeline.redoable == []


def test_a_compaction_on_which_another_builds_stays() -> None:
    """Only the newest can go: a later one changed what an earlier one brought."""
    timeline = timeline_of([Said(role="user", blocks=[text("go")])])
    summarise(timeline, "c1")
    summarise(timeline, "c2")

    with pytest.raises(ValueError, match=r"c1\.0"):
        timeline.without("c1")
    assert "summary c2" in wire(timeline)


def test_what_an_undo_brings_back_is_not_taken_for_cached() -> None:
    """The blocks behind the place of the undone change have to be written anew."""
    reply = [text("answer")]
    timeline = timeline_of(
        [Said(role="user", blocks=[text("go"), text("b")]), Said(role="assistant", blocks=reply)]
    )
    timeline.apply("c1", [Change(ids=["r1.1"], role="user", blocks=[text("short")])])
    timeline.append("r8", "user", [text("more")])
    timeline.append("r9", "assistant", [text("again")])
    assert timeline.view.sent == 4

    timeline.undo("c1")

    assert timeline.view.sent == 1
