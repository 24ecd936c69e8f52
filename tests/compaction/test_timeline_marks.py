"""Marks of a timeline: whatever happened since, it stands again as it stood at the mark."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import text
from compaction.timeline import Timeline

DEEDS = st.lists(
    st.tuples(st.sampled_from(["append", "compact", "undo", "redo", "mark", "back"]), st.integers(0, 5)),
    max_size=40,
)


def facts(timeline: Timeline) -> Any:
    view = timeline.view
    placed = [(one.id, one.role, one.block, one.step) for one in view]
    totals = (view.tokens, view.prefix_sha, len(view.history.touched))
    return placed, totals, list(timeline.redoable), timeline.held


def do(timeline: Timeline, deed: str, number: int, which: int) -> None:
    """Do one thing, if it can be done now."""
    placed = [one.id for one in timeline.view]
    standing = [
        record for record, _ in timeline.mark().operations if record and record not in timeline.redoable
    ]
    if deed == "append":
        timeline.append(f"r{number}", "user", [text(f"words {number}")], step=number)
    elif deed == "compact" and placed:
        gone = placed[: 1 + which]
        timeline.apply(f"r{number}", [{"ids": gone, "role": "user", "blocks": [text(f"short {number}")]}])
    elif deed == "undo" and standing and any(one.startswith(f"{standing[-1]}.") for one in placed):
        timeline.undo(standing[-1])
    elif deed == "redo" and timeline.redoable:
        timeline.redo(timeline.redoable[-1])


@given(DEEDS)
def test_it_stands_as_it_stood(deeds: list[tuple[str, int]]) -> None:
    """For every sequence of appends, compactions, undos and redos, and ways back to any mark, also an abandoned one."""
    timeline = Timeline("head", lambda block: len(str(block)))
    marks = [(timeline.mark(), facts(timeline))]
    for number, (deed, which) in enumerate(deeds):
        if deed == "mark":
            marks.append((timeline.mark(), facts(timeline)))
        elif deed == "back":
            mark, before = marks[which % len(marks)]
            timeline.go_back(mark)
            assert facts(timeline) == before
        else:
            do(timeline, deed, number, which)
    for mark, before in marks:
        timeline.go_back(mark)
        assert facts(timeline) == before
