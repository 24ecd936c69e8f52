"""Running totals of a view: how large it is, and which thinking of it goes back."""

from collections import Counter
from typing import TYPE_CHECKING

from compaction.messages import chars_of, is_thinking

if TYPE_CHECKING:
    from compaction.view import Origin, Placed, Reader


class Totals:
    """Running totals of a view: tokens, bytes, and which thinking goes back; no block is looked at twice."""

    def __init__(self) -> None:
        self.tokens = 0
        self.bytes = 0
        """Size of all blocks as JSON, images included."""
        self.chars = 0
        """Characters of all texts and inputs, thinking and images left out."""
        self.valid: set[str] = set()
        """Records whose thinking follows the prefix that made it: what came before a change and stands behind it does
        not, what was made since then does, for the server has not counted what it dropped."""
        self._record = ""
        self._last = ""
        self._thinking = 0
        self._own: Counter[str] = Counter()
        self._valid: Counter[str] = Counter()
        self._exempt: Counter[str] = Counter()
        """Thinking of the last assistant message that its prefix would not let pass; by model, as the two before."""

    def add(self, placed: "Placed", size: int, origin: "Origin | None", *, before: str) -> None:
        """Count a block of ``size`` bytes that came to stand behind the prefix with the hash ``before``."""
        self.tokens += placed.tokens
        self.bytes += size
        self.chars += chars_of(placed.block)
        if placed.role == "assistant" and placed.record != self._last:
            self._last = placed.record
            self._exempt.clear()
        if origin is None:
            self._thinking += placed.tokens if is_thinking(placed.block) else 0
            return
        if placed.record != self._record:
            self._record = placed.record
            if origin.prefix_sha == before:
                self.valid.add(placed.record)
        if is_thinking(placed.block):
            self._think(placed, origin.model)

    def sent(self, reader: "Reader | None") -> int:
        """Return the tokens that go to ``reader``; all of them when nobody is named."""
        if reader is None:
            return self.tokens
        if reader.rule == "none":
            return self.tokens - self._thinking
        if reader.rule == "bound":
            goes = self._valid[reader.model] + self._exempt[reader.model]
        else:
            goes = self._own[reader.model]
        return self.tokens - self._thinking + goes

    def _think(self, placed: "Placed", model: str) -> None:
        self._thinking += placed.tokens
        self._own[model] += placed.tokens
        if placed.record in self.valid:
            self._valid[model] += placed.tokens
        else:
            self._exempt[model] += placed.tokens
