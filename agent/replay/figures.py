"""What a replay measures: sums, so that several sessions can be pooled."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One session under one preset, or several together. Prices in tokens of uncached input."""

    steps: int = 0
    cost: float = 0.0
    """Any unchanged prefix of the previous request counts as read."""
    cost_marks: float = 0.0
    """Entries only at the marks that the product sets."""
    billed: float = 0.0
    """What ``cost`` is compared with."""
    edits: int = 0
    supported: int = 0
    uses: int = 0
    standing: int = 0
    dropped_bytes: int = 0
    recovered_bytes: int = 0
    peak_tokens: int = 0
    resets: int = 0
    summaries: int = 0
    seconds: float = 0.0
    """Taken by the layers."""

    def __add__(self, other: "Figures") -> "Figures":
        """Pool two: sums, and the larger peak."""
        values = {
            field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)
        }
        return Figures(**{**values, "peak_tokens": max(self.peak_tokens, other.peak_tokens)})
