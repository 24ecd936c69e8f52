"""The layers that run before every step, in order."""

from collections.abc import Callable, Iterator, Sequence

from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.view import View

Layer = Callable[[View, Sizes, float], Plan | None]
"""(view, sizes, now in seconds) -> plan. Contract: pure; the view is not changed; None when nothing is to do;
right after its plan was applied it plans nothing."""

PRESETS: dict[str, tuple[Layer, ...]] = {"off": ()}


def plans(view: View, layers: Sequence[Layer], sizes: Sizes, now: float) -> Iterator[Plan]:
    """Yield the plan of each layer that has one; the caller applies it before taking the next."""
    for layer in layers:
        plan = layer(view, sizes, now)
        if plan is not None:
            yield plan
