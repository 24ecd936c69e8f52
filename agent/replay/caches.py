"""Two prompt caches: one that knows every prefix, and one with entries at the product's own marks only."""

from collections.abc import Iterable, Sequence

from agent.replay.prices import CACHE_LIFE_S, PROMPT_TOKENS, READ, WRITE
from compaction.view import Placed

LOOKBACK = 20
"""How many positions, a mark's own included, the server searches for an entry of an earlier request."""


class PrefixCache:
    """Reads whatever the previous request began with, while it is warm."""

    def __init__(self) -> None:
        self._previous: list[str] = []
        self.resets = 0
        """Requests that did not go on from a warm previous one."""

    def price(self, request: Sequence[Placed], *, is_cold: bool) -> float:
        """Return what the prompt of ``request`` costs, in tokens of uncached input."""
        ids = [placed.id for placed in request]
        same = 0 if is_cold else _common(ids, self._previous)
        if not is_cold and same < len(self._previous):
            self.resets += 1
        self._previous = ids
        total = PROMPT_TOKENS + sum(placed.tokens for placed in request)
        read = 0 if is_cold else PROMPT_TOKENS + sum(placed.tokens for placed in request[:same])
        return READ * read + WRITE * (total - read)


class MarkCache:
    """Entries where a request had marks, and at the end of the system prompt; a read renews an entry.

    Source of the rules: the vendor's description of prompt caching.
    """

    def __init__(self) -> None:
        self._expires: dict[int, float] = {}

    def price(self, request: Sequence[Placed], marks: Iterable[int], *, now: float) -> float:
        """Return what the prompt of ``request`` costs; ``marks``: indices of the blocks that carry one."""
        keys, ends, positions = [0], [PROMPT_TOKENS], [0]
        previous = ""
        for placed in request:
            kind = placed.block["type"]
            # Neighbouring tool results count as one position.
            is_neighbour = kind == previous == "tool_result"
            keys.append(hash((keys[-1], placed.id)))
            ends.append(ends[-1] + placed.tokens)
            positions.append(positions[-1] + (not is_neighbour))
            previous = kind
        marked = [0, *(index + 1 for index in marks)]
        hit = max((self._before(mark, keys, positions, now) for mark in marked), default=-1)
        read = ends[hit] if hit >= 0 else 0
        renewed = [*marked, hit] if hit >= 0 else marked
        self._expires |= {keys[index]: now + CACHE_LIFE_S for index in renewed}
        cached = max(read, *(ends[mark] for mark in marked))
        return READ * read + WRITE * (cached - read) + (ends[-1] - cached)

    def _before(self, mark: int, keys: Sequence[int], positions: Sequence[int], now: float) -> int:
        """Index of the longest entry that a mark finds; -1 when it finds none."""
        for index in range(mark, -1, -1):
            if positions[mark] - positions[index] >= LOOKBACK:
                break
            if self._expires.get(keys[index], now - 1) >= now:
                return index
        return -1


def _common(ids: Sequence[str], others: Sequence[str]) -> int:
    """How many ids both begin with."""
    for index, (one, other) in enumerate(zip(ids, others, strict=False)):
        if one != other:
            return index
    return min(len(ids), len(others))
