"""The prompt cache: which part of a request is read, which is written, which is paid in full."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from agent.offline.catalog import ModelFacts
from agent.offline.count import unit_tokens
from agent.offline.prefix import Unit, as_blocks, settings_line

LOOKBACK = 20
"""How many positions, a cache mark's own included, are searched for an entry of an earlier request."""

LIFETIMES_S = {"5m": 300.0, "1h": 3600.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """A request's prompt in tokens, split as `usage` splits it; ``written`` by lifetime."""

    uncached: int
    read: int
    written_5m: int
    written_1h: int

    @property
    def written(self) -> int:
        """All that was written."""
        return self.written_5m + self.written_1h

    @property
    def total(self) -> int:
        """The whole prompt."""
        return self.uncached + self.read + self.written


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The end of one unit: the hash and the tokens of all before it, and its position for the lookback."""

    key: bytes
    tokens: int
    position: int
    ttl: str | None


class PromptCache:
    """Entries at block level, written at cache marks only; a read renews an entry.

    Tools, system and messages hang on one another in this order: a change invalidates all behind it. A change
    of thinking, effort, tool choice or of the number of images invalidates the messages.
    """

    def __init__(self) -> None:
        self._expires: dict[bytes, float] = {}
        self._ttl: dict[bytes, str] = {}
        self._lock = Lock()

    def bill(self, body: Mapping[str, Any], flat: Sequence[Unit], *, facts: ModelFacts, now: float) -> Bill:
        """Look up and write the request's prefix at the time ``now`` (seconds on any clock).

        Args:      flat: the blocks that the model sees, in order.
        """
        places = _places(body, flat, facts=facts)
        with self._lock:
            hit = self._longest_hit(places, now)
            read = places[hit].tokens if hit is not None else 0
            written = self._write(places, facts, now=now, read=read)
        total = places[-1].tokens if places else 0
        uncached = total - read - sum(written.values())
        return Bill(uncached=uncached, read=read, written_5m=written["5m"], written_1h=written["1h"])

    def _longest_hit(self, places: Sequence[_Place], now: float) -> int | None:
        hits = [self._hit_before(places, mark, now=now) for mark, place in enumerate(places) if place.ttl]
        found = [hit for hit in hits if hit is not None]
        for hit in found:
            key = places[hit].key
            self._expires[key] = now + LIFETIMES_S[self._ttl[key]]
        return max(found, default=None)

    def _hit_before(self, places: Sequence[_Place], mark: int, *, now: float) -> int | None:
        for index in range(mark, -1, -1):
            if places[mark].position - places[index].position >= LOOKBACK:
                return None
            if self._expires.get(places[index].key, now) > now:
                return index
        return None

    def _write(self, places: Sequence[_Place], facts: ModelFacts, *, now: float, read: int) -> dict[str, int]:
        written = {"5m": 0, "1h": 0}
        done = read
        for place in places:
            if place.ttl is None or place.tokens < facts.cache_minimum:
                continue
            self._expires[place.key] = now + LIFETIMES_S[place.ttl]
            self._ttl[place.key] = place.ttl
            # A mark inside the part that was read makes an entry, too, but costs nothing.
            written[place.ttl] += max(0, place.tokens - done)
            done = max(done, place.tokens)
        return written


def _places(body: Mapping[str, Any], flat: Sequence[Unit], *, facts: ModelFacts) -> list[_Place]:
    places: list[_Place] = []
    key = hashlib.sha256(facts.id.encode()).digest()
    tokens, position = 0, 0
    previous: Unit | None = None
    for unit in flat:
        entering = unit.section == "messages" and (previous is None or previous.section != "messages")
        salt = settings_line(body) + str(_images(flat)).encode() if entering else b""
        key = hashlib.sha256(key + salt + unit.line).digest()
        tokens += unit_tokens(unit, facts)
        # Neighbouring tool results count as one position of the lookback.
        together = previous is not None and unit.kind == previous.kind == "tool_result"
        position += 0 if together else 1
        places.append(_Place(key=key, tokens=tokens, position=position, ttl=unit.ttl))
        previous = unit
    return places


def _images(flat: Sequence[Unit]) -> int:
    blocks = [unit.block for unit in flat if unit.section == "messages"]
    inner = [
        part
        for block in blocks
        if block.get("type") == "tool_result"
        for part in as_blocks(block.get("content"))
    ]
    return sum(block.get("type") == "image" for block in [*blocks, *inner])
