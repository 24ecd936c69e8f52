"""The meter: one number for the size of the next request."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

USAGE_FIELDS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def usage_total(usage: Mapping[str, Any]) -> int:
    """Return the context size after a reply: everything it read, however cached, and what it wrote.

    Missing and null fields count as 0: other servers leave some out.
    """
    return sum(int(usage.get(field) or 0) for field in USAGE_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """Context size in tokens: the last measured size, scaled to what stands in the view now.

    The estimate of a view is off by a factor that changes little within a session, so each reply's usage sets
    ``ratio`` = measured / estimated, and the size between replies is ``ratio`` × (overhead + view).
    """

    overhead: int = 0
    """Estimated tokens of the system prompt and the tool schemas."""
    ratio: float = 1.0
    measured_at: int = -1
    """Estimated tokens of the view when it was last measured; -1 before the first reply."""

    def measured(self, usage: Mapping[str, Any], view_tokens: int) -> "Meter":
        """Return the meter after a reply with ``usage``, its blocks counted in ``view_tokens``.

        A usage of zero (servers that report none) changes nothing.
        """
        total = usage_total(usage)
        estimated = self.overhead + view_tokens
        if total <= 0 or estimated <= 0:
            return self
        return replace(self, ratio=total / estimated, measured_at=view_tokens)

    def corrected(self, tokens: int, view_tokens: int) -> "Meter":
        """Return the meter after the server named the size of a refused request."""
        estimated = self.overhead + view_tokens
        if tokens <= 0 or estimated <= 0:
            return self
        return replace(self, ratio=tokens / estimated, measured_at=view_tokens)

    def size(self, view_tokens: int) -> int:
        """Return the tokens of the next request."""
        return round(self.ratio * (self.overhead + view_tokens))

    def is_estimate(self, view_tokens: int) -> bool:
        """True unless the size is exactly what the last reply measured."""
        return view_tokens != self.measured_at
