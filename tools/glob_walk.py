"""Walk a folder once with all alternatives of a pattern; ignored folders are left out unless named."""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.glob_pattern import ANY_DEPTH, Part
from tools.ignore import OWN_FOLDERS, IgnoreRules

Place = tuple[tuple[Part, ...], int]
"""An alternative and how many of its parts are matched."""
Step = tuple[str, frozenset[Place], IgnoreRules]
"""A folder, where the pattern stands in it, and the rules that hold there."""


@dataclass(slots=True)
class Found:
    """What a walk brought, and what it left out."""

    matches: dict[str, float] = field(default_factory=dict)
    """Absolute path -> modification time."""
    folders: int = 0
    """Folders that fitted although files were asked for."""
    ignored_files: int = 0
    """Files that fitted but are ignored."""
    ignored_folders: list[str] = field(default_factory=list)
    """Ignored folders that might have held a match, absolute."""
    links_outside: list[str] = field(default_factory=list)
    """Links named by the pattern that lead out of the folder searched and of the project."""
    unreadable: int = 0
    entries: int = 0
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a walk may go and when it stops."""

    roots: Sequence[Path]
    """Links are followed only to folders in one of these."""
    wants_folders: bool
    max_entries: int
    is_stopped: Callable[[], bool]


class Walk:
    """One search."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.found = Found()

    def run(self, base: Path, alternatives: Iterable[tuple[Part, ...]], *, rules: IgnoreRules) -> Found:
        """Search below ``base``; ``rules`` are those that hold in it."""
        pending = [(str(base), _close((parts, 0) for parts in alternatives if parts), rules)]
        while pending and self.found.is_complete:
            folder, places, rules = pending.pop()
            pending += self._search(folder, places, rules=rules)
        return self.found

    def _search(self, folder: str, places: frozenset[Place], *, rules: IgnoreRules) -> list[Step]:
        """Take in the matches in one folder; return the folders to go on with."""
        entries = self._list(folder)
        names = {entry.name for entry in entries}
        below = []
        for entry in entries:
            fitting = [place for place in places if _fits(place, entry.name, siblings=names)]
            if not fitting:
                continue
            if entry.is_dir(follow_symlinks=False):
                below += self._enter(entry, fitting, rules=rules)
            elif _is_link_to_folder(entry):
                below += self._follow(
                    entry, [place for place in fitting if not _is_any_depth(place)], rules=rules
                )
            elif not self._limits.wants_folders and any(_is_last(place) for place in fitting):
                self._take_file(entry, fitting, rules=rules)
        return below

    def _list(self, folder: str) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            self.found.unreadable += 1
            return []
        self.found.entries += len(entries)
        if self.found.entries > self._limits.max_entries or self._limits.is_stopped():
            self.found.is_complete = False
        return entries

    def _enter(self, entry: "os.DirEntry[str]", fitting: list[Place], *, rules: IgnoreRules) -> list[Step]:
        if rules.ignores(entry.path, is_folder=True):
            fitting = [place for place in fitting if _is_named(place, entry.name)]
            if not fitting:
                if entry.name not in OWN_FOLDERS:
                    self.found.ignored_folders.append(entry.path)
                return []
            inside = rules.turned_off()
        else:
            inside = rules.enter(entry.path)
        if any(_is_last(place) for place in fitting):
            self._take_folder(entry)
        places = _close(_advance(place) for place in fitting if _goes_on(place))
        return [(entry.path, places, inside)] if places else []

    def _take_folder(self, entry: "os.DirEntry[str]") -> None:
        self.found.folders += 1
        if self._limits.wants_folders:
            self._take(entry)

    def _take_file(self, entry: "os.DirEntry[str]", fitting: list[Place], *, rules: IgnoreRules) -> None:
        is_named = any(_is_last(place) and _is_named(place, entry.name) for place in fitting)
        if not is_named and rules.ignores(entry.path, is_folder=False):
            self.found.ignored_files += entry.name not in OWN_FOLDERS
        else:
            self._take(entry)

    def _take(self, entry: "os.DirEntry[str]") -> None:
        try:
            self.found.matches[entry.path] = entry.stat(follow_symlinks=False).st_mtime
        except OSError:  # gone since it was listed
            return

    def _follow(self, entry: "os.DirEntry[str]", fitting: list[Place], *, rules: IgnoreRules) -> list[Step]:
        """Go through a link to a folder that a part other than `**` asks for: so a loop of links has an end."""
        target = Path(os.path.realpath(entry.path))
        if any(target.is_relative_to(root) for root in self._limits.roots):
            return self._enter(entry, fitting, rules=rules)
        if any(_is_named(place, entry.name) for place in fitting):
            self.found.links_outside.append(entry.path)
        return []


def _is_link_to_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:  # a loop of links
        return False


def _fits(place: Place, name: str, *, siblings: Collection[str]) -> bool:
    return _is_any_depth(place) or place[0][place[1]].matches(name, siblings)


def _is_any_depth(place: Place) -> bool:
    return place[0][place[1]].text == ANY_DEPTH


def _is_last(place: Place) -> bool:
    return place[1] + 1 == len(place[0])


def _is_named(place: Place, name: str) -> bool:
    return place[0][place[1]].text == name


def _goes_on(place: Place) -> bool:
    return _is_any_depth(place) or not _is_last(place)


def _advance(place: Place) -> Place:
    """Return where a folder that fitted leads: `**` stays, any other part is done."""
    return place if _is_any_depth(place) else (place[0], place[1] + 1)


def _close(places: Iterable[Place]) -> frozenset[Place]:
    """Return ``places`` and those reached because `**` may stand for no folder at all."""
    closed: set[Place] = set()
    for parts, first in places:
        last = first
        while parts[last].text == ANY_DEPTH and last + 1 < len(parts):
            last += 1
        closed.update((parts, index) for index in range(first, last + 1))
    return frozenset(closed)
