"""What a summary stands among."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from compaction.loaded import LoadedSkill
from compaction.messages import Block
from compaction.plan import Trigger
from compaction.situation import Prices
from compaction.view import Placed


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the summary stands among; all of it from the log and the disk, nothing from the history."""

    context: Sequence[Block]
    """The context block, read anew."""
    active: Sequence[str]
    """The active request and its steering, in order; empty between turns."""
    earlier: Sequence[str]
    """The user's earlier prompts, oldest first."""
    pins: Sequence[str]
    """What the user pinned."""
    todos: str
    """The todos, a line each (`- [pending] test it`); empty when there are none."""
    archive_path: str
    kept: Mapping[str, str]
    """Call id -> path of the full text of a result that its tool kept."""
    before: Sequence[str]
    """Paths of everything that was put aside earlier."""
    trigger: Trigger
    size: Callable[[int], int]
    """Context size by the meter for a view of so many estimated tokens."""
    pictures: Sequence[Placed] = ()
    """The pictures of the active request that stand in the view."""
    notes: Sequence[str] = ()
    """What hooks or the program told the model since its last reply, in order."""
    restored: Sequence[tuple[str, str]] = ()
    """(path, numbered lines) of the files that the work is at, the most wanted first."""
    skills: Sequence[LoadedSkill] = ()
    """What was loaded, the newest first."""
    ledger_path: str = ""
    """Path of the ledger's file; without one, what does not fit is counted."""
    since: int = 0
    """Step of the last summary: files written or edited from then on must be named."""
    prices: Prices = field(default_factory=Prices)
    is_cold: bool = False
    """The prompt cache has expired: writing all anew costs nothing extra."""
    drops_thinking: bool = False
    """The server refuses thinking whose prefix changed: none may stay in messages that are kept."""
