"""The file that keeps the whole of a shortened result."""

import hashlib
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from tools.base import Spill
from tools.paths import show

_COPIED_BYTES = 1 << 20
HALF_BYTES = 32 * 1024 * 1024
"""Of a longer text the first and the last so many bytes are kept."""


def make_private_folder(folder: Path) -> None:
    """Make ``folder`` (0700); the topmost folder made gets a `.gitignore` that hides it from git.

    Raises:    OSError: it cannot be made.
    """
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    for part in reversed(missing):
        part.mkdir(mode=0o700, exist_ok=True)
    if missing:
        hide_from_git(missing[-1])


def hide_from_git(folder: Path) -> None:
    """Put a `.gitignore` of `*` into ``folder``, unless it has one that says something. Raises OSError.

    An empty one is what a full disk left of ours.
    """
    ignore = folder / ".gitignore"
    if not ignore.exists() or not ignore.stat().st_size:
        ignore.write_text("*\n", "utf-8")


class SpillFile:
    """Bytes on their way to a spill: written as they come, in place under their name only when finished.

    Of what comes after the first half only the newest half is kept, in memory: an endless output costs no
    endless writing. Every method may raise OSError; then call `discard`.
    """

    def __init__(self, path: Path, *, half_bytes: int = HALF_BYTES) -> None:
        self._path = path
        self._partial = path.with_name(f".{path.name}.part")
        self._half = half_bytes
        self._written = 0
        self._ring = bytearray()
        self._ringed = 0
        self._file: FileIO | None = None

    def write(self, data: bytes | bytearray) -> None:
        """Append ``data``."""
        first = memoryview(data)[: self._half - self._written]
        self._open()
        self._put(first)
        self._written += len(first)
        rest = memoryview(data)[len(first) :]
        while rest:
            rest = rest[self._turn(rest) :]

    def finish(self, *, project: Path) -> Spill:
        """Write what is still in memory, close the file, give it its name, return what it is."""
        file = self._open()
        place = self._ringed % self._half
        if self._ringed > self._half:
            self._put(f"\n[{self._ringed - self._half} bytes were not kept here]\n".encode())
            self._put(memoryview(self._ring)[place:])
            self._put(memoryview(self._ring)[:place])
        else:
            self._put(self._ring)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.seek(0, os.SEEK_END)
        if not os.fstat(file.fileno()).st_nlink:
            self._copy(file)
        file.close()
        self._partial.replace(self._path)
        return Spill(path=show(self._path, project=project), sha256=digest, bytes=size)

    def discard(self) -> None:
        """Close and remove what was written, never raising for the disk."""
        if self._file is not None:
            with suppress(OSError):  # closing may report what writing could not do
                self._file.close()
        with suppress(OSError):
            self._partial.unlink()

    def _copy(self, gone: FileIO) -> None:
        """Write anew what somebody removed meanwhile, as `git clean` does."""
        self._file = None
        gone.seek(0)
        with gone, self._open():
            while data := gone.read(_COPIED_BYTES):
                self._put(data)

    def _open(self) -> FileIO:
        if self._file is None:
            make_private_folder(self._path.parent)
            self._partial.unlink(missing_ok=True)
            descriptor = os.open(self._partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            self._file = FileIO(descriptor, "r+b")
        return self._file

    def _put(self, data: bytes | bytearray | memoryview) -> None:
        """Write all of ``data``: a raw file may take less at a time (a disk nearly full does)."""
        file = self._open()
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]

    def _turn(self, data: memoryview) -> int:
        """Put the beginning of ``data`` into the ring, over the oldest bytes; return how much it took."""
        place = self._ringed % self._half
        taken = min(len(data), self._half - place)
        self._ring[place : place + taken] = data[:taken]
        self._ringed += taken
        return taken


def describe_problem(problem: OSError) -> str:
    """Return the system's words for ``problem``."""
    return problem.strerror or type(problem).__name__
