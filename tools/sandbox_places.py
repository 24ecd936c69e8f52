"""What each place is to a command in the sandbox: the nearest place that has a rule decides."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.git_folders import GitFolders
from tools.secret_places import NEEDED_OF_RUN, SOCKETS, STARTED_FROM_HOME, secrets

Kind = Literal["hidden", "read-only", "private", "writable"]
"""`private`: a folder of the session's own in its place. Of two rules for one place the earlier kind counts."""
_STRICTEST_FIRST: tuple[Kind, ...] = ("hidden", "read-only", "private", "writable")
TEMPORARY = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108  # the folders themselves, not files in them
DEVICES = Path("/dev")
"""Made anew for each command, with nothing but the harmless ones."""
OURS = (".transcripts", ".task_outputs", ".agent", ".claude")
"""In the project: transcripts, kept results, settings; commands may read them only."""


@dataclass(frozen=True, slots=True)
class Place:
    """One rule."""

    path: Path
    """Absolute, links resolved; it exists."""
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What the places follow from; all paths are absolute and resolved."""

    project: Path
    home: Path
    """The user's."""
    own: Path
    """The agent's folder in it, settings and sessions: hidden."""
    git: GitFolders | None
    """As it was before any command ran: a command could put another in its place."""
    write: tuple[Path, ...] = ()
    """What else the user lets commands write to."""


def places(grounds: Grounds) -> list[Place]:
    """Return the rules as they are now, an outer place before what lies in it. What does not exist has none.

    Raises:    OSError: a place cannot be looked at.
    """
    found: dict[Path, Kind] = {Path("/"): "read-only"}
    for kind in _STRICTEST_FIRST:
        for path in _existing(_of_kind(grounds, kind)):
            found.setdefault(path, kind)
    return [Place(path, kind) for path, kind in sorted(found.items(), key=lambda item: len(item[0].parts))]


def kind_of(path: Path, rules: Iterable[Place]) -> Kind:
    """Return what ``path``, which is resolved, is to a command."""
    kinds = {place.path: place.kind for place in rules}
    return next((kinds[one] for one in (path, *path.parents) if one in kinds), "read-only")


def _of_kind(grounds: Grounds, kind: Kind) -> Iterator[Path]:
    match kind:
        case "hidden":
            yield from (*secrets(grounds.home), grounds.own, SOCKETS)
        case "read-only":
            yield from map(Path, NEEDED_OF_RUN)
            named = (grounds.home / name for name in STARTED_FROM_HOME)
            yield from (path for path in named if path not in (grounds.project, *grounds.write))
            yield from (grounds.project / name for name in OURS)
            yield from _fixed_of_git(grounds)
        case "private":
            yield from (*TEMPORARY, DEVICES)
        case "writable":
            yield from (grounds.project, *grounds.write)
            yield from grounds.git.writable() if grounds.git else ()


def _fixed_of_git(grounds: Grounds) -> Iterator[Path]:
    if grounds.git is not None:
        yield from grounds.git.fixed()
        if (root := grounds.git.entry.parent) != grounds.project:
            yield root  # of the working tree: git looks at all of it


def _existing(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        with suppress(OSError):  # what we may not even look at, a command may not either
            if path.exists():
                yield path.resolve()
