"""The presets: which layers run before a step, and when the history is summarised, as data."""

from dataclasses import dataclass, field
from difflib import get_close_matches

from compaction.balanced import BalancedCut
from compaction.budget import ResultBudget
from compaction.micro import MicroCompact
from compaction.pipeline import Layer
from compaction.policy import SummaryRule
from compaction.prompts import long_prompts
from compaction.repeated import repeated_output
from compaction.restore import restore_edited
from compaction.snip import Snip

FITTING = ResultBudget(fits_window=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One way to keep a context small."""

    layers: tuple[Layer, ...] = ()
    guard: tuple[Layer, ...] = (FITTING,)
    """What runs after them, and after a summary, when the request would still pass the window."""
    summary: SummaryRule = field(default_factory=SummaryRule)


MANY = Snip(most=2_000, again=0, head=3, tail=1_197)
"""Far above what work needs: keeps the number of messages bounded whatever their size."""
PRESETS: dict[str, Preset] = {
    "balanced": Preset(
        layers=(long_prompts, repeated_output, ResultBudget(), restore_edited, MANY, BalancedCut())
    ),
    "classic": Preset(
        layers=(
            long_prompts,
            ResultBudget(window_share=1.0, spares_small=True, head_chars=2_000, tail_chars=0),
            Snip(),
            MicroCompact(),
        ),
        summary=SummaryRule(threshold_chars=50_000, restored_files=0, is_serialised=True, kept_messages=5),
    ),
    "early": Preset(
        layers=(long_prompts, MicroCompact(over_chars=100, names_tool=True)),
        summary=SummaryRule(threshold_tokens=50_000, restored_files=0),
    ),
    "window": Preset(layers=(long_prompts, ResultBudget(), MicroCompact(keep=5, idle_s=3_600.0))),
    "off": Preset(layers=(long_prompts,), guard=(), summary=SummaryRule(is_automatic=False)),
}
"""`balanced`: what is dead goes when that pays at the cache's prices. `classic`: a teaching course's layers, a snip over
50 messages and placeholders at every step. `early`: the same course's older three layers. `window`: hardly anything
until the window is full. `off`: nothing but what is asked for, or what the server forces; the user's longest texts are
kept on disk under every preset."""
DEFAULT_PRESET = "balanced"


def nearest(name: str) -> str:
    """Return the preset whose name is most like ``name``."""
    return get_close_matches(name, PRESETS, n=1, cutoff=0.0)[0]
