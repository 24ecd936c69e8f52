"""Over the threshold: a cut that pays is enough when it makes enough room, and otherwise the coldest goes as well."""

import pytest

from compaction.balanced import ENOUGH, BalancedCut
from compaction.policy import Sizes
from compaction.view import View
from tests.support.layers import add, answered, applied, called, situation, standing, stepped

ROWS = "1\tx = compute(1)\n"
IN_USE = ROWS * 2_000
DEAD = "gone by\n" * 16_000


def grown(dead_steps: int) -> View:
    """``dead_steps`` large outputs, two files that are read behind them, and the newest step."""
    view = stepped(0)
    for number in range(1, dead_steps + 1):
        add(view, number, (called(f"b{number}"), answered(f"b{number}", f"{number} {DEAD}")))
    for number in range(dead_steps + 1, dead_steps + 3):
        add(
            view,
            number,
            (called(f"r{number}", "read", file_path=f"{number}.py"), answered(f"r{number}", IN_USE)),
        )
    add(view, dead_steps + 3, (called("last"), answered("last", "ok")))
    return view


@pytest.mark.parametrize(("room", "is_enough"), [(1.5, True), (1.2, False)])
def test_a_cut_that_makes_enough_room_leaves_what_is_in_use(room: float, is_enough: bool) -> None:
    """What pays goes; files that the work is at stay, unless the view would still fill most of the threshold."""
    view = grown(5)
    dead = sum(placed.tokens for placed in view if placed.tokens > 20_000)
    sizes = Sizes(window=200_000, max_output=8_000, own_threshold=round((view.tokens - dead) * room))
    assert view.tokens > sizes.threshold
    plan = BalancedCut()(view, situation(view, sizes=sizes))
    assert plan is not None
    after = applied(view, plan)
    stay = [content == IN_USE for id_, content in standing(after).items() if id_.startswith("r")]
    assert all(stay) is is_enough
    assert not is_enough or sizes.low_water < after.tokens <= ENOUGH * sizes.threshold
