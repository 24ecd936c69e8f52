"""The ten rules of compaction, over made sessions under every preset, window and kind of model."""

from hypothesis import given, settings
from hypothesis import strategies as st

from compaction.presets import PRESETS
from tests.support.rolling import Rolling
from tests.support.rolling_checks import broken
from tests.support.rolling_inspected import inspected
from tests.support.rolling_play import WINDOWS, Play, Plot, played
from tests.support.rolling_server import KINDS
from tests.support.rolling_shapes import Setting

surroundings = st.builds(
    lambda preset, window, kind, factor: Setting(
        preset=preset, window=window, kind=kind, density=WINDOWS[window] * factor
    ),
    st.sampled_from(tuple(PRESETS)),
    st.sampled_from(tuple(WINDOWS)),
    st.sampled_from(tuple(KINDS)),
    st.sampled_from((0.2, 0.4, 1.0)),
)
plots = st.builds(
    lambda seed, steps, setting: Plot(seed=seed, steps=steps, setting=setting),
    st.integers(0, 2**32 - 1),
    st.integers(1, 14),
    surroundings,
)


@settings(max_examples=2 * settings().max_examples)
@given(plot=plots)
def test_every_rule_holds(plot: Plot) -> None:
    """Whatever happens in a session, the strict server takes each request, and no rule is broken."""
    assert broken(played(plot)) == {}


@given(plot=plots)
def test_layers_are_pure_and_rest_after_they_acted(plot: Plot) -> None:
    """Rule 5: a layer changes nothing itself, says the same twice, and plans nothing right after its plan was made."""
    rolling = inspected(plot.setting)
    Play(rolling, plot.seed).run(plot.steps)


@given(plot=plots)
def test_a_session_opened_again_sends_the_same(plot: Plot) -> None:
    """The log alone gives the same next request, cache marks included, and the same size."""
    rolling = played(plot)
    twin = rolling.twin()
    assert twin.next_request() == rolling.next_request()
    assert twin.state.context_size == rolling.state.context_size


def test_the_smallest_session() -> None:
    """A turn of one step needs no layer, and breaks no rule."""
    rolling = Rolling(Setting())
    rolling.prompt("Hello.")
    rolling.step([{"type": "text", "text": "Hello."}])
    rolling.end()
    assert rolling.acts == []
    assert broken(rolling) == {}
