"""What a compaction costs, in money as far as prices are known."""

from agent.session.state import State
from agent.terminal.figures import dollars, times

LEAST_USD = 0.0001
LEAST_SHOWN_USD = 0.005
"""Below it a cost is shown with more digits."""


def usd_shown(usd: float | None) -> str:
    """Return a cost: `$0.19`, `$0.0031`; `$?` where it is not known."""
    if usd is None:
        return "$?"
    if 0 < usd < LEAST_USD:
        return f"under ${LEAST_USD}"
    return f"${usd:.4f}" if 0 < usd < LEAST_SHOWN_USD else dollars(usd, is_known=True)


def steps_shown(steps: float) -> str:
    """Return a number of steps, rounded up: none is promised too early."""
    return times(max(1, int(-(-steps // 1))), "step")


def read_usd(tokens: int, state: State, *, is_cold: bool = False) -> float | None:
    """Return what it costs to read tokens from the cache, or anew when it is cold; None where that is unknown."""
    return state.price(state.model, {"input_tokens" if is_cold else "cache_read_input_tokens": tokens})


def rewrite_usd(tokens: int, state: State) -> float | None:
    """Return what it costs more to write tokens to the cache than to read them; None where that is unknown."""
    write = state.price(state.model, {"cache_creation_input_tokens": tokens})
    read = read_usd(tokens, state)
    return None if write is None or read is None else write - read
