"""Going back: the places that a session can go back to, and how all stood there."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from agent.session.records import Record
from compaction.thrash import Progress
from compaction.timeline import Mark

if TYPE_CHECKING:
    from agent.session.state import State

What = Literal["conversation", "files", "both"]

FIELDS = (
    "notes",
    "shells",
    "todos",
    "todo_clock",
    "known",
    "bash_cwd",
    "context_files",
    "compactions",
    "summarised_at",
    "standing",
    "pins",
    "newest_change",
)
"""Fields of the state that go back with the view. All others never do: what was spent, ids and numbers that were given
out, model and mode, files that are kept."""

GROWING = ("prompts", "branch")
"""Fields that go back, too, and only grow otherwise: their length tells how they stood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A place before a record: the first of a turn, or a `rewind`."""

    record: str
    """Id of that record."""
    parent: str
    """Id of the record before it on its branch."""
    turn: int
    """The turn that begins with it; 0 for a `rewind`."""
    at: str
    """When that record was written."""
    what: What | None
    """What a `rewind` took back; None for a turn."""
    changes: int
    """How many changes of files there were."""
    timeline: Mark
    fields: Mapping[str, Any]
    grown: Mapping[str, tuple[list[Any], int]]

    def stood(self, name: str) -> list[Any]:
        """Return a field of `GROWING` as it stood here."""
        items, length = self.grown[name]
        return items[:length]


def capture(state: "State", record: Record, turn: int) -> Point:
    """Return the place before ``record``, which begins ``turn`` or, with 0, is a `rewind`."""
    return Point(
        record=record["id"],
        parent=state.last,
        turn=turn,
        at=str(record.get("at", "")),
        what=None if turn else record.get("what"),
        changes=len(state.changes),
        timeline=state.timeline.mark(),
        fields={name: copy(getattr(state, name)) for name in FIELDS},
        grown={name: (getattr(state, name), len(getattr(state, name))) for name in GROWING},
    )


def go_back(state: "State", point: Point) -> None:
    """Let the conversation stand again as it stood at ``point``; the log goes on, and so do all numbers."""
    state.timeline.go_back(point.timeline)
    for name, value in point.fields.items():
        setattr(state, name, copy(value))
    for name in point.grown:
        # A new list: the old one, up to that length, is never changed.
        setattr(state, name, point.stood(name))
    state.calls.results = {}
    state.is_turn_open, state.compact_wish = False, None
    state.meter, state.pace = state.meter.changed(), state.pace.broken()
    state.progress, state.is_paused = Progress(), False
