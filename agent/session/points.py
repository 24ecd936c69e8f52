"""Going back: the places that a session can go back to, and how all stood there."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compaction.thrash import Progress
from compaction.timeline import Mark

if TYPE_CHECKING:
    from agent.session.state import State

FIELDS = (
    "notes",
    "todos",
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
    """The turn that begins with it."""
    changes: int
    """How many changes of files there were."""
    timeline: Mark
    fields: Mapping[str, Any]
    grown: Mapping[str, tuple[list[Any], int]]


def capture(state: "State", record: str, turn: int) -> Point:
    """Return the place before ``record``, which begins ``turn``."""
    return Point(
        record=record,
        parent=state.last,
        turn=turn,
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
    for name, (items, length) in point.grown.items():
        # A new list: the old one, up to that length, is never changed.
        setattr(state, name, items[:length])
    state.calls.results = {}
    state.is_turn_open, state.compact_wish = False, None
    state.meter, state.pace = state.meter.changed(), state.pace.broken()
    state.progress, state.is_paused = Progress(), False
