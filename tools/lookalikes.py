"""Names that differ only in characters a model cannot tell apart: spaces, quotes, composed letters."""

import os
import unicodedata
from pathlib import Path

from tools.base import ToolError

_QUOTES = str.maketrans({"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"'})


def fold(name: str) -> str:
    """Return the form that all lookalikes of ``name`` share."""
    spaced = "".join(" " if unicodedata.category(char) == "Zs" else char for char in name)
    return unicodedata.normalize("NFC", spaced.translate(_QUOTES))


def find_existing(path: Path) -> tuple[Path, list[str]]:
    """Return ``path`` with every name that does not exist replaced by its only lookalike on disk.

    The second value names each replacement, in words. An exact name always wins; names without a lookalike
    stay as given.

    Raises:    ToolError: a name has several lookalikes; the text lists them.
    """
    if os.path.lexists(path):
        return path, []
    current = Path(path.anchor)
    swaps = []
    for name in path.parts[1:]:
        if os.path.lexists(current / name):
            current /= name
            continue
        actual = _only_lookalike(current, name)
        if actual != name:
            swaps.append(f"`{actual}` was taken for `{name}` ({_difference(name, actual)})")
        current /= actual
    return current, swaps


def _only_lookalike(folder: Path, name: str) -> str:
    """Return the one name in ``folder`` that looks like ``name``, or ``name``."""
    try:
        entries = [entry.name for entry in folder.iterdir()]
    except OSError:
        return name
    wanted = fold(name)
    found = sorted(entry for entry in entries if fold(entry) == wanted)
    if len(found) > 1:
        listed = "; ".join(f"`{entry}` ({_difference(name, entry)})" for entry in found)
        raise ToolError(
            f"`{name}` does not exist, and several names look the same: {listed}. "
            "Use the exact name (bash can reach it with a pattern such as `?` for the odd character)."
        )
    return found[0] if found else name


def _difference(given: str, actual: str) -> str:
    """Say which characters of ``actual`` are not in ``given``."""
    odd = [char for char in dict.fromkeys(actual) if char not in given] or [
        char for char in dict.fromkeys(given) if char not in actual
    ]
    return "with " + ", ".join(f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip() for char in odd)
