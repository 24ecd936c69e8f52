"""Sizes, meter, pipeline: the numbers that decide when something fires."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import (
    as_blocks,
    is_sendable,
    merged,
    result_text,
    text,
    text_of,
    tool_result,
    tool_uses,
)
from compaction.policy import Sizes
from compaction.tokens import Meter, usage_total
from tests.support.histories import IMAGE

windows = st.integers(16_000, 2_000_000)


@given(windows, st.integers(1, 200_000))
def test_the_parts_of_a_window_leave_room(window: int, max_output: int) -> None:
    """Low-water is below the threshold, the threshold below the window, the kept parts below low-water."""
    sizes = Sizes(window=window, max_output=max_output)

    assert 0 < sizes.low_water < sizes.threshold < sizes.window
    assert sizes.summary + sizes.earlier_prompts + sizes.ledger < sizes.low_water


def test_the_sizes_of_the_usual_window() -> None:
    """The figures of a 200,000-token window, as documented."""
    sizes = Sizes(window=200_000, max_output=128_000)

    assert (sizes.reserve, sizes.threshold, sizes.low_water) == (33_000, 167_000, 100_200)
    assert (sizes.summary, sizes.earlier_prompts, sizes.ledger) == (20_000, 20_000, 8_000)


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        ({"input_tokens": 20, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 5_000}, 5_120),
        ({"input_tokens": 20, "output_tokens": 40, "cache_read_input_tokens": None}, 60),
        ({}, 0),
    ],
)
def test_usage_is_the_sum_of_its_four_kinds(usage: dict[str, int | None], total: int) -> None:
    """Input, cache writes, cache reads and output; null and missing ones count nothing."""
    assert usage_total(usage) == total


@given(st.integers(1, 100_000), st.integers(1, 100_000), st.integers(0, 10_000))
def test_a_measured_meter_shows_the_measure(total: int, view_tokens: int, overhead: int) -> None:
    """Right after a reply the size is what the server said, and no estimate; afterwards it is one."""
    meter = Meter(overhead=overhead).measured({"input_tokens": total}, view_tokens)

    assert meter.size(view_tokens) == total
    assert not meter.is_estimate(view_tokens)
    assert meter.is_estimate(view_tokens + 1)
    assert meter.size(view_tokens + 100) >= total


def test_a_meter_without_a_measure_estimates() -> None:
    """Before the first usage the size is the estimate; a server without usage changes nothing."""
    meter = Meter(overhead=1_000)

    assert (meter.size(500), meter.is_estimate(500)) == (1_500, True)
    assert meter.measured({}, 500) == meter
    assert Meter().measured({"input_tokens": 5}, 0) == Meter()


def test_a_refusal_corrects_the_meter() -> None:
    """The size that the server named for a refused request is the size of the view that made it."""
    meter = Meter(overhead=1_000)

    assert meter.corrected(3_000, 500).size(500) == 3_000
    assert meter.corrected(0, 500) == meter
    assert Meter().corrected(3_000, 0) == Meter()


def test_blocks_and_messages_are_built_as_the_wire_has_them() -> None:
    """Constructors and queries agree with the documented JSON."""
    call = as_blocks([{"type": "tool_use", "id": "a", "name": "bash", "input": {}}])[0]
    failed = tool_result("a", "no", is_error=True)

    assert failed == {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True}
    assert tool_result("a", "yes") == {"type": "tool_result", "tool_use_id": "a", "content": "yes"}
    assert text_of([text("a"), call, text("b")]) == "a\n\nb"
    assert tool_uses([text("a"), call]) == [call]
    assert result_text(tool_result("a", [text("x"), IMAGE, text("y")])) == "x\ny"  # type: ignore[list-item]
    assert result_text(failed) == "no"
    assert [is_sendable(block) for block in (text(" \n"), text("a"), call)] == [False, True, True]
    assert merged([("user", text("a")), ("user", text("b"))]) == [
        {"role": "user", "content": [text("a"), text("b")]}
    ]
