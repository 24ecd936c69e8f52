"""Which records of a log stand, and which were left behind by a rewind: as `session.going_back` has it, without a view."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.session.records import Record

FILES = "files"
"""What a rewind took back that leaves no turn behind."""
_TOLD = ("message", "result", "compaction", "context", "pin", "subagent")
"""Records without which nothing was left behind."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Records that stand one after the other, and the stretch that stands before them."""

    before: "_Stretch | None"
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place before a record that can be gone back to: the first of ``turn``, or with 0 a rewind."""

    turn: int
    tokens: int
    """Context size there."""
    at: str
    """Stamp of the record."""
    standing: _Stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewind:
    """A rewind of the conversation, and where it went to."""

    id: str
    at: str
    to: Place

    @property
    def words(self) -> str:
        """What is said of what it left behind."""
        undo = "" if self.to.turn else " undo"
        return f"left behind by /rewind{undo} at {moment(self.at)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Records from ``start`` up to ``stop`` that one rewind left behind."""

    start: int
    stop: int
    by: Rewind
    turns: tuple[int, ...]
    """Turns that a message of it belongs to."""
    is_told: bool
    """False where only words on what happened beside the conversation were left, like those on a rewind."""


class Branches:
    """Takes the records in order, by their numbers from 0; a rewind to a place that nobody knows has no effect."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        """Record id -> the place before it."""
        self._rewinds: list[Rewind] = []
        self._by = array("L")
        """Record -> number of the rewind that left it behind, from 1; 0: it stands."""
        self._turns = array("L")
        self._told = bytearray()
        self._turn = 0
        self._before: _Stretch | None = None
        self._start = 0

    @property
    def number(self) -> int:
        """How many records there were."""
        return len(self._by)

    def pass_over(self) -> None:
        """Count a record that has no effect."""
        self._count(0, is_told=False)

    def take(self, record: Record, *, turn: int, tokens: int) -> Place | None:
        """Take a record of ``turn`` in, before which the context had so many tokens; return where it goes back to.

        Raises:    LookupError: a rewind to nowhere.
        """
        here = _Stretch(self._before, self._start, self.number)
        kind = record["type"]
        if turn > self._turn or kind == "rewind":
            begun, at = (turn if turn > self._turn else 0), str(record.get("at", ""))
            self.places.setdefault(record["id"], Place(turn=begun, tokens=tokens, at=at, standing=here))
        self._turn = max(self._turn, turn)
        to = self.places[record["to"]] if kind == "rewind" and record["what"] != FILES else None
        if to is not None:
            self._go_back(here, Rewind(id=record["id"], at=str(record.get("at", "")), to=to))
        self._count(turn if kind == "message" else 0, is_told=kind in _TOLD)
        return to

    def left_by(self, number: int) -> Rewind | None:
        """Return the rewind that left a record behind; None for one that stands."""
        by = self._by[number]
        return self._rewinds[by - 1] if by else None

    def left(self) -> Iterator[Left]:
        """Yield what is left behind, in order, each as long as one rewind left it."""
        start = 0
        while start < self.number:
            by, stop = self._by[start], start + 1
            while stop < self.number and self._by[stop] == by:
                stop += 1
            if by:
                yield Left(
                    start=start,
                    stop=stop,
                    by=self._rewinds[by - 1],
                    turns=tuple(sorted(set(self._turns[start:stop]) - {0})),
                    is_told=any(self._told[start:stop]),
                )
            start = stop

    def _go_back(self, here: _Stretch, rewind: Rewind) -> None:
        self._rewinds.append(rewind)
        self._paint(here, len(self._rewinds))
        self._paint(rewind.to.standing, 0)
        self._before, self._start = rewind.to.standing, self.number

    def _paint(self, stretch: _Stretch | None, by: int) -> None:
        while stretch is not None:
            width = stretch.stop - stretch.start
            self._by[stretch.start : stretch.stop] = array("L", [by]) * width
            stretch = stretch.before

    def _count(self, turn: int, *, is_told: bool) -> None:
        self._by.append(0)
        self._turns.append(turn)
        self._told.append(is_told)


def moment(at: str) -> str:
    """Return a stamp as it is shown, to the second."""
    return at[:19].replace("T", " ")


def turns_named(turns: Sequence[int]) -> str:
    """Return `turn 2`, `turns 2 to 4`; nothing for none."""
    if not turns:
        return ""
    return f"turn {turns[0]}" if len(turns) == 1 else f"turns {turns[0]} to {turns[-1]}"
