"""Which old sessions can go, and their removal: never one that is open, or that a fork still needs."""

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.errors import SessionError, UsageError
from agent.session.log import lines_with, locked
from agent.session.records import decode
from agent.session.store import Store
from agent.sessions.listing import disk_bytes, paths_of

HOUR_S = 3_600
UNITS_S = {"h": HOUR_S, "d": 24 * HOUR_S, "w": 7 * 24 * HOUR_S}
_AGE = re.compile(r"([0-9]{1,6}) ?([hdw])")
_HEAD = b'"type":"session"'
OPEN = "open in another process"
LINK = "its folder is a link"
"""Who made that may need what it leads to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condemned:
    """A session that can go. ``at``: when its log was written last, in nanoseconds since the epoch."""

    id: str
    at: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What can go, and which old sessions stay for which reason; both the last written first."""

    gone: list[Condemned]
    kept: list[tuple[str, str]]


def age_s(text: str) -> int:
    """Return the seconds of an age like `12h`, `30d`, `8w`. Raises UsageError."""
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--older-than takes a number and a unit (`12h`, `30d`, `8w`), not `{text}`")
    return int(found[1]) * UNITS_S[found[2]]


def judge(store: Store, *, before: float) -> Verdict:
    """Return which sessions last written ``before`` (seconds since the epoch) can go.

    Raises:    SessionError: a log cannot be read, so that nobody knows what it needs.
    """
    logs = store.logs()
    try:
        written = {session: store.log(session).stat().st_mtime_ns for session in logs}
        needs = {session: set(origins(store.log(session))) for session in logs}
    except OSError as error:
        raise SessionError(
            f"`{error.filename}` cannot be read ({error.strerror}): nothing is removed"
        ) from error
    old = [session for session in logs if written[session] < before * 1e9]
    reasons = {session: reason for session in old if (reason := why_locked(store, session))}
    standing = [session for session in logs if session not in old or session in reasons]
    while standing:
        fork = standing.pop()
        for origin in needs[fork] & set(old) - reasons.keys():
            reasons[origin] = f"its fork {fork} needs it"
            standing.append(origin)
    return Verdict(
        gone=[
            Condemned(id=session, at=written[session], bytes=disk_bytes(paths_of(store, session)))
            for session in old
            if session not in reasons
        ],
        kept=[(session, reasons[session]) for session in old if session in reasons],
    )


def origins(path: Path) -> Iterator[str]:
    """Yield the sessions that a log is a fork of: as it says, and those whose records it begins with."""
    for line in lines_with(path, _HEAD):
        for record in decode(line)[0]:
            if record["type"] == "session":
                named = {str(record.get("forked_from") or ""), str(record.get("session") or "")}
                yield from named - {"", path.stem}


def why_locked(store: Store, session: str) -> str:
    """Return why a session cannot be locked for its removal: it is open, or what stands there is none of ours."""
    if store.folder(session).is_symlink():
        return LINK
    try:
        with locked(store.log(session)):
            return ""
    except FileNotFoundError:
        return ""  # gone: nobody can open it
    except BlockingIOError:
        return OPEN
    except OSError as error:
        return f"its log cannot be locked: {error.strerror}"


def remove(store: Store, condemned: Iterable[Condemned]) -> tuple[list[Condemned], list[str]]:
    """Remove sessions with all that belongs to them; return those that went, and a line for each that did not."""
    gone, problems = [], []
    for one in condemned:
        try:
            _remove(store, one)
        except BlockingIOError:
            problems.append(f"{one.id} stays: {OPEN}")
        except OSError as error:
            problems.append(f"{one.id} is not wholly removed: {error.filename}: {error.strerror}")
        except SessionError as error:
            problems.append(str(error))
        else:
            gone.append(one)
    return gone, problems


def _remove(store: Store, one: Condemned) -> None:
    log, folder, outputs = paths_of(store, one.id)
    if folder.is_symlink():
        raise SessionError(f"{one.id} stays: {LINK}")
    with locked(log):
        if log.stat().st_mtime_ns != one.at:
            raise SessionError(f"{one.id} stays: it was written to meanwhile")
        _remove_tree(outputs)
        _remove_tree(folder)
        log.unlink()  # last, so that a removal that fails can be tried again


def _remove_tree(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
