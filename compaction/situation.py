"""What a layer decides by, beside the view: sizes, prices, the time; and where things are kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from compaction.policy import Sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Of the model's cache, relative to its input price."""

    read: float = 0.1
    write: float = 1.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Names of the files that a layer may plan; a path as it stands in the view."""

    spills: str
    """Folder of the full texts of shortened results."""
    archive: str
    """Path of the next archive."""
    ledger: str = ""
    """Path of the ledger's older entries."""
    prompt: str = ""
    """Path of the next long text of the user's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that a layer may look at beside the view. Same situation, same plan."""

    sizes: Sizes
    prices: Prices
    places: Places
    step: int
    """The step whose request comes next."""
    now: float
    """Seconds since the epoch."""
    is_cold: bool
    """The prompt cache has expired: a change of the prefix costs nothing now."""
    idle_s: float = 0.0
    """Since the last request."""
    size: Callable[[int], int]
    """Context size by the meter for a view of so many estimated tokens."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Call id -> path of the full text of a result that its tool kept on disk already."""
    present: Mapping[str, str] = field(default_factory=dict)
    """Path -> numbered lines of a file that the newest batch edited, read just now."""
    held: frozenset[str] = frozenset()
    """Blocks that an undo brought back: they stay while there is room. So does the call that wrote the todo list."""
    passing: frozenset[str] = frozenset()
    """Texts of ours in the user's messages that are of no use later: nobody's words."""
    is_waiting: bool = False
    """Thinking of the open turn may not lose its prefix: layers that would change it wait for the turn's end."""
    is_paused: bool = False
    """Making room got nowhere: size alone makes no layer act; the summary is tried, or nothing."""
    drops_thinking: bool = False
    """The server refuses thinking whose prefix changed and cannot be told to drop it: a cut takes all of it out."""
    active: tuple[str, ...] = ()
    """The active request with its steering; empty between turns."""
