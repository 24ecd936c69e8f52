"""How a disk spells a name: some take `README` for `readme`, and a path has to be judged by the one spelling it has."""

import os
import string
import unicodedata
from pathlib import Path

_SWAP_CASE = str.maketrans(string.ascii_letters, string.ascii_letters.swapcase())
_MOST_NAMES = 100
"""Of a folder so many names are looked at for one that has letters."""


def spelled(path: Path) -> tuple[Path, bool]:
    """Return ``path``, resolved, as its folders list it, and whether the folder of its last name takes any case.

    Each folder is asked by itself: a case-insensitive one may lie in one that is not. What does not exist yet keeps
    its spelling, and is where its deepest existing folder is.
    """
    current, is_caseless = Path(path.anchor), False
    for name in path.parts[1:]:
        is_caseless = _takes_any_case(current, name, before=is_caseless)
        current /= _as_listed(current, name) if is_caseless else name
    return current, is_caseless


def _takes_any_case(folder: Path, name: str, *, before: bool) -> bool:
    """Tell whether ``folder`` finds a name of its own in another case; ``before``: what its parent does."""
    known = name if os.path.lexists(folder / name) else _some_name(folder)
    other = known.translate(_SWAP_CASE)
    if other == known:
        return before
    try:
        is_same = os.path.samestat((folder / known).lstat(), (folder / other).lstat())
    except OSError:
        return False
    return is_same and not _lists_both(folder, known, other)


def _lists_both(folder: Path, one: str, other: str) -> bool:
    """Tell whether both names stand in ``folder``: then they are two links to one file."""
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return False
    return one in names and other in names


def _some_name(folder: Path) -> str:
    """Return a name in ``folder`` that has letters; empty when there is none, or no folder."""
    try:
        with os.scandir(folder) as entries:
            first = [entry.name for entry, _ in zip(entries, range(_MOST_NAMES), strict=False)]
    except OSError:
        return ""
    return next((name for name in first if name.translate(_SWAP_CASE) != name), "")


def _as_listed(folder: Path, name: str) -> str:
    """Return the name in ``folder`` that stands for ``name``, or ``name``."""
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return name
    if name in names:
        return name
    return next((one for one in names if _folded(one) == _folded(name)), name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
