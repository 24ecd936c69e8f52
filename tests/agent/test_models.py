"""Models: rows, ids, thinking, costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models import (
    BINDING_BETA,
    DEFAULT_MODEL,
    EFFORTS,
    MIN_THINKING_BUDGET,
    ROWS,
    Effort,
    ModelRow,
    cost_usd,
    row,
    thinking_params,
)

MANUAL = ("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5")
BOUND = {
    f"claude-{name}"
    for name in ("opus-5-5", "sonnet-5-5", "haiku-5-5", "fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2")
}


@pytest.mark.parametrize(
    ("id", "sizes", "prices"),
    [
        ("claude-opus-5-5", (1_000_000, 128_000, 512), (4, 20, 5, 8, 0.20)),
        ("claude-sonnet-5-5", (1_000_000, 128_000, 512), (2, 10, 2.5, 4, 0.10)),
        ("claude-haiku-5-5", (1_000_000, 128_000, 512), (0.10, 0.50, 0.125, 0.20, 0.01)),
        ("claude-fable-5-2", (1_000_000, 128_000, 4096), (8, 40, None, None, None)),
        ("claude-fable-5-1", (1_000_000, 128_000, 512), (10, 50, 12.5, 20, 0.25)),
        ("claude-mythos-5-1", (1_000_000, 128_000, 512), (10, 50, 12.5, 20, 0.25)),
        ("claude-opus-5", (1_000_000, 128_000, 512), (5, 25, 6.25, 10, 0.50)),
        ("claude-sonnet-5", (1_000_000, 128_000, 1024), (2, 10, 2.5, 4, 0.20)),
        ("claude-opus-4-8", (1_000_000, 128_000, 1024), (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-7", (1_000_000, 128_000, 2048), (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-6", (1_000_000, 128_000, 4096), (5, 25, 6.25, 10, 0.50)),
        ("claude-sonnet-4-6", (1_000_000, 128_000, 1024), (3, 15, 3.75, 6, 0.30)),
        ("claude-opus-4-5", (200_000, 64_000, 4096), (5, 25, 6.25, 10, 0.50)),
        ("claude-sonnet-4-5", (200_000, 64_000, 1024), (3, 15, 3.75, 6, 0.30)),
        ("claude-haiku-4-5", (200_000, 64_000, 4096), (1, 5, 1.25, 2, 0.10)),
    ],
)
def test_the_published_table(id: str, sizes: tuple[int, int, int], prices: tuple[float | None, ...]) -> None:
    """Window, longest output, cache minimum; input, output, 5-minute and 1-hour write, read, as published."""
    model = row(id)
    assert (model.window, model.max_output, model.cache_minimum) == sizes
    found = (
        model.prices.input,
        model.prices.output,
        model.prices.cache_write_5m,
        model.prices.cache_write_1h,
        model.prices.cache_read,
    )
    assert found == tuple(price if price is None else pytest.approx(price) for price in prices)
    assert model.cache_life_s == 300


def test_the_rows_agree_with_one_another() -> None:
    """Ids are unique; what is bound, has a display or a budget follows the generations."""
    assert len({model.id for model in ROWS}) == len(ROWS)
    assert DEFAULT_MODEL == "claude-sonnet-5-5"
    assert {model.id for model in ROWS if model.is_bound} == BOUND
    assert {model.id for model in ROWS if model.thinking == "manual"} == set(MANUAL)
    old = {*MANUAL, "claude-opus-4-6", "claude-sonnet-4-6"}
    assert {model.id for model in ROWS if model.family == "4.6"} == old
    assert {model.id for model in ROWS if not model.has_display} == old


@pytest.mark.parametrize(
    ("given_id", "id"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("claude-sonnet-5-20260203", "claude-sonnet-5"),
        ("claude-sonnet-5-latest", "claude-sonnet-5"),
        ("CLAUDE-Sonnet-5-5", "claude-sonnet-5-5"),
        ("claude-opus-5-5[1m]", "claude-opus-5-5"),
        ("anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("openrouter/anthropic/claude-sonnet-5.5:thinking", "claude-sonnet-5-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("anthropic.claude-opus-5-v1", "claude-opus-5"),
        ("vertex_ai/claude-opus-4-6@default", "claude-opus-4-6"),
    ],
)
def test_ids_with_dates_and_providers(given_id: str, id: str) -> None:
    """The row of the model that is meant."""
    assert row(given_id).id == id


@pytest.mark.parametrize(
    "id",
    [
        "gpt-5",
        "",
        "claude-sonnet-6",
        "claude-opus-4-10",
        "claude-opus-4-1-20250805",
        "claude-opus-5-5-5",
        "my-claude-opus-5-5",
        "claude-3-5-sonnet-20241022",
        "qwen3:8b",
    ],
)
def test_an_unknown_model_gets_safe_defaults(id: str) -> None:
    """A small window, no parameters it could refuse, no prices, the denser tokenizer."""
    model = row(id)
    assert model == ModelRow(id=id)
    assert (model.window, model.max_output, model.family) == (200_000, 8_192, "4.7")
    assert thinking_params(model, effort="high", max_tokens=8_192) == ({}, ())
    assert cost_usd(model, {"input_tokens": 1}) is None


def test_a_bound_model_asks_for_drop_block() -> None:
    """From the first request on, with its beta; after a refusal without both."""
    fields, betas = thinking_params(row("claude-sonnet-5-5"), effort=None, max_tokens=100)
    binding = {"prefix_mismatch_behavior": "drop_block"}
    assert fields == {"thinking": {"type": "adaptive", "display": "summarized", "block_binding": binding}}
    assert betas == (BINDING_BETA,)
    fields, betas = thinking_params(
        row("claude-sonnet-5-5"), effort="low", max_tokens=100, is_binding_refused=True
    )
    thinking = {"type": "adaptive", "display": "summarized"}
    assert (fields, betas) == ({"thinking": thinking, "output_config": {"effort": "low"}}, ())


def test_adaptive_models() -> None:
    """4.7 and later are asked for a summary to show; 4.6 gives one unasked."""
    fields, betas = thinking_params(row("claude-opus-4-8"), effort="xhigh", max_tokens=100)
    thinking = {"type": "adaptive", "display": "summarized"}
    assert (fields, betas) == ({"thinking": thinking, "output_config": {"effort": "xhigh"}}, ())
    fields, _ = thinking_params(row("claude-opus-4-6"), effort="xhigh", max_tokens=100)
    assert fields == {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}


@given(
    id=st.sampled_from(MANUAL), effort=st.none() | st.sampled_from(EFFORTS), max_tokens=st.integers(1, 64_000)
)
def test_a_budget_fits(id: str, effort: Effort | None, max_tokens: int) -> None:
    """At least 1,024 and below `max_tokens`; no thinking where there is no room."""
    fields, betas = thinking_params(row(id), effort=effort, max_tokens=max_tokens)
    assert betas == ()
    if "thinking" in fields:
        assert MIN_THINKING_BUDGET <= fields["thinking"]["budget_tokens"] < max_tokens
    assert ("thinking" in fields) == (max_tokens >= 2 * MIN_THINKING_BUDGET)
    expected = {"max": "high", "xhigh": "high"}.get(effort or "", effort) if id == "claude-opus-4-5" else None
    assert fields.get("output_config") == ({"effort": expected} if expected else None)


def test_more_effort_is_more_budget() -> None:
    """In the order of the efforts."""
    budgets = [
        thinking_params(row("claude-haiku-4-5"), effort=effort, max_tokens=64_000)[0]["thinking"][
            "budget_tokens"
        ]
        for effort in EFFORTS
    ]
    assert budgets == sorted(set(budgets))


def test_the_cost_of_a_request() -> None:
    """Every class of tokens at its own price, cache writes by their life."""
    usage = {
        "input_tokens": 1_000_000,
        "output_tokens": 100_000,
        "cache_creation_input_tokens": 300_000,
        "cache_read_input_tokens": 2_000_000,
    }
    model = row("claude-sonnet-5-5")
    assert cost_usd(model, usage) == pytest.approx(2 + 1 + 0.75 + 0.2)
    split = {"ephemeral_5m_input_tokens": 100_000, "ephemeral_1h_input_tokens": 200_000}
    assert cost_usd(model, {**usage, "cache_creation": split}) == pytest.approx(2 + 1 + 0.25 + 0.8 + 0.2)
    assert cost_usd(model, {"cache_creation": split}) == pytest.approx(0.25 + 0.8)


def test_f49_usage_with_gaps() -> None:
    """Null or absent figures count as 0; no usage at all is an unknown cost, not none."""
    model = row("claude-sonnet-5-5")
    assert cost_usd(
        model, {"input_tokens": None, "cache_creation": None, "output_tokens": 1}
    ) == pytest.approx(1e-5)
    assert cost_usd(model, {}) == 0
    assert cost_usd(model, None) is None


def test_an_unknown_price_counts_only_if_it_is_needed() -> None:
    """`fable-5-2` has known prices but for its cache."""
    model = row("claude-fable-5-2")
    assert cost_usd(model, {"input_tokens": 1000, "cache_read_input_tokens": 0}) == pytest.approx(0.008)
    assert cost_usd(model, {"input_tokens": 1000, "cache_read_input_tokens": 1}) is None


def test_haiku_above_100k() -> None:
    """The whole prompt, cached or not, decides; then the whole request costs more."""
    model = row("claude-haiku-5-5")
    usage = {"input_tokens": 50_000, "cache_read_input_tokens": 50_000, "output_tokens": 1_000_000}
    assert cost_usd(model, usage) == pytest.approx(0.005 + 0.0005 + 0.5)
    usage["cache_creation_input_tokens"] = 1
    assert cost_usd(model, usage) == pytest.approx(0.025 + 0.0025 + 2.5, rel=1e-5)
