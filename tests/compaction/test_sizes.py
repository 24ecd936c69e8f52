"""Sizes and usage: the numbers that decide when something fires."""

from typing import Any

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
from compaction.tokens import usage_total
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
        ({"input_tokens": -5, "output_tokens": "many"}, 0),
        ({}, 0),
    ],
)
def test_usage_is_the_sum_of_its_four_kinds(usage: dict[str, Any], total: int) -> None:
    """Input, cache writes, cache reads and output; null and missing ones count nothing."""
    assert usage_total(usage) == total


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
