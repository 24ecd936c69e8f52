"""The git folders of a project: which ones `git commit` writes to, and what in them could make git run something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_RUNS = ("config", "config.worktree", "hooks")
"""What in a git folder names programs that git runs: hooks, filters, editors, file system monitors."""
_WORKTREE = re.compile(r"^\s*worktree\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE)
_MAX_POINTER_BYTES = 65_536
_DEPTH = 6
"""Submodules of submodules, and names with slashes, are found down to here."""


@dataclass(frozen=True, slots=True)
class GitFolders:
    """``entry``: the `.git` of the working tree; ``folders``: where its repository lies, one or, of a worktree, two."""

    entry: Path
    folders: tuple[Path, ...]

    @classmethod
    def of(cls, project: Path) -> "GitFolders | None":
        """Return those of the repository that holds ``project``; None where there is none that is certainly its own.

        What a `.git` file or link points to counts only if that place says that it belongs here: it may have come
        with the project, and what it points to is to be written to.
        """
        for root in (project, *project.parents):
            entry = root / ".git"
            if entry.is_symlink():
                return None
            if entry.is_dir():
                return cls(entry, (entry,)) if (entry / "HEAD").exists() else None
            if entry.is_file():
                return cls._pointed_to(entry)
        return None

    @classmethod
    def _pointed_to(cls, entry: Path) -> "GitFolders | None":
        folder = _target(entry, "gitdir:")
        if folder is None or not (folder / "HEAD").is_file():
            return None
        common = _target(folder / "commondir")
        if common is not None:
            is_own = _target(folder / "gitdir") == entry and folder.parent == common / "worktrees"
            return cls(entry, (folder, common)) if is_own else None
        said = _WORKTREE.search(_read(folder / "config"))
        is_own = said is not None and (folder / said[1]).resolve() == entry.parent
        return cls(entry, (folder,)) if is_own else None

    def writable(self) -> Iterator[Path]:
        """Yield the folders that git writes to; each is a mount of its own, so that none can be renamed and replaced."""
        for folder in self.folders:
            yield folder
            yield from _modules(folder)

    def fixed(self) -> Iterator[Path]:
        """Yield what must stay as it is. Hooks that are not there yet are made as an empty folder, to be mounted."""
        if self.entry.is_file():
            yield self.entry
        for folder in self.writable():
            if any((folder / name).is_symlink() for name in _RUNS):
                # A link cannot be mounted over, only replaced: so nothing here is written to.
                yield folder
                continue
            if (folder / "config").exists():
                (folder / "hooks").mkdir(exist_ok=True)
                if "worktreeconfig" in _read(folder / "config").casefold():
                    (folder / "config.worktree").touch()
            yield from (path for name in _RUNS if (path := folder / name).exists())
            yield from folder.glob("worktrees/*/config.worktree")


def _modules(folder: Path) -> Iterator[Path]:
    """Yield the git folders of submodules, those of their submodules included."""
    level = [folder / "modules"]
    for _ in range(_DEPTH):
        found = [path for parent in level for path in _subfolders(parent)]
        own = [path for path in found if (path / "HEAD").is_file()]
        yield from own
        level = [path for path in found if path not in own] + [path / "modules" for path in own]


def _subfolders(folder: Path) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    return [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]


def _target(pointer: Path, key: str = "") -> Path | None:
    """Return the path that a file of git's points to, resolved."""
    said = _read(pointer).strip()
    if not said.startswith(key) or not said.removeprefix(key).strip():
        return None
    return (pointer.parent / said.removeprefix(key).strip()).resolve()


def _read(path: Path) -> str:
    """Return the text of a small file; empty when there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(_MAX_POINTER_BYTES).decode("utf-8", "surrogateescape")
