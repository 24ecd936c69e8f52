"""The meter: what was measured is what it shows, what came since is estimated as the session taught it to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.tokens import ABSURD, HIGHEST, LOWEST, MIN_GROWTH, START, Meter, thinking_total

tokens = st.integers(0, 100_000)
factors = st.floats(0.6, 1.9)


@st.composite
def meters(draw: st.DrawFn) -> Meter:
    """A meter as a session leaves it: some replies, some of them odd, some compactions."""
    meter, view = Meter(overhead=draw(st.integers(0, 10_000))), 0
    for _ in range(draw(st.integers(0, 6))):
        asked_with = view + draw(st.integers(0, 30_000))
        view = asked_with + draw(st.integers(0, 3_000))
        usage = {"input_tokens": draw(st.integers(0, 200_000)), "output_tokens": draw(st.integers(0, 3_000))}
        meter = meter.measured(usage, view, asked_with=asked_with, left_out=draw(st.integers(0, 4_000)))
        if draw(st.booleans()):
            view = draw(st.integers(0, view))
            meter = meter.changed()
        if draw(st.booleans()):
            meter = meter.rescaled(draw(st.floats(0.5, 2.0)))
    return meter


def usage(prompt: int, output: int) -> dict[str, Any]:
    """A usage; the prompt is split as a cache does it."""
    return {
        "input_tokens": prompt // 3,
        "cache_read_input_tokens": prompt - prompt // 3,
        "output_tokens": output,
    }


@given(meters(), st.integers(1, 50), st.integers(1, 9_000), tokens, st.integers(0, 5_000))
def test_right_after_a_reply_it_is_the_usage(
    meter: Meter, share: int, output: int, asked_with: int, reply: int
) -> None:
    """Whatever was before: the size is what the server said, and no estimate."""
    prompt = max(1, round(meter.unit * (meter.overhead + asked_with) * share / 25))
    after = meter.measured(usage(prompt, output), asked_with + reply, asked_with=asked_with)

    assert after.size(asked_with + reply) == prompt + output
    assert not after.is_estimate(asked_with + reply)
    assert after.is_estimate(asked_with + reply + 1)


@given(meters(), tokens, tokens)
def test_it_never_falls_when_the_view_grows_nor_below_zero(meter: Meter, one: int, other: int) -> None:
    """Monotone in the view, from the empty one on; without a jump at what was measured."""
    assert 0 <= meter.size(min(one, other)) <= meter.size(max(one, other))
    if meter.anchored_at > 0:
        step = meter.size(meter.anchored_at) - meter.size(meter.anchored_at - 1)
        assert meter.size(meter.anchored_at) == meter.anchor
        assert step <= 1 + meter.anchor / meter.anchored_at


@given(meters())
def test_the_correction_is_bounded(meter: Meter) -> None:
    """No usage, however odd, makes the meter believe in more than twice or less than 0.88 of its estimate."""
    assert LOWEST <= meter.factor / meter.unit <= HIGHEST


@given(factors, st.lists(st.integers(MIN_GROWTH, 20_000), min_size=4, max_size=20), st.integers(0, 9_000))
def test_it_learns_how_far_the_estimate_is_off(factor: float, growths: list[int], hidden: int) -> None:
    """After 10,000 tokens of growth it is right to the token, whatever the server adds to the prompt."""
    meter, view, real = Meter(overhead=5_000), 0, 5_000.0 + hidden
    for grown in (*growths, 10_000):
        view, real = view + grown, real + grown * factor
        meter = meter.measured(usage(round(real), 10), view, asked_with=view)
        real += 10

    expected = real + min(HIGHEST, max(LOWEST, factor)) * 1_000
    assert abs(meter.size(view + 1_000) - expected) <= 2


@given(st.integers(0, 10_000_000).filter(lambda prompt: not 0.5 < prompt / 20_000 < 2))
def test_one_odd_usage_changes_no_factor(prompt: int) -> None:
    """A prompt that cannot be is forgotten with the next reply."""
    meter = Meter(overhead=10_000).measured(usage(10_000, 100), 100, asked_with=0)
    odd = meter.measured(usage(prompt, 100), 10_100, asked_with=10_000)
    healed = odd.measured(usage(20_000, 100), 10_200, asked_with=10_100)

    assert odd.factor == START
    assert healed.factor in (START, 0.99), "0.99 is how far it is from the first to the third"
    assert healed.size(10_200) == 20_100


@pytest.mark.parametrize("prompt", [0, 10_000 // ABSURD - 1, 10_000 * ABSURD + 1])
def test_an_absurd_prompt_is_no_measure(prompt: int) -> None:
    """Zero, a hundredth and a hundred times of what stands in the view are made up."""
    meter = Meter(overhead=10_000)

    assert meter.measured(usage(prompt, 5), 3, asked_with=0) == meter


def test_before_the_first_measure_it_estimates() -> None:
    """The plain estimate, marked as one."""
    meter = Meter(overhead=1_000)

    assert (meter.size(500), meter.is_estimate(500), meter.ratio) == (1_500, True, 1.0)
    assert meter.measured({}, 500, asked_with=400) == meter


def test_a_server_that_counts_no_output() -> None:
    """The prompt is the measure, the reply is estimated."""
    meter = Meter(overhead=1_000).measured(usage(1_200, 0), 400, asked_with=100)

    assert meter.size(100) == 1_200
    assert meter.size(400) == 1_200 + round(START * 300)
    assert meter.is_estimate(400)


def test_what_does_not_go_back_is_taken_off() -> None:
    """At most the reply itself: cut calls, thinking that the view leaves out."""
    meter = Meter(overhead=1_000)

    assert meter.measured(usage(1_200, 90), 150, asked_with=100, left_out=50).size(150) == 1_240
    assert meter.measured(usage(1_200, 90), 150, asked_with=100, left_out=500).size(150) == 1_200


def test_after_a_cut_the_system_prompt_stays() -> None:
    """What was taken out counts by the factor; system prompt and tools are not scaled down with it."""
    meter = Meter(overhead=10_000).measured(usage(110_000, 0), 100_000, asked_with=100_000).changed()

    assert meter.size(0) == 110_000 - round(START * 100_000)
    assert meter.size(50_000) == (meter.size(0) + 110_000) // 2


def test_growth_across_a_cut_teaches_nothing() -> None:
    """What a compaction left cannot be compared with what it found."""
    meter = Meter(overhead=1_000).measured(usage(5_000, 0), 4_000, asked_with=4_000).changed()

    assert meter.measured(usage(7_900, 0), 6_000, asked_with=6_000).samples == ()


def test_another_tokenizer_scales_the_meter() -> None:
    """Size, growth and ratio; an estimate until the next reply measures it."""
    meter = Meter(overhead=1_000).measured(usage(5_000, 100), 4_100, asked_with=4_000).rescaled(1.28)

    assert meter.size(4_100) == round(5_100 * 1.28)
    assert meter.size(5_100) == meter.size(4_100) + round(1_000 * START * 1.28)
    assert meter.is_estimate(4_100)
    assert meter.ratio == pytest.approx(1.28)


def test_a_refusal_corrects_the_meter() -> None:
    """The size that the server named for a refused request is the size of the view that made it."""
    meter = Meter(overhead=1_000)

    assert meter.corrected(3_000, 500).size(500) == 3_000
    assert meter.corrected(0, 500) == meter


@pytest.mark.parametrize(
    ("details", "told"), [({"thinking_tokens": 7}, 7), ({"thinking_tokens": None}, None), (None, None)]
)
def test_thinking_is_told_or_not(details: Any, told: int | None) -> None:
    """Newer servers say how much of the output was thinking."""
    assert thinking_total({"output_tokens": 9, "output_tokens_details": details}) == told
