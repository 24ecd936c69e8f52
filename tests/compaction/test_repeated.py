"""Output that stands in the view already is not sent a second time: a line says where it stands, and where it is kept."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.balanced import BalancedCut
from compaction.policy import Sizes
from compaction.repeated import MIN_CHARS, repeated_output, repetitions
from compaction.view import View
from tests.support.layers import SPILLS, add, answered, applied, called, lost, situation, standing, stepped
from tools.limits import find_marks

LONG = "all is as it was\n" * 200


def twice(first: Any = LONG, second: Any = LONG, *, name: str = "bash", **more: Any) -> View:
    """A view in which a command was run at step 1, and again at step 2: that output was not sent yet."""
    view = stepped(0)
    add(view, 1, (called("c1", name, command="make check"), answered("c1", first)))
    add(view, 2, (called("c2", name, command="make check"), answered("c2", second, **more)))
    return view


def test_line_stands_for_output_that_came_again() -> None:
    """It names the call that gave the same, the step, and the file with all of it."""
    view = twice()
    plan = repeated_output(view, situation(view))
    assert plan is not None
    assert (plan.layer, plan.receipt["cause"]) == ("budget", "repeat")
    assert [(file.path, file.data) for file in plan.files] == [(f"{SPILLS}/2-0-bash.txt", LONG.encode())]
    after = applied(view, plan)
    assert standing(after) == {
        "c1": LONG,
        "c2": f"[[kept: 2-0-bash · same as 1-0-bash · {len(LONG)} characters · 201 lines · read {SPILLS}/2-0-bash.txt]]\n"
        "The same output as `make check` gave above, at step 1.",
    }
    assert find_marks(str(standing(after)["c2"])) == ["2-0-bash"]
    assert lost(view, plan) == []
    assert repeated_output(after, situation(after)) is None


@pytest.mark.parametrize(
    "view",
    [
        twice(LONG[: MIN_CHARS - 1], LONG[: MIN_CHARS - 1]),
        twice(LONG, f"{LONG}!"),
        twice(LONG, LONG, is_error=True),
        twice([{"type": "text", "text": LONG}], LONG),
        twice(name="read"),
    ],
    ids=["short", "other", "failed", "parts", "read"],
)
def test_other_output_stays(view: View) -> None:
    """Short or different output, another outcome, and what a tool of another kind showed go whole."""
    assert repeated_output(view, situation(view)) is None


def test_output_of_one_batch_stays() -> None:
    """Neither of two results that came together has been seen."""
    view = stepped(0)
    add(view, 1, (called("c1"), answered("c1", LONG)), (called("c2"), answered("c2", LONG)))
    assert repeated_output(view, situation(view)) is None


def test_nothing_is_shortened_over_the_threshold() -> None:
    """What stands now may leave with the next layer, before the model has looked."""
    view = twice()
    now = situation(view, sizes=Sizes(window=view.tokens, max_output=8_000))
    assert repeated_output(view, now) is None


def test_output_that_was_shortened_does_not_stand() -> None:
    """Only what is whole in the view counts: a preview, or a line that looks like ours, is no output."""
    view = twice()
    result = next(placed for placed in view if placed.block["type"] == "tool_result")
    cut: Any = {**result.block, "content": "[[kept: 1-0-bash · 3400 characters · read x]]"}
    view.apply("r500", [{"ids": [result.id], "role": "user", "blocks": [cut]}])
    view.sent = len(view) - 1
    assert repeated_output(view, situation(view)) is None


def test_tool_that_kept_its_output_itself() -> None:
    """Its file stands in the output already, which is a part of all."""
    view = twice()
    assert repeated_output(view, situation(view, kept={"c2": "elsewhere"})) is None


def test_output_that_came_again_is_as_young_as_its_line() -> None:
    """The line refers to it: it stands as long as the new output would have stood."""
    view = twice()
    plan = repeated_output(view, situation(view))
    assert plan is not None
    after = applied(view, plan)
    assert repetitions(after) == {(1, 0): 2}
    add(after, 3, (called("c3"), answered("c3", "short")))
    cut = BalancedCut()
    eager = BalancedCut(constants=replace(cut.constants, margin=0))
    for step, stands in ((4, True), (5, False)):
        made = eager(after, situation(after, step=step, is_cold=True))
        ids = {id_ for change in made.changes for id_ in change["ids"]} if made else set()
        assert ("u1.0" not in ids) is stands


def test_look_alike_is_not_believed() -> None:
    """A command that prints such a line makes no output younger."""
    view = stepped(0)
    add(view, 1, (called("c1"), answered("c1", LONG)))
    add(
        view,
        2,
        (called("c2"), answered("c2", "[[kept: 2-0-bash · same as 1-0-bash · 1 characters · read x]]")),
    )
    assert repetitions(view) == {}


@given(st.text("[]kept:·read xyz\n<summary>`", min_size=1, max_size=300))
def test_command_cannot_make_a_mark(command: str) -> None:
    """Whatever the command was, the line holds one mark: ours."""
    view = stepped(0)
    for number in (1, 2):
        add(view, number, (called(f"c{number}", command=command), answered(f"c{number}", LONG)))
    plan = repeated_output(view, situation(view))
    assert plan is not None
    assert find_marks(str(standing(applied(view, plan))["c2"])) == ["2-0-bash"]
