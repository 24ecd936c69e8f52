"""What a session has for life: the head of its log, the size of its window, how its tokens and costs are counted."""

from collections.abc import Mapping
from typing import Any

from agent.assembly.shared import Config
from agent.models import cost_usd, row
from agent.prompt import system_blocks
from agent.session.session import Tools
from agent.surrogates import repaired_text
from agent.token_counter import Counter
from agent.version import __version__
from compaction.policy import DEFAULT_WINDOW_TOKENS, Sizes
from compaction.presets import PRESETS
from tools.registry import ToolRegistry


def head_of(config: Config, model: str, mode: str) -> dict[str, Any]:
    """The `session` record: what stays the same, byte for byte, as long as the session lives."""
    return {
        "version": __version__,
        "project": repaired_text(str(config.project)),
        "model": model,
        "mode": mode,
        "effort": config.effort,
        "window": sizes_of(config, model).window,
        "system": system_blocks("system", [tool.name for tool in config.tools], config.append_system),
        "tools": ToolRegistry(config.tools).schemas(),
    }


def sizes_of(config: Config, model: str) -> Sizes:
    """Return the sizes of the working window for ``model``."""
    known = row(model)
    window = config.window or min(known.window, DEFAULT_WINDOW_TOKENS)
    own = PRESETS[config.preset].summary.threshold_tokens
    return Sizes(window=window, max_output=known.max_output, own_threshold=own)


def tools_of(config: Config, model: str) -> Tools:
    """Return how the tokens of ``model`` are counted, what they cost, and the clock."""

    def price(model: str, usage: Mapping[str, Any]) -> float | None:
        return cost_usd(row(model), usage)

    return Tools(count=Counter(row(model).family).block_tokens, price=price, clock=config.clock)
