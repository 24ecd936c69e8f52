"""The append-only file of a session."""

import fcntl
import os
import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent.session.held import Held
from agent.session.records import Record, decode, encode
from tools.spill import make_private_folder

OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
LOCK = fcntl.LOCK_EX | fcntl.LOCK_NB
CHUNK_BYTES = 1 << 20
SEARCHED_BYTES = 1 << 18
"""So much is searched at once: it stays in the processor's cache."""
FOLDER = ".transcripts"


class SessionLog:
    """Appends records to one file, each written whole; when the disk refuses, they wait in memory, in order.

    The descriptor stays open, so that a log whose file is removed is still written, and put back by `sync`.

    Args:  is_locked: it has one writer at a time. The lock is on the log itself, so that nobody can remove it while
           the log is open.

    Raises OSError; BlockingIOError while it has another writer.
    """

    def __init__(self, path: Path, *, is_locked: bool = False) -> None:
        self.path = path
        self.is_locked = is_locked
        self._descriptor = os.open(path, OPEN_FLAGS, 0o600)
        if is_locked:
            _lock(self._descriptor)
        self._waiting: deque[bytes] = deque()
        self._torn = self._ends_torn()
        self.problem: OSError | None = None
        """Why records wait; None while all are written."""
        self.rewritten = 0
        """How often its file was gone and was written again."""
        self.held = Held()
        """What stands beside it and nowhere else."""

    @property
    def waiting(self) -> int:
        """How many records wait for room."""
        return len(self._waiting)

    @property
    def size(self) -> int:
        """Bytes that are written; 0 once it is closed."""
        return os.fstat(self._descriptor).st_size if self._descriptor >= 0 else 0

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes from ``start`` up to ``end``, also of a file that is gone meanwhile. Raises OSError."""
        while start < end and (data := os.pread(self._descriptor, min(CHUNK_BYTES, end - start), start)):
            yield data
            start += len(data)

    def append(self, record: Record) -> None:
        """Append ``record``; never raises for a disk that refuses: see ``problem``."""
        self._waiting.append(encode(record))
        self._write_waiting()

    def sync(self) -> None:
        """Bring what was appended to the disk, in a new file if ours is gone; at each step's end."""
        if self._descriptor < 0:
            return
        self._write_waiting()
        try:
            if os.fstat(self._descriptor).st_nlink == 0:
                self._write_again()
            if self.problem is None:
                os.fsync(self._descriptor)
        except OSError as error:
            self.problem = error

    def close(self) -> None:
        """Close the file; what still waits is tried once more."""
        self.sync()
        self.held.close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write_waiting(self) -> None:
        while self._waiting:
            try:
                self._write(self._waiting[0])
            except OSError as error:
                self.problem = error
                return
            self._waiting.popleft()
        self.problem = None

    def _write(self, line: bytes) -> None:
        """Write one line. A short write is taken back by cutting the file to where it was."""
        start = os.fstat(self._descriptor).st_size
        data = b"\n" + line if self._torn else line
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            self._take_back(start)
            raise
        self._torn = False

    def _take_back(self, start: int) -> None:
        try:
            os.ftruncate(self._descriptor, start)
        except OSError:
            self._torn = True  # the half line stays; the next record starts a fresh one

    def _ends_torn(self) -> bool:
        size = os.fstat(self._descriptor).st_size
        return size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"

    def _write_again(self) -> None:
        """Copy the removed file to where it was; what stands there meanwhile is put aside. Raises OSError."""
        home = next(
            (folder.parent for folder in self.path.parents if folder.name == FOLDER), self.path.parent
        )
        home.stat()  # a project that is gone as a whole is not made again
        make_private_folder(self.path.parent)
        temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(temporary, OPEN_FLAGS | os.O_EXCL, 0o600)
        try:
            if self.is_locked:
                fcntl.flock(descriptor, LOCK)
            self._copy_to(descriptor)
            os.fsync(descriptor)
            if self.path.exists():
                self.path.rename(self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}"))
            temporary.rename(self.path)
        except OSError:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)
            raise
        os.close(self._descriptor)
        self._descriptor = descriptor
        self.rewritten += 1

    def _copy_to(self, descriptor: int) -> None:
        for data in self.chunks(0, self.size):
            left = data
            while left:
                left = left[os.write(descriptor, left) :]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let nobody open a log as its writer meanwhile. Raises OSError; BlockingIOError while somebody has it open so."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    _lock(descriptor)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed; where that fails it is closed at once. Raises OSError."""
    try:
        fcntl.flock(descriptor, LOCK)
    except OSError:
        os.close(descriptor)
        raise


def read_records(path: Path, start: int = 0, line: int = 1) -> Iterator[tuple[int, Record | None]]:
    """Yield (line number, record) of a log; None where a line, or a part of it, is no record.

    Args:  start: the byte to begin at; line: the number of the line that begins there.
    """
    with path.open("rb") as file:
        file.seek(start)
        for number, data in enumerate(file, line):
            records, is_damaged = decode(data)
            for record in records:
                yield number, record
            if is_damaged:
                yield number, None


def lines_with(path: Path, mark: bytes) -> Iterator[bytes]:
    """Yield the lines of a log that hold ``mark``, which itself holds no newline. Raises OSError.

    Much quicker than looking at each line of a log in which there are few.
    """
    kept = bytearray()
    with path.open("rb", buffering=0) as file:
        while data := file.read(SEARCHED_BYTES):
            ended = len(kept) + data.rfind(b"\n") + 1 if b"\n" in data else 0
            kept += data
            yield from _cut_out(kept, mark, ended)
            del kept[:ended]
        yield from _cut_out(kept, mark, len(kept))


def _cut_out(lines: bytearray, mark: bytes, end: int) -> Iterator[bytes]:
    """Yield those of the whole ``lines`` up to ``end`` that hold ``mark``."""
    at = 0
    while (found := lines.find(mark, at, end)) >= 0:
        at = lines.find(b"\n", found, end) + 1 or end
        yield bytes(lines[lines.rfind(b"\n", 0, found) + 1 : at])


def first_record(path: Path) -> dict[str, Any] | None:
    """Return the first record of a log, without reading the rest."""
    for _, record in read_records(path):
        return record
    return None
