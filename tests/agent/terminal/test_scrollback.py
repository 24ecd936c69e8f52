"""What has scrolled away: all that happened, once, in order, and never wider than the screen was."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.terminal.show import Show
from tests.support.agent import FakeClock
from tests.support.stories import REMARK, SGR, Plain, Told, remarks_of, squeezed, stories

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Watched:
    """A listener; every line that it shows is measured."""

    def __init__(self) -> None:
        self.above: list[str] = []
        self.width = 80
        self.show = Show(
            commit=self._commit, refresh=lambda: None, width=lambda: self.width, clock=FakeClock(step_s=0.0)
        )

    def take(self, told: Told) -> None:
        """Take an event, and draw a frame."""
        self.width = told.width
        self.show(told.event)
        for line in (*self.show.tail(told.width), *self.show.activity.lines(told.width)):
            measure(line, told.width)

    def _commit(self, text: str) -> None:
        assert text.endswith("\n")
        for line in text.removesuffix("\n").split("\n"):
            measure(line, self.width)
        self.above.append(text)


def measure(line: str, width: int) -> None:
    shown = SGR.sub("", line)
    assert cell_len(shown) <= width, (shown, width)
    assert not CONTROLS.search(shown), shown


@settings(max_examples=25)
@given(stories(), st.booleans())
def test_all_stands_above_once_and_in_order(story: list[Told], keeps_thinking: bool) -> None:
    """Whatever is streamed, discarded, interrupted, ends in another order than it began, or is resized meanwhile."""
    watched, reference = Watched(), Plain(keeps_thinking=keeps_thinking)
    watched.show.thoughts.is_kept = keeps_thinking
    for told in story:
        watched.take(told)
        reference.take(told)
    above = squeezed("".join(watched.above))
    assert REMARK.findall(above) == remarks_of(story)
    assert REMARK.sub("", above) == reference.above
