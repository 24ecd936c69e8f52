"""Sizes of a working window, in tokens: what is kept free, where the summary starts, how much each part may take."""

from dataclasses import dataclass

MIN_WINDOW_TOKENS = 16_000
DEFAULT_WINDOW_TOKENS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Shares of a working window. Source of the numbers: what the large agents converge on, scaled.

    Args:  window: tokens of the working window; max_output: tokens the model may write.
    """

    window: int
    max_output: int

    @property
    def reserve(self) -> int:
        """Room for a reply and for the summary request."""
        return min(self.max_output, 20_000, self.window // 5) + min(13_000, self.window // 10)

    @property
    def threshold(self) -> int:
        """Context size over which the history is summarised."""
        return self.window - self.reserve

    @property
    def low_water(self) -> int:
        """Context size down to which a layer makes room."""
        return self.threshold * 6 // 10

    @property
    def summary(self) -> int:
        """Most tokens of a summary."""
        return min(20_000, self.threshold * 15 // 100)

    @property
    def earlier_prompts(self) -> int:
        """Most tokens of the user's earlier prompts kept word for word."""
        return min(20_000, self.threshold * 15 // 100)

    @property
    def ledger(self) -> int:
        """Most tokens of the ledger."""
        return min(8_000, self.threshold // 10)
