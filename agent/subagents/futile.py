"""Orders that came to nothing: given again word for word in the same turn, they would only cost the same again."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tools.base import NotRun
from tools.orders import Order, SubagentReport

REFUSED = (
    "Not run: this very order was given in this turn, and its subagent could do nothing with it: {}. "
    "Do the work yourself, or give another order."
)


@dataclass(slots=True)
class Futile:
    """Remembers the orders of one turn. ``turn``: the number of the one that is open."""

    turn: Callable[[], int]
    _problems: dict[tuple[int, str, str | None], str] = field(default_factory=dict)

    def refuse(self, order: Order) -> None:
        """Raise NotRun for an order that came to nothing."""
        if problem := self._problems.get(self._key(order)):
            raise NotRun(REFUSED.format(problem))

    def note(self, order: Order, report: SubagentReport, *, has_done: bool) -> None:
        """Take in what became of an order.

        One whose subagent was never answered may be given again, as may one that ``has_done`` something.
        """
        if report.problem and report.work["steps"] and not has_done:
            self._problems[self._key(order)] = report.problem

    def _key(self, order: Order) -> tuple[int, str, str | None]:
        return self.turn(), order.prompt, order.agent_type
