"""The presets are data: which layers, which limits; and the budget of the teaching course."""

from typing import Any

import pytest

from compaction.budget import ResultBudget
from compaction.messages import text
from compaction.policy import Sizes
from compaction.presets import DEFAULT_PRESET, PRESETS, nearest
from compaction.prompts import long_prompts
from compaction.snip import Snip
from compaction.view import View
from tests.support.histories import Said, view_of
from tests.support.layers import add, answered, applied, called, situation, standing, stepped


def batch(*sizes: int) -> View:
    """A view whose newest message has results of these sizes, none of them sent yet."""
    view = view_of([Said(role="user", blocks=[text("go")])])
    add(view, 1, *((called(f"c{n}"), answered(f"c{n}", str(n) * size)) for n, size in enumerate(sizes)))
    return view


def lengths(view: View, layer: Any, **now: Any) -> list[int]:
    """Length of each result after ``layer``."""
    plan = layer(view, situation(view, **now))
    after = applied(view, plan) if plan else view
    return [len(content) for content in standing(after).values()]


BUDGET = PRESETS["classic"].layers[1]


def test_the_names() -> None:
    """Five, `balanced` being the default."""
    assert list(PRESETS) == ["balanced", "classic", "early", "window", "off"]
    assert DEFAULT_PRESET == "balanced"


@pytest.mark.parametrize(
    ("typed", "meant"), [("clasic", "classic"), ("windw", "window"), ("of", "off"), ("", "")]
)
def test_the_nearest_name(typed: str, meant: str) -> None:
    """Whatever was typed, one name is suggested."""
    assert nearest(typed) in PRESETS
    assert not meant or nearest(typed) == meant


def test_a_long_prompt_is_kept_on_disk_under_every_preset() -> None:
    """It is no matter of how a context is kept small."""
    assert all(preset.layers[0] is long_prompts for preset in PRESETS.values())


def test_off_has_no_other_layer_and_no_summary_of_its_own() -> None:
    """Only what is asked for, and what the server forces."""
    assert PRESETS["off"].layers == (long_prompts,)
    assert not PRESETS["off"].summary.is_automatic


def test_when_each_summarises() -> None:
    """Classic over 50,000 characters, early over 50,000 tokens, the others at the window's threshold."""
    rules = {name: preset.summary for name, preset in PRESETS.items()}
    assert {name: rule.threshold_chars for name, rule in rules.items() if rule.threshold_chars} == {
        "classic": 50_000
    }
    assert {name: rule.threshold_tokens for name, rule in rules.items() if rule.threshold_tokens} == {
        "early": 50_000
    }
    assert [name for name, rule in rules.items() if rule.restored_files] == ["balanced", "window", "off"]
    assert (rules["classic"].is_serialised, rules["classic"].kept_messages) == (True, 5)


def test_the_course_persists_large_results_until_the_batch_fits() -> None:
    """Over 200,000 characters together the largest go, each leaving its first 2,000 characters."""
    view = batch(50_000, 50_001, 50_000, 50_000, 50_000)
    plan = BUDGET(view, situation(view))
    assert plan
    after = standing(applied(view, plan))

    assert after["c1"].startswith("1" * 2_000 + "\n[[kept: 1-1-bash · 50001 characters")
    assert after["c1"].endswith("]]\n")
    assert plan.files[0].data == b"1" * 50_001
    assert sum(map(len, after.values())) <= 200_000
    assert [len(content) for content in after.values()].count(50_000) == 3


def test_the_course_leaves_smaller_results_alone() -> None:
    """Eight of 29,000 are over the limit, but none of them is over 30,000; within the limit nothing goes."""
    assert lengths(batch(*[29_000] * 8), BUDGET) == [29_000] * 8
    assert lengths(batch(*[40_000] * 5), BUDGET) == [40_000] * 5
    mixed = lengths(batch(31_000, *[29_000] * 7), BUDGET)
    assert mixed[0] < 2_200
    assert mixed[1:] == [29_000] * 7


def test_a_request_over_the_window_is_made_to_fit_all_the_same() -> None:
    """Also where every result is small, and where a preset has no limit for a batch; but not under `off`."""
    sizes = Sizes(window=30_000, max_output=8_000)
    for name in ("balanced", "classic", "early", "window"):
        [guard] = PRESETS[name].guard
        view = batch(*[29_000] * 8)
        plan = guard(view, situation(view, sizes=sizes))
        assert plan, name
        assert applied(view, plan).tokens <= sizes.window
    assert PRESETS["off"].guard == ()


def test_a_batch_of_any_size_goes_whole_in_the_older_course() -> None:
    """While it fits the window."""
    view = batch(*[50_000] * 6)
    assert all(layer(view, situation(view)) is None for layer in PRESETS["early"].layers)


def test_a_preview_without_a_tail_ends_with_its_line() -> None:
    """No character of the tail, and not the whole text by a slice from minus nothing."""
    view = batch(500, 500)
    after = lengths(view, ResultBudget(batch_chars=600, large_chars=100, head_chars=20, tail_chars=0))
    assert min(after) < 150


def test_two_thousand_messages_are_snipped_in_any_case() -> None:
    """Whether it pays or not, and down to where it does not fire again at the next step."""
    view = stepped(1_001, chars=1)
    many = next(layer for layer in PRESETS["balanced"].layers if isinstance(layer, Snip))
    plan = many(view, situation(view, held=frozenset()))
    assert plan
    after = applied(view, plan)
    assert len(after) < 2_000
    assert many(after, situation(after)) is None
