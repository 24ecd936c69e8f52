"""The content that came back with an edit leaves again when it is of no use, whole and to disk."""

from compaction.balanced import Balanced, BalancedCut
from compaction.messages import result_text
from compaction.restore import HEADING, is_restored, restore_edited, without_file
from compaction.view import View
from tests.support.layers import SPILLS, add, answered, applied, called, situation, standing, stepped

EAGER = BalancedCut(constants=Balanced(margin=-(10**9), min_saving=1, snip_age=99))
CONTENT = "\n".join(f"{number}\tline {number}" for number in range(1, 90))


def edited() -> View:
    """A session whose last step edited a file that comes back with the edit."""
    view = stepped(1)
    add(
        view,
        2,
        (called("e1", "edit", file_path="a.py", old_string="x", new_string="y"), answered("e1", "edited")),
    )
    plan = restore_edited(view, situation(view, present={"a.py": CONTENT}))
    assert plan is not None
    assert plan.receipt["dropped"] == 0
    return applied(view, plan, "r500")


def test_a_later_view_of_the_file_outlives_it() -> None:
    """A placeholder stands for the content, all of which is in its file; the edit's own words stay."""
    view = edited()
    add(view, 3, (called("r1", "read", file_path="a.py"), answered("r1", CONTENT)))
    add(view, 4, (called("b1"), answered("b1", "fine")))
    add(view, 5, (called("b2"), answered("b2", "fine")))
    before = standing(view)["e1"]
    plan = EAGER(view, situation(view))
    assert plan is not None
    after = standing(applied(view, plan))["e1"]

    assert after.startswith("edited\n[[kept: 2-0-edit-file · a.py as it was then")
    assert HEADING not in after
    assert [file.data.decode() for file in plan.files if "edit-file" in file.path] == [before]


def test_it_stays_while_the_file_is_worked_on() -> None:
    """Nothing later shows the file whole, and it is warm."""
    view = edited()
    for number in (3, 4, 5):
        add(view, number, (called(f"b{number}"), answered(f"b{number}", "fine")))
    plan = EAGER(view, situation(view))
    after = applied(view, plan) if plan else view

    assert HEADING in standing(after)["e1"]


def test_only_what_we_added_is_taken() -> None:
    """A result without our line has no part to take."""
    view = edited()
    [placed] = [one for one in view if is_restored(one.block)]
    assert placed.block["type"] == "tool_result"
    call = view.history.calls["e1"]
    short = without_file(placed.block, call, SPILLS)

    assert short is not None
    assert short.files[0].data.decode() == result_text(placed.block)
    assert without_file({**placed.block, "content": "edited"}, call, SPILLS) is None
