"""Folders below the project that have instruction files of their own: told once the model works on a file there."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from agent.instructions.finding import LOCAL_NAMES, NAMES

_NOT_OF_THE_PROJECT = frozenset(("node_modules", "site-packages"))
"""What was installed there is not written for those who work on the project; nor is what lies in hidden folders."""

_LONGEST_FIRST = sorted((*NAMES, *LOCAL_NAMES), key=len, reverse=True)


def told_below(project: Path, files: Mapping[str, str]) -> list[Path]:
    """Return the folders below ``project`` whose instruction files were told, by what is logged of these."""
    folders = {_folder(PurePath(shown)) for shown in files}
    return sorted(project / folder for folder in folders if folder is not None)


def new_below(project: Path, files: Mapping[str, str], touched: Iterable[str]) -> list[Path]:
    """Return further folders that have instruction files and hold, or hold folders that hold, one of ``touched``.

    Args:  touched: absolute paths of files.
    """
    folders = {
        folder
        for path in map(Path, touched)
        if path.is_relative_to(project)
        for folder in path.parents
        if folder != project and folder.is_relative_to(project)
    }
    found = folders - set(told_below(project, files))
    return sorted(folder for folder in found if _is_of(project, folder) and _has_any(folder))


def _folder(shown: PurePath) -> PurePath | None:
    """Return the folder below the project that an instruction file of this place is of; None: it is of none."""
    for name in _LONGEST_FIRST:
        ending = PurePath(name).parts
        if shown.parts[-len(ending) :] == ending and not shown.is_absolute():
            folder = PurePath(*shown.parts[: -len(ending)])
            return folder if folder.parts else None
    return None


def _is_of(project: Path, folder: Path) -> bool:
    names = folder.relative_to(project).parts
    return not any(name.startswith(".") or name in _NOT_OF_THE_PROJECT for name in names)


def _has_any(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in (*NAMES, *LOCAL_NAMES))
