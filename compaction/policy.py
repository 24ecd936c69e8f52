"""Sizes of a working window, in tokens, and when and how a history is summarised."""

from dataclasses import dataclass

MIN_WINDOW_TOKENS = 16_000
DEFAULT_WINDOW_TOKENS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Shares of a working window. Source of the numbers: what the large agents converge on, scaled.

    Args:  window: tokens of the working window; max_output: tokens the model may write; own_threshold: a preset's
    own limit, which holds when it is lower.
    """

    window: int
    max_output: int
    own_threshold: int | None = None

    @property
    def reserve(self) -> int:
        """Room for a reply and for the summary request."""
        return min(self.max_output, 20_000, self.window // 5) + min(13_000, self.window // 10)

    @property
    def threshold(self) -> int:
        """Context size over which the history is summarised."""
        limit = self.window - self.reserve
        return limit if self.own_threshold is None else min(limit, self.own_threshold)

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

    @property
    def pins(self) -> int:
        """Most tokens of pinned text; more is refused when it is pinned."""
        return self.threshold // 20

    @property
    def restored(self) -> int:
        """Most tokens of files restored after a summary."""
        return min(50_000, self.threshold // 5)

    @property
    def skills(self) -> int:
        """Most tokens of skills that stand again after a summary."""
        return min(25_000, self.threshold // 8)

    @property
    def words(self) -> int:
        """Most tokens of one text of the user's that stands whole in the view."""
        return self.threshold // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRule:
    """When and how a preset has the history summarised."""

    is_automatic: bool = True
    """False: only when somebody asks, or when the server refuses the history."""
    threshold_tokens: int | None = None
    """A limit of its own, beside that of the window."""
    threshold_chars: int | None = None
    """A limit in characters of all that stands in the view."""
    restored_files: int = 5
    """How many of the files the work is at come back after a summary."""
    is_serialised: bool = False
    """Ask with the history as one text, without tools, instead of with the next request: reads no cache."""
    kept_messages: int = 0
    """After a refusal so many of the newest messages stay, and only what is before them is summarised."""
