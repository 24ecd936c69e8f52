"""`agent sessions list`: a line a session, from a glance at its log."""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size

from agent.clock import system_clock
from agent.errors import SessionError
from agent.exits import Exit
from agent.session.glance import Glance, glance
from agent.session.store import Store
from agent.sessions.place import Place, columns
from agent.terminal.figures import age, times, tokens
from tools.visible import plain

KILO = 1_000
MEGA = 1_000_000
NOTHING = "(nothing said)"


def run_list(place: Place, *, is_json: bool) -> Exit:
    """Print a line a session, or one JSON object; name those that cannot be read.

    Raises:    SessionError: nobody can see which there are.
    """
    problems: list[str] = []
    found = list(glances(place.store, problems))
    for problem in problems:
        place.output.complain(problem)
    if is_json:
        place.output.message({"sessions": rows(place.store, found)})
        return place.ended()
    lines = list_lines(place.store, found, now=system_clock(), width=columns())
    place.output.lines("\n".join(lines) or f"no sessions in {plain(str(place.store.root))}")
    return place.ended()


def glances(store: Store, problems: list[str] | None = None) -> Iterator[Glance]:
    """Yield what is seen of each session, the last written first; one that cannot be read is passed over.

    Args:      problems: takes a line for each of these.
    Raises:    SessionError: the folder cannot be read.
    """
    _check(store)
    for session in store.logs():
        try:
            yield glance(store.log(session))
        except OSError as error:
            if problems is not None:
                problems.append(f"{session} is passed over, its log cannot be read: {error.strerror}")


def _check(store: Store) -> None:
    """A folder that cannot be read must not look like one without sessions."""
    try:
        with contextlib.suppress(FileNotFoundError), os.scandir(store.transcripts):
            pass
    except OSError as error:
        raise SessionError(f"`{store.transcripts}` cannot be read: {error.strerror}") from error


def paths_of(store: Store, session: str) -> list[Path]:
    """Return all that belongs to a session: its log, the folder beside it, its long results."""
    return [store.log(session), store.folder(session), store.outputs / session]


def disk_bytes(paths: Iterable[Path]) -> int:
    """Return the bytes of files and of all below folders; links are not followed."""
    return sum(_bytes(str(path)) for path in paths)


def size(number: int) -> str:
    """Return a number of bytes: `812 B`, `25 kB`, `1.3 MB`."""
    if number < KILO:
        return f"{number} B"
    return f"{number / KILO:.0f} kB" if number < MEGA else f"{number / MEGA:.1f} MB"


def rows(store: Store, found: Iterable[Glance]) -> list[dict[str, Any]]:
    """Return an object a session, for a program."""
    return [
        {**asdict(seen), "bytes": disk_bytes(paths_of(store, seen.id)), "at": round(seen.at, 3)}
        for seen in found
    ]


def list_lines(store: Store, found: Sequence[Glance], *, now: float, width: int) -> list[str]:
    """Return a line a session in aligned columns: id, age, size, turns, context tokens, branch, title or prompt."""
    table = [_cells(seen, disk_bytes(paths_of(store, seen.id)), now) for seen in found]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    return [_line(cells, widths, seen, width) for cells, seen in zip(table, found, strict=True)]


def _cells(seen: Glance, bytes_: int, now: float) -> list[str]:
    known = f"{'~' if seen.is_estimate else ''}{tokens(seen.tokens or 0)}"
    return [
        seen.id,
        age(now - seen.at),
        size(bytes_),
        times(seen.turns, "turn"),
        known if seen.tokens is not None else "–",
        set_cell_size(plain(seen.branch), min(16, cell_len(plain(seen.branch)))),
    ]


def _line(cells: Sequence[str], widths: Sequence[int], seen: Glance, width: int) -> str:
    """The numbers stand to the right."""
    padded = [
        f"{cell}{blanks}" if column in (0, 5) else f"{blanks}{cell}"
        for column, cell in enumerate(cells)
        for blanks in [" " * (widths[column] - cell_len(cell))]
    ]
    start = "  ".join(cell for cell in padded if cell) + "  "
    name = plain(seen.name) or NOTHING
    room = max(20, width - cell_len(start))
    shown = name if cell_len(name) <= room else f"{set_cell_size(name, room - 1)}…"
    return f"{start}{shown}"


def _bytes(path: str) -> int:
    total, folders = 0, [path]
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode):
            return status.st_size
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total
