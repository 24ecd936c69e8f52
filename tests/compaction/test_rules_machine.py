"""Any order of turns, compactions, undo, redo and resume: requests stay valid, nothing is lost, the words stay."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from compaction.presets import PRESETS
from tests.support.invariants import check_checkpoint
from tests.support.rolling import Rolling
from tests.support.rolling_checks import check_nothing_lost, check_valid, check_words
from tests.support.rolling_play import SUMMARISERS, WINDOWS, Play
from tests.support.rolling_server import KINDS
from tests.support.rolling_shapes import Setting, Summariser

seeds = st.integers(0, 2**32 - 1)


class Life(RuleBasedStateMachine):
    """A session to which anything may happen between its turns."""

    @initialize(
        preset=st.sampled_from(tuple(PRESETS)),
        window=st.sampled_from(tuple(WINDOWS)),
        kind=st.sampled_from(tuple(KINDS)),
    )
    def begin(self, preset: str, window: int, kind: str) -> None:
        self.rolling = Rolling(
            Setting(preset=preset, window=window, kind=kind, density=WINDOWS[window]), SUMMARISERS[0]
        )
        self.play = Play(self.rolling, 0)

    @rule(seed=seeds, steps=st.integers(1, 4))
    def turn(self, seed: int, steps: int) -> None:
        self.play.chance.seed(seed)
        self.rolling.prompt(self.play.texts.words())
        self.play.turn(steps)

    @rule(summariser=st.sampled_from(SUMMARISERS))
    def summarise_with(self, summariser: Summariser) -> None:
        self.rolling.summariser = summariser

    @rule()
    def compact(self) -> None:
        if self.rolling.sent:
            self.rolling.compact("manual")

    @rule()
    def undo(self) -> None:
        self.rolling.undo()

    @rule()
    def redo(self) -> None:
        self.rolling.redo()

    @rule()
    def resume(self) -> None:
        before = self.rolling.next_request() if self.rolling.sent else None
        self.rolling.resume()
        assert before in (None, self.rolling.next_request())

    @rule()
    def resume_at_checkpoint(self) -> None:
        before = self.rolling.next_request() if self.rolling.sent else None
        check_checkpoint(self.rolling.state)
        self.rolling.resume_at_checkpoint()
        assert before in (None, self.rolling.next_request())

    @rule(seed=seeds)
    def pin(self, seed: int) -> None:
        self.play.chance.seed(seed)
        self.rolling.pin(self.play.texts.plain(120))

    @rule(hours=st.sampled_from((0.2, 2.0, 30.0)))
    def idle(self, hours: float) -> None:
        self.rolling.now += hours * 3_600

    @invariant()
    def rules_hold(self) -> None:
        if hasattr(self, "rolling") and self.rolling.sent:
            check_nothing_lost(self.rolling)

    def teardown(self) -> None:
        if hasattr(self, "rolling"):
            check_valid(self.rolling)
            check_words(self.rolling)


TestLife = Life.TestCase
TestLife.settings = settings(stateful_step_count=10)
