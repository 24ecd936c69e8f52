"""The models that the offline server knows, and what each one accepts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

Family = Literal["4", "5"]
"""Which tokenizer counts: that of the models up to 4.6, or the denser one from 4.7 on."""

SMALL_MAX_OUTPUT = 64_000
"""What the models with a window of 200,000 tokens write at most."""

ALL_EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the server must know of one model; sizes in tokens.

    ``bound_thinking``: a thinking block is valid only behind the conversation that produced it.
    ``counts_output_in_window``: the input and `max_tokens` together must fit the window (models before 4.5).
    """

    id: str
    window: int = 1_000_000
    max_output: int = 128_000
    cache_minimum: int = 512
    family: Family = "5"
    thinking: tuple[str, ...] = ("adaptive",)
    efforts: tuple[str, ...] = ALL_EFFORTS
    bound_thinking: bool = False
    prefill: bool = False
    forced_tool: bool = True
    system_messages: bool = True
    counts_output_in_window: bool = False

    @property
    def max_image_tokens(self) -> int:
        """What one image costs at most."""
        return 4784 if self.family == "5" else 1568

    @property
    def max_images(self) -> int:
        """How many images a request may hold: fewer for the models that were made for 200,000 tokens."""
        return 600 if self.max_output > SMALL_MAX_OUTPUT else 100


_BOUND = ModelFacts(id="", bound_thinking=True, forced_tool=False)
_FIVE = ModelFacts(id="")
_FOUR_SEVEN = ModelFacts(id="", thinking=("adaptive", "disabled"), system_messages=False)
_FOUR_SIX = ModelFacts(
    id="",
    cache_minimum=4096,
    family="4",
    thinking=("adaptive", "enabled", "disabled"),
    efforts=("low", "medium", "high", "max"),
    system_messages=False,
)
_FOUR_FIVE = ModelFacts(
    id="",
    window=200_000,
    max_output=SMALL_MAX_OUTPUT,
    cache_minimum=4096,
    family="4",
    thinking=("enabled", "disabled"),
    efforts=(),
    prefill=True,
    system_messages=False,
)

MODELS = (
    replace(_BOUND, id="claude-opus-5-5"),
    replace(_BOUND, id="claude-sonnet-5-5", thinking=("adaptive", "between_tools")),
    replace(_BOUND, id="claude-haiku-5-5", forced_tool=True, system_messages=False),
    replace(_BOUND, id="claude-fable-5-2"),
    replace(_BOUND, id="claude-fable-5-1"),
    replace(_BOUND, id="claude-mythos-5-2"),
    replace(_BOUND, id="claude-mythos-5-1"),
    replace(_FIVE, id="claude-fable-5"),
    replace(_FIVE, id="claude-mythos-5"),
    replace(_FIVE, id="claude-opus-5", thinking=("adaptive", "disabled")),
    replace(_FOUR_SEVEN, id="claude-sonnet-5", cache_minimum=1024),
    replace(_FOUR_SEVEN, id="claude-opus-4-8", cache_minimum=1024, system_messages=True),
    replace(_FOUR_SEVEN, id="claude-opus-4-7", cache_minimum=2048),
    replace(_FOUR_SIX, id="claude-opus-4-6"),
    replace(_FOUR_SIX, id="claude-sonnet-4-6", cache_minimum=1024),
    replace(_FOUR_FIVE, id="claude-opus-4-5", efforts=("low", "medium", "high")),
    replace(_FOUR_FIVE, id="claude-opus-4-5-20251101", efforts=("low", "medium", "high")),
    replace(_FOUR_FIVE, id="claude-sonnet-4-5", cache_minimum=1024),
    replace(_FOUR_FIVE, id="claude-sonnet-4-5-20250929", cache_minimum=1024),
    replace(_FOUR_FIVE, id="claude-haiku-4-5"),
    replace(_FOUR_FIVE, id="claude-haiku-4-5-20251001"),
)
"""The vendor's models as of November 2026."""


def catalog(*, windows: Mapping[str, int], extra: Iterable[ModelFacts]) -> dict[str, ModelFacts]:
    """Every known model by id, with the ``extra`` ones and with the context ``windows`` put in by id."""
    models = {model.id: model for model in (*MODELS, *extra)}
    return {id_: replace(model, window=windows.get(id_, model.window)) for id_, model in models.items()}
