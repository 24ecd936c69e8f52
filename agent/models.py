"""What each model is: windows, prices, and what it makes of thinking and effort."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

DEFAULT_MODEL = "claude-sonnet-5-5"
BINDING_BETA = "thinking-binding-controls-2026-08-01"
MIN_THINKING_BUDGET = 1024
MILLION = 1_000_000

Thinking = Literal["always", "on", "off", "manual", "none"]
"""`always`: adaptive, cannot be switched off; `on`, `off`: adaptive, that being the server's default;
`manual`: `enabled` with a budget; `none`: send no thinking parameter."""

Family = Literal["4.6", "4.7"]
"""Whose tokenizer: that of all models up to 4.6, or the denser one of all later ones."""

Effort = Literal["low", "medium", "high", "xhigh", "max"]
EFFORTS: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")

_BUDGETS: Mapping[Effort, int] = {
    "low": 4_000,
    "medium": 8_000,
    "high": 16_000,
    "xhigh": 24_000,
    "max": 32_000,
}
"""Thinking budgets in tokens where effort has to be said as a budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars a million tokens; None where no price is known."""

    input: float | None = None
    output: float | None = None
    cache_write_5m: float | None = None
    cache_write_1h: float | None = None
    cache_read: float | None = None


def _prices(per_input: float, per_output: float, *, read: float = 0.1) -> Prices:
    """Vendor's rule: a cache write costs 1.25 (5 minutes) or 2 (1 hour) times the input, a read ``read`` times."""
    return Prices(
        input=per_input,
        output=per_output,
        cache_write_5m=per_input * 1.25,
        cache_write_1h=per_input * 2,
        cache_read=per_input * read,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model; sizes in tokens. The defaults are what is safe for a model that nobody has described.

    ``window``: 200,000, the smallest of all Claude models; ``max_output``: 8,192, which every server of the
    last years accepts; ``cache_minimum``: shortest prefix that is cached, 4,096 being the largest known;
    ``family``: the denser tokenizer, for a size estimated too high is harmless.
    ``long_prices`` hold for a whole request whose prompt has more than ``long_from`` tokens.
    ``is_bound``: a thinking block is valid only behind the unchanged conversation that produced it.
    ``has_display``: leaves the text of its thinking out unless `thinking.display` asks for it.
    ``efforts``: the values of `output_config.effort`, none if the field is refused.
    """

    id: str
    window: int = 200_000
    max_output: int = 8_192
    prices: Prices = field(default_factory=Prices)
    long_prices: Prices | None = None
    long_from: int = 0
    cache_minimum: int = 4_096
    cache_life_s: int = 300
    thinking: Thinking = "none"
    is_bound: bool = False
    has_display: bool = False
    family: Family = "4.7"
    efforts: tuple[Effort, ...] = ()


# Vendor's model and price pages, September to November 2026.
_LARGE = ModelRow(
    id="", window=MILLION, max_output=128_000, cache_minimum=512, has_display=True, efforts=EFFORTS
)
_BOUND = replace(_LARGE, is_bound=True, thinking="always")
_FOUR_SEVEN = replace(_LARGE, thinking="off", prices=_prices(5, 25))
_FOUR_SIX = replace(
    _FOUR_SEVEN,
    family="4.6",
    has_display=False,
    cache_minimum=4_096,
    efforts=("low", "medium", "high", "max"),
)
_FOUR_FIVE = ModelRow(
    id="", max_output=64_000, cache_minimum=4_096, thinking="manual", family="4.6", prices=_prices(1, 5)
)

ROWS = (
    replace(_BOUND, id="claude-opus-5-5", prices=_prices(4, 20, read=0.05)),
    # One page of September says 0.20 for a read; the later ones say 0.10.
    replace(_BOUND, id="claude-sonnet-5-5", prices=_prices(2, 10, read=0.05)),
    replace(
        _BOUND,
        id="claude-haiku-5-5",
        prices=_prices(0.10, 0.50),
        long_prices=_prices(0.50, 2.50),
        long_from=100_000,
        thinking="on",
    ),
    replace(_BOUND, id="claude-fable-5-2", prices=Prices(input=8, output=40), cache_minimum=4_096),
    replace(_BOUND, id="claude-mythos-5-2", cache_minimum=4_096),
    replace(_BOUND, id="claude-fable-5-1", prices=_prices(10, 50, read=0.025)),
    replace(_BOUND, id="claude-mythos-5-1", prices=_prices(10, 50, read=0.025)),
    replace(_LARGE, id="claude-fable-5", thinking="always", cache_minimum=4_096),
    replace(_LARGE, id="claude-mythos-5", thinking="always", cache_minimum=4_096),
    replace(_LARGE, id="claude-opus-5", thinking="on", prices=_prices(5, 25)),
    replace(_LARGE, id="claude-sonnet-5", thinking="on", prices=_prices(2, 10), cache_minimum=1_024),
    replace(_FOUR_SEVEN, id="claude-opus-4-8", cache_minimum=1_024),
    replace(_FOUR_SEVEN, id="claude-opus-4-7", cache_minimum=2_048),
    replace(_FOUR_SIX, id="claude-opus-4-6"),
    replace(_FOUR_SIX, id="claude-sonnet-4-6", prices=_prices(3, 15), cache_minimum=1_024),
    replace(_FOUR_FIVE, id="claude-opus-4-5", prices=_prices(5, 25), efforts=("low", "medium", "high")),
    replace(_FOUR_FIVE, id="claude-sonnet-4-5", prices=_prices(3, 15), cache_minimum=1_024),
    replace(_FOUR_FIVE, id="claude-haiku-4-5"),
)
"""One row a model. 5.2's cache prices, and all prices of `fable-5`, `mythos-5` and `mythos-5-2`, are unknown."""

_BY_ID = {model.id: model for model in ROWS}
# `anthropic/claude-opus-4.5`, `us.anthropic.claude-sonnet-5-v1:0`, `claude-haiku-4-5@20251001`; a date is no version.
_VENDOR_NAME = re.compile(r"(?:^|[/.:])(claude-[a-z]+-\d{1,2}(?:[-.]\d{1,2})?)(?!\d)(?![-.]\d{1,2}(?!\d))")


def row(model_id: str) -> ModelRow:
    """Return the row of ``model_id``, also with a date, a provider's prefix or suffix.

    A model we do not know gets the defaults of `ModelRow` under the id it was given.
    """
    return _BY_ID.get(known_part(model_id)[1]) or ModelRow(id=model_id)


def known_part(model_id: str) -> tuple[str, str]:
    """Return the prefix of a provider before the id of a model that we know, and that id; both empty for any other."""
    found = _VENDOR_NAME.search(model_id.lower())
    known = found.group(1).replace(".", "-") if found else ""
    return (model_id[: found.start(1)], known) if found and known in _BY_ID else ("", "")


def thinking_params(
    row: ModelRow, *, effort: Effort | None, max_tokens: int, is_binding_refused: bool = False
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the fields that a request to ``row`` needs for thinking, and the beta headers they need.

    ``effort`` is lowered to one that the model has; None leaves the server's default.
    ``is_binding_refused``: the server has refused `block_binding` before, so it is left out.
    """
    fields: dict[str, Any] = {}
    chosen = _nearest(effort, row.efforts) if effort else None
    if chosen:
        fields["output_config"] = {"effort": chosen}
    if row.thinking == "none":
        return fields, ()
    if row.thinking == "manual":
        # The answer needs room too, and the smallest budget must fit below `max_tokens`.
        budget = min(_BUDGETS[effort or "high"], max_tokens // 2)
        if budget >= MIN_THINKING_BUDGET:
            fields["thinking"] = {"type": "enabled", "budget_tokens": budget}
        return fields, ()
    fields["thinking"] = {"type": "adaptive"}
    if row.has_display:
        fields["thinking"]["display"] = "summarized"
    if not row.is_bound or is_binding_refused:
        return fields, ()
    fields["thinking"]["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    return fields, (BINDING_BETA,)


def cost_usd(row: ModelRow, usage: Mapping[str, Any] | None) -> float | None:
    """Return what one request costs by its ``usage``; None if a price or the usage is not known.

    Cache writes that the server does not split by life are taken as 5-minute ones.
    """
    if usage is None:
        return None
    read, fresh = _tokens(usage, "cache_read_input_tokens"), _tokens(usage, "input_tokens")
    split = usage.get("cache_creation") or {}
    written_1h = _tokens(split, "ephemeral_1h_input_tokens")
    total = _tokens(usage, "cache_creation_input_tokens")
    written_5m = max(total - written_1h, _tokens(split, "ephemeral_5m_input_tokens"))
    is_long = fresh + written_5m + written_1h + read > row.long_from
    prices = row.long_prices if row.long_prices and is_long else row.prices
    bill = (
        (fresh, prices.input),
        (_tokens(usage, "output_tokens"), prices.output),
        (written_5m, prices.cache_write_5m),
        (written_1h, prices.cache_write_1h),
        (read, prices.cache_read),
    )
    if any(tokens and price is None for tokens, price in bill):
        return None
    return sum(tokens * (price or 0.0) for tokens, price in bill) / MILLION


def _nearest(effort: Effort, offered: tuple[Effort, ...]) -> Effort | None:
    """The highest effort offered that is not above ``effort``."""
    allowed = EFFORTS[: EFFORTS.index(effort) + 1]
    return next((name for name in reversed(allowed) if name in offered), None)


def _tokens(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
