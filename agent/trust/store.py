"""`~/.agent/trust.json`: which projects are trusted, and as what: private, written whole or not at all, one writer at a time."""

import fcntl
import json
import os
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.session.keep import keep_file

VERSION = 1
FILE = "trust.json"
MAX_BYTES = 10_000_000
MAX_KEPT_CHARS = 100_000
"""Of one project: of more lines only the hash is kept, and what has changed of them is not told."""
_PRIVATE = 0o600
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What the user agreed to for one project: the hash, and what that was in words, as far as it is kept."""

    sha256: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreements:
    """What the file says; ``problem``: why it says nothing, in words for the user."""

    by_project: Mapping[str, Agreement] = field(default_factory=dict)
    problem: str = ""


def read(home: Path) -> Agreements:
    """Read the file. Never raises: whatever is odd about it, then nothing is trusted."""
    path = home / FILE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return Agreements()
    except OSError as error:
        return _unusable(path, f"cannot be read ({error.strerror})")
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return _unusable(path, "is no regular file")
        if found.st_uid != os.geteuid():
            return _unusable(path, "belongs to somebody else")
        if found.st_mode & _OTHERS_WRITE:
            return _unusable(path, "can be written by others")
        try:
            return Agreements(by_project=_parsed(file.read(MAX_BYTES + 1)))
        except (OSError, TypeError, ValueError, RecursionError):
            return _unusable(path, "is damaged")


def agree(home: Path, project: Path, agreement: Agreement) -> None:
    """Keep what the user agreed to for ``project``. Raises OSError: nothing was changed."""
    with changing(home) as agreements:
        agreements[str(project)] = agreement


@contextmanager
def changing(home: Path) -> Generator[dict[str, Agreement]]:
    """Yield what all projects are trusted as, to be changed; written at the end, unless that fails or raises.

    A file that cannot be used is put aside, and begun anew. Raises OSError.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(home / f"{FILE}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        found = read(home)
        agreements = dict(found.by_project)
        before = dict(agreements)
        yield agreements
        if agreements != before:
            if found.problem:
                (home / FILE).rename(home / f"{FILE}.unusable")
            _write(home, agreements)
    finally:
        os.close(descriptor)


def _write(home: Path, agreements: Mapping[str, Agreement]) -> None:
    projects = {
        project: {"sha256": one.sha256, "lines": one.lines if _is_kept(one) else []}
        for project, one in agreements.items()
    }
    text = json.dumps({"version": VERSION, "projects": projects}, indent=1)
    keep_file(home / FILE, text.encode())


def _is_kept(agreement: Agreement) -> bool:
    return sum(len(line) for line in agreement.lines) <= MAX_KEPT_CHARS


def _parsed(data: bytes) -> dict[str, Agreement]:
    """Raises TypeError, ValueError for whatever we would not have written."""
    value = json.loads(data)
    if len(data) > MAX_BYTES or not isinstance(value, dict) or value.get("version") != VERSION:
        raise ValueError("no file of ours")
    return {project: _agreement(one) for project, one in _mapping(value.get("projects")).items()}


def _agreement(value: Any) -> Agreement:
    said = _mapping(value)
    sha256, lines = said.get("sha256"), said.get("lines")
    if not isinstance(sha256, str) or not isinstance(lines, list):
        raise TypeError("no agreement")
    return Agreement(sha256=sha256, lines=tuple(str(line) for line in lines))


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def _unusable(path: Path, why: str) -> Agreements:
    return Agreements(problem=f"{path} {why}: no project counts as trusted")
