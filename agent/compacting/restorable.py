"""Files that come back after a summary: those the work was at last, as they are on disk and as the model knew them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from agent.compacting.numbered import numbered
from agent.session.state import State
from compaction.messages import text
from compaction.policy import Sizes

FILE_TOKENS = 5_000
"""Of each file at most; what the large agents restore."""
LEAST_TOKENS = 200
"""With less room than that left, no further file is looked at."""
NOTE_TOKENS = 60
"""Of the line that says where the rest begins, at most."""


def restorable(state: State, sizes: Sizes, most: int) -> list[tuple[str, str]]:
    """Return (path, numbered lines) of at most ``most`` files, the newest first, within their share of the window.

    A file whose content is not what the model knew is left out: it has to be read again in any case.
    """
    found: list[tuple[str, str]] = []
    left = sizes.restored
    for path in _recent(state):
        if len(found) == most or left < LEAST_TOKENS:
            break
        shown = _head(state, path, min(FILE_TOKENS, left))
        if shown:
            found.append((path, shown))
            left = max(0, left - _tokens(state, shown))
    return found


def _recent(state: State) -> Iterator[str]:
    """Yield the paths that were read or changed and are as the model knew them, the newest first, each file once."""
    seen: set[Path] = set()
    for given in reversed(state.view.history.touched):
        path = _resolved(state.project / given)
        known = state.known.get(str(path))
        if path is not None and known is not None and path not in seen and known["sha256"] == _sha256(path):
            seen.add(path)
            yield given


def _resolved(path: Path) -> Path | None:
    """Return where a path leads that a model made up; None for links in a circle and for what is no path."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _sha256(path: Path) -> str:
    """Hash of a file; empty when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    except OSError:
        return ""


def _head(state: State, path: str, budget_tokens: int) -> str:
    """Return the numbered lines of a file, as many as fit, and a line that says where the rest begins."""
    lines = numbered(state.project / path).split("\n")
    whole = "\n".join(lines)
    tokens = _tokens(state, whole)
    if not whole or tokens <= budget_tokens:
        return whole
    budget_tokens -= NOTE_TOKENS
    fitting = max(0, len(lines) * budget_tokens // tokens)
    while fitting and _tokens(state, "\n".join(lines[:fitting])) > budget_tokens:
        fitting = fitting * 9 // 10
    if not fitting:
        return ""
    more = f"[lines 1-{fitting} of {len(lines)}; `read` goes on with offset {fitting + 1}]"
    return "\n".join([*lines[:fitting], more])


def _tokens(state: State, value: str) -> int:
    return round(state.count(text(value)) * state.meter.ratio) if value else 0
