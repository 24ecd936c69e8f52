"""Where skills lie under a root: every folder with a `SKILL.md`; nothing that leads out is opened, and no root is endless."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

FILE_NAME = "SKILL.md"
MAX_DEPTH = 3
"""Folders below the root: a skill may lie in a folder of a group of them."""
MAX_FOLDERS = 2_000
"""That are looked into, of one root."""
MAX_ENTRIES = 10_000
"""Of one folder that are looked at."""
PASSED_OVER = frozenset((".git", "node_modules"))
LEADS_OUT = "leads out of the skills folders by a link: copy it there instead"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSkill:
    """A skill, or a whole root, that cannot be used."""

    path: Path
    error: str
    """The end of a sentence that begins with the path."""


@dataclass(frozen=True, slots=True)
class SkillPath:
    """A skill file."""

    path: Path
    real: str
    """Where it lies once all links are followed."""


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    depth: int
    is_link: bool


class Walk:
    """The search of one root, level by level, each level by name."""

    def __init__(self, root: str, *, is_inside: Callable[[str], bool]) -> None:
        self._root = root
        """Without a link on the way to it."""
        self._is_inside = is_inside
        """Whether a path without links lies in one of the roots."""
        self._left = MAX_FOLDERS
        self._remarks: list[BrokenSkill] = []

    def files(self) -> Iterator[SkillPath | BrokenSkill]:
        """Yield each skill file, and what stands in place of one and must not be opened."""
        level = self._folders(self._root, 1)
        if stat_of(f"{self._root}/{FILE_NAME}"):
            self._say(f"{self._root}/{FILE_NAME}", "lies beside the skills: give it a folder of its own name")
        while level:
            below: list[_Folder] = []
            for folder in level:
                if (name := file_in(folder.path)) is not None:
                    yield from self._judged(folder, f"{folder.path}/{name}")
                elif folder.depth < MAX_DEPTH and not folder.is_link:
                    below += self._folders(folder.path, folder.depth + 1)
            level = below
        yield from self._remarks

    def _judged(self, folder: _Folder, path: str) -> Iterator[SkillPath | BrokenSkill]:
        found = stat_of(path)
        is_link = folder.is_link or (found is not None and stat.S_ISLNK(found.st_mode))
        real = os.path.realpath(path) if is_link else path
        if self._is_inside(real):
            yield SkillPath(Path(path), real)
        else:
            self._say(path, LEADS_OUT)

    def _folders(self, path: str, depth: int) -> Sequence[_Folder]:
        """Return the folders in ``path``, links to folders with them."""
        try:
            with os.scandir(path) as entries:
                listed = list(islice(entries, MAX_ENTRIES + 1))
        except OSError as problem:
            self._say(path, f"cannot be listed: {problem.strerror}")
            return ()
        found = [self._folder(entry, depth) for entry in sorted(listed, key=lambda one: one.name)]
        folders = [folder for folder in found if folder is not None]
        if len(listed) > MAX_ENTRIES or len(folders) > self._left:
            self._say(path, f"holds too much: only {MAX_FOLDERS:,} folders are looked into, the rest is not")
        folders = folders[: self._left]
        self._left -= len(folders)
        return folders

    def _folder(self, entry: os.DirEntry[str], depth: int) -> _Folder | None:
        try:
            is_link, is_folder = entry.is_symlink(), entry.is_dir()
        except OSError as problem:  # a link in a circle
            self._say(entry.path, f"cannot be read: {problem.strerror}")
            return None
        if is_link and not is_folder and not Path(entry.path).exists():
            self._say(entry.path, "is a link that leads nowhere")
        if not is_folder or entry.name in PASSED_OVER:
            return None
        return _Folder(entry.path, depth, is_link)

    def _say(self, path: str, error: str) -> None:
        self._remarks.append(BrokenSkill(path=Path(path), error=error))


def file_in(folder: str) -> str | None:
    """Return the name of the skill file in a folder: `SKILL.md`, else one that differs in case only."""
    if stat_of(f"{folder}/{FILE_NAME}"):
        return FILE_NAME
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_ENTRIES) if _is_meant(entry.name)]
    except OSError:
        return FILE_NAME  # to open it says why
    return min(names, default=None)


def stat_of(path: str) -> os.stat_result | None:
    """Return what lies at ``path``, without following a link; None for nothing, or nothing that can be known."""
    try:
        return os.lstat(path)
    except OSError:
        return None


def _is_meant(name: str) -> bool:
    return name.lower() == FILE_NAME.lower()
