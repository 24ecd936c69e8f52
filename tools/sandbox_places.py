"""What each place is to a command in the sandbox: the nearest place that has a rule decides."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """The agent's folder in it, settings and sessions: hidden, but for the skills, whose scripts the model may run."""
    git: GitFolders | None
    """As it was before any command ran: a command could put another in its place."""
    write: tuple[Path, ...] = ()
    """What else the user lets commands write to."""
    fixed: tuple[Path, ...] = ()
    """What commands may only read wherever it lies: programs that run outside."""


def places(grounds: Grounds) -> list[Place]:
    """Return the rules, an outer place before what lies in it. What does not exist has none.

    They are made once, before any command runs: what a command could put in a place, a link above all, is never followed.
    """
    found: dict[Path, Kind] = {Path("/"): "read-only"}
    for kind in _STRICTEST_FIRST:
        for path in _existing(_of_kind(grounds, kind)):
            found.setdefault(path, kind)
    return _sorted(_pinned(found))


def hidden_since(grounds: Grounds, rules: Sequence[Place]) -> list[Place]:
    """Return places with secrets that are there by now, where no command can have made them."""
    known = {place.path for place in rules}
    since = {path for path in _existing(_of_kind(grounds, "hidden")) if path not in known}
    return [Place(path, "hidden") for path in sorted(since) if kind_of(path, rules) == "read-only"]


def place_of(path: Path, rules: Iterable[Place]) -> Place:
    """Return the rule for ``path``, which is resolved: that of the nearest place."""
    known = {place.path: place for place in rules}
    return next(known[one] for one in (path, *path.parents) if one in known)


def kind_of(path: Path, rules: Iterable[Place]) -> Kind:
    """Return what ``path``, which is resolved, is to a command."""
    return place_of(path, rules).kind


def _of_kind(grounds: Grounds, kind: Kind) -> Iterator[Path]:
    match kind:
        case "hidden":
            yield from (*secrets(grounds.home), grounds.own, SOCKETS)
        case "read-only":
            yield from map(Path, NEEDED_OF_RUN)
            named = (grounds.home / name for name in STARTED_FROM_HOME)
            yield from (
                path for path in named if path not in (grounds.project, *grounds.write) and _is_direct(path)
            )
            yield from (path for name in OURS if _is_direct(path := grounds.project / name))
            yield from (path for path in (*grounds.fixed, grounds.own / "skills") if _is_direct(path))
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


def _is_direct(path: Path) -> bool:
    """A link could lead anywhere, and to bind what it leads to could uncover what is hidden."""
    return path.resolve() == path


def _pinned(found: Mapping[Path, Kind]) -> dict[Path, Kind]:
    """Return the rules, and those that make mounts of the folders between: what is mounted cannot be renamed.

    Else a command would move the parent of a place away, and in the next one the place would not be where its rule is.
    """
    pinned = dict(found)
    for path in found:
        between: list[Path] = []
        for parent in path.parents:
            if parent in found:
                pinned |= dict.fromkeys(between, found[parent]) if found[parent] == "writable" else {}
                break
            between.append(parent)
    return pinned


def _sorted(found: Mapping[Path, Kind]) -> list[Place]:
    return [Place(path, kind) for path, kind in sorted(found.items(), key=lambda item: len(item[0].parts))]
