"""The presets: which layers run before a step, as data."""

from compaction.balanced import BalancedCut
from compaction.budget import ResultBudget
from compaction.pipeline import Layer
from compaction.restore import restore_edited

PRESETS: dict[str, tuple[Layer, ...]] = {
    "balanced": (ResultBudget(), restore_edited, BalancedCut()),
    "off": (),
}
DEFAULT_PRESET = "balanced"
