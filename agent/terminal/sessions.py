"""The sessions of a project as a list to choose from."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.session.store import Store, title_of
from agent.terminal.figures import age, times

_MARK = b'"said":[0'
"""What the record of a message with words of the user holds; other records are not even parsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What is shown of a session."""

    id: str
    at: float
    """When it was written last."""
    turns: int
    prompt: str
    """The first one, on one line; empty when there was none."""
    title: str = ""


def listed(store: Store, sessions: Iterable[str]) -> list[Listed]:
    """Look into the logs of ``sessions``; one that is gone meanwhile, or cannot be read, is passed over."""
    found = []
    for session in sessions:
        with contextlib.suppress(OSError):
            found.append(_listed(session, store.log(session)))
    return found


def session_lines(sessions: Sequence[Listed], *, now: float, current: str) -> list[str]:
    """Return the list: number, age, turns, first prompt."""
    if not sessions:
        return ["no sessions here"]
    lines = []
    for number, one in enumerate(sessions, 1):
        about = "(this one) " if one.id == current else ""
        turns = times(one.turns, "turn")
        lines.append(
            f"{number:>3}  {age(now - one.at):>8}  {turns:>9}  {about}{one.title or one.prompt or one.id}"
        )
    return [*lines, "/resume NUMBER goes on with one"]


def _listed(session: str, path: Path) -> Listed:
    said = list(_said(path))
    return Listed(
        id=session,
        at=path.stat().st_mtime,
        turns=max((turn for turn, _ in said), default=0),
        prompt=said[0][1] if said else "",
        title=title_of(path),
    )


def _said(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (turn, text) of what the user said; a line that is damaged is skipped."""
    with path.open("rb") as file:
        for line in file:
            if _MARK not in line:
                continue
            try:
                record = json.loads(line)
                yield int(record["turn"]), " ".join(record["content"][0]["text"].split())
            except (ValueError, LookupError, TypeError, AttributeError):
                continue
