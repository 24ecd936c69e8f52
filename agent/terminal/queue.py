"""What was typed and waits to be sent, and the file in which it outlives a crash."""

import contextlib
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.session.keep import keep_file, open_kept
from agent.session.store import TYPED
from agent.surrogates import repaired
from agent.terminal.render import as_lines, plain, styled, to_ansi

MOST_BYTES = 100_000_000
ROWS = 5
"""Most rows of waiting messages above the input."""
ROW_CHARS = 1_000
"""More than a row holds on any screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed and is not in the log: the draft in the input, what is queued, oldest first."""

    draft: str = ""
    queued: Sequence[str] = ()
    in_hand: str = ""
    """A prompt whose turn is about to begin."""
    turn: int = 0
    """The session's turn when the prompt was taken in hand: a later one means that the log has it."""


class TypedFile:
    """Keeps what was typed beside the log of the open session; written whole or not at all."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._kept = Typed()

    def enter(self, folder: Path) -> Typed:
        """Keep to ``folder`` from here on; return what waits there. What the folder before held is `left`."""
        self._path = folder / TYPED
        self._kept = _read(self._path)
        return self._kept

    def leave(self) -> Path | None:
        """Keep nothing until the next `enter`; return the file, which the caller drops once all is kept elsewhere."""
        path, self._path = self._path, None
        return path

    def save(self, typed: Typed) -> None:
        """Keep ``typed``; nothing happens before the first `enter`. Raises OSError."""
        if self._path is None or typed == self._kept:
            return
        if typed.draft or typed.queued or typed.in_hand:
            self._path.parents[2].stat()  # a project that is gone as a whole is not made again
            _write(self._path, typed)
        else:
            self._path.unlink(missing_ok=True)
        self._kept = typed


@dataclass(slots=True)
class Queue:
    """Lines that wait for what runs. While ``is_held`` those of ``later`` stand until the user sends something."""

    now: deque[str] = field(default_factory=deque)
    """To be taken next, whether the rest is held or not."""
    later: deque[str] = field(default_factory=deque)
    is_held: bool = False

    @property
    def is_ready(self) -> bool:
        """A line can be taken."""
        return bool(self.now) or (bool(self.later) and not self.is_held)

    def lines(self) -> list[str]:
        """Return what waits, in the order in which it will be taken."""
        return [*self.now, *self.later]

    def take(self) -> str:
        """Take the next line; it must be ready."""
        return (self.now or self.later).popleft()

    def drain(self) -> list[str]:
        """Take all lines; nothing is held any more."""
        lines = self.lines()
        self.now.clear()
        self.later.clear()
        self.is_held = False
        return lines


def queue_lines(waiting: Sequence[str], width: int) -> list[str]:
    """Return what waits, numbered, a row each: the newest, which Up takes back, and a count of those before."""
    hidden = max(0, len(waiting) - ROWS)
    hidden += 1 if hidden else 0  # the count has a row of its own
    rows = [styled((f"  queued: {hidden} more", "dim"))] if hidden else []
    rows += [
        styled((f"  queued {number}: ", "dim"), (plain(" ".join(text[:ROW_CHARS].split())), ""))
        for number, text in enumerate(waiting[hidden:], hidden + 1)
    ]
    return [line for row in rows for line in as_lines(to_ansi(row, width))]


def _read(path: Path) -> Typed:
    """Return what a file holds; nothing where it cannot be read or was not written by us."""
    found: Any = None
    with contextlib.suppress(OSError, ValueError, RecursionError), open_kept(path) as file:
        found = repaired(json.loads(file.read(MOST_BYTES)))
    if not isinstance(found, dict):
        return Typed()
    draft, queued, in_hand, turn = (found.get(name) for name in ("draft", "queued", "in_hand", "turn"))
    return Typed(
        draft=draft if isinstance(draft, str) else "",
        queued=tuple(one for one in queued if isinstance(one, str)) if isinstance(queued, list) else (),
        in_hand=in_hand if isinstance(in_hand, str) else "",
        turn=turn if isinstance(turn, int) else 0,
    )


def _write(path: Path, typed: Typed) -> None:
    fields = {
        "draft": typed.draft,
        "queued": list(typed.queued),
        "in_hand": typed.in_hand,
        "turn": typed.turn,
    }
    # At every key: a crash of the program loses nothing, and one of the machine the newest keys.
    keep_file(path, json.dumps(fields).encode("ascii"), is_synced=False)
