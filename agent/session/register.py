"""Which logs were begun here: a log lies in the project, where a stranger may have put it, so the user's own folder knows ours."""

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent.session.log import read_records
from agent.session.records import Record, encode

FILE = "sessions"
MAX_BYTES = 64_000_000
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """A file of lines, each the id of a session and the hash of its `session` record; only ever appended to."""

    path: Path

    def holds(self, log: Path) -> bool:
        """True for a log that was begun here, or was taken for ours by the user's word; False where that is unknown."""
        line = _line_of(log)
        return line is not None and line in self.lines()

    def add(self, log: Path) -> None:
        """Take a log for ours. A disk that refuses is no reason not to work: it counts as foreign at its next start."""
        line = _line_of(log)
        if line is None or line in self.lines():
            return
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            descriptor = os.open(self.path, flags, _PRIVATE)
            try:
                os.write(descriptor, line + b"\n")  # in one piece: others may add theirs
            finally:
                os.close(descriptor)

    def lines(self) -> frozenset[bytes]:
        """Return what it holds; nothing where others could have written it, or it cannot be read."""
        with suppress(OSError):
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                found = os.fstat(descriptor)
                is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
                if is_ours and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    return frozenset(file.read(MAX_BYTES).split(b"\n"))
        return frozenset()


def head_of(log: Path) -> Record | None:
    """Return the first `session` record of a log; None where there is none, or it cannot be read."""
    with suppress(OSError):
        for _, record in read_records(log):
            if record is not None and record["type"] == "session":
                return record
    return None


def _line_of(log: Path) -> bytes | None:
    head = head_of(log)
    if head is None:
        return None
    return f"{log.stem} {hashlib.sha256(encode(head)).hexdigest()}".encode()
