"""What a session's requests cost, counted by the bytes of their JSON, so that it depends on nobody's tokenizer.

Two prompt caches, neither of which forgets: one with entries at the requests' own cache marks (20 positions of
lookback, as the offline server has it), one that reads whatever prefix any earlier request had.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from agent.offline.cache import LOOKBACK
from agent.offline.prefix import Unit, settings_line, units

BYTES_A_TOKEN = 4
CACHE_MINIMUM = 1_024
"""Tokens of the shortest prefix that is cached."""
READ, WRITE = 0.1, 1.25
"""Relative to the price of uncached input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A request's prompt in tokens: what was paid in full, written to the cache, read from it."""

    uncached: float = 0.0
    written: float = 0.0
    read: float = 0.0

    @property
    def cost(self) -> float:
        """In tokens of uncached input."""
        return self.uncached + WRITE * self.written + READ * self.read

    def __add__(self, other: "Split") -> "Split":
        return Split(
            uncached=self.uncached + other.uncached,
            written=self.written + other.written,
            read=self.read + other.read,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """Unit by unit: the hash and the tokens of all up to its end, its position for the lookback; where marks are."""

    keys: Sequence[int]
    ends: Sequence[float]
    positions: Sequence[int]
    marks: Sequence[int]


def splits(bodies: Iterable[Mapping[str, Any]], *, at_marks: bool) -> list[Split]:
    """Split the prompt of each request; ``at_marks``: entries only at cache marks, else every prefix is one."""
    entries: set[int] = set()
    found = []
    for body in bodies:
        request = _read(body)
        found.append(_at_marks(request, entries) if at_marks else _any_prefix(request, entries))
    return found


def bill(bodies: Iterable[Mapping[str, Any]], *, at_marks: bool) -> Split:
    """Sum up what all requests cost."""
    return sum(splits(bodies, at_marks=at_marks), Split())


def request_tokens(body: Mapping[str, Any]) -> float:
    """Count a request's prompt."""
    return _read(body).ends[-1]


def _read(body: Mapping[str, Any]) -> _Request:
    flat = units(body)
    return _Request(
        keys=_keys(body, flat),
        ends=list(accumulate(_size(unit) / BYTES_A_TOKEN for unit in flat)),
        positions=_positions(flat),
        marks=[index for index, unit in enumerate(flat) if unit.ttl],
    )


def _keys(body: Mapping[str, Any], flat: Sequence[Unit]) -> list[int]:
    keys, key, section = [], hash(str(body.get("model"))), ""
    for unit in flat:
        salt = settings_line(body) if unit.section == "messages" != section else b""
        key = hash((key, salt, unit.line))
        section = unit.section
        keys.append(key)
    return keys


def _size(unit: Unit) -> int:
    block = {name: value for name, value in unit.block.items() if name != "cache_control"}
    return len(json.dumps(block, ensure_ascii=False, separators=(",", ":")).encode())


def _positions(flat: Sequence[Unit]) -> list[int]:
    """Neighbouring tool results count as one position."""
    kinds = ["", *(unit.kind for unit in flat)]
    steps = (not (kinds[index] == unit.kind == "tool_result") for index, unit in enumerate(flat))
    return list(accumulate(map(int, steps)))


def _any_prefix(request: _Request, entries: set[int]) -> Split:
    same = next((index for index, key in enumerate(request.keys) if key not in entries), len(request.keys))
    read = request.ends[same - 1] if same else 0.0
    entries.update(request.keys)
    return Split(written=request.ends[-1] - read, read=read)


def _at_marks(request: _Request, entries: set[int]) -> Split:
    hit = max((_hit(request, mark, entries) for mark in request.marks), default=-1)
    read = cached = request.ends[hit] if hit >= 0 else 0.0
    for mark in request.marks:
        if request.ends[mark] >= CACHE_MINIMUM:
            entries.add(request.keys[mark])
            cached = max(cached, request.ends[mark])
    return Split(uncached=request.ends[-1] - cached, written=cached - read, read=read)


def _hit(request: _Request, mark: int, entries: set[int]) -> int:
    """Index of the longest entry that a mark finds; -1 when it finds none."""
    for index in range(mark, -1, -1):
        if request.positions[mark] - request.positions[index] >= LOOKBACK:
            break
        if request.keys[index] in entries:
            return index
    return -1
