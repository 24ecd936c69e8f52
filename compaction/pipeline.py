"""The layers that run before every step, in order."""

from collections.abc import Callable, Iterator, Sequence

from compaction.plan import Plan
from compaction.situation import Situation
from compaction.view import View

Layer = Callable[[View, Situation], Plan | None]
"""(view, situation) -> plan. Contract: pure; the view is not changed; None when nothing is to do; right after its
plan was applied it plans nothing."""


def plans(view: View, layers: Sequence[Layer], situation: Callable[[], Situation]) -> Iterator[Plan]:
    """Yield the plan of each layer that has one; the caller applies it before taking the next.

    Args:  situation: how things stand now, asked anew for each layer.
    """
    for layer in layers:
        plan = layer(view, situation())
        if plan is not None:
            yield plan
