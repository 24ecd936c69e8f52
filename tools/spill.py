"""The file that keeps the whole of a shortened result."""

import hashlib
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from tools.base import Spill
from tools.paths import show

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
        (missing[-1] / ".gitignore").write_text("*\n", "utf-8")


class SpillFile:
    """Bytes on their way to a spill: written as they come, in place under their name only when finished.

    Beyond two halves the file's second half is a ring that always holds the newest bytes; `finish` puts it
    in order. Every method may raise OSError; then call `discard`.
    """

    def __init__(self, path: Path, *, half_bytes: int = HALF_BYTES) -> None:
        self._path = path
        self._partial = path.with_name(f".{path.name}.part")
        self._half = half_bytes
        self._total = 0
        self._file: FileIO | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append ``data``."""
        file = self._open()
        rest = memoryview(data)
        while rest:
            position, room = self._place()
            file.seek(position)
            file.write(rest[:room])
            self._total += len(rest[:room])
            rest = rest[room:]

    def finish(self, *, project: Path) -> Spill:
        """Close the file, give it its name, return what it is."""
        file = self._open()
        if self._total > 2 * self._half:
            self._straighten(file)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.seek(0, os.SEEK_END)
        file.close()
        self._partial.replace(self._path)
        return Spill(path=show(self._path, project=project), sha256=digest, bytes=size)

    def discard(self) -> None:
        """Close and remove what was written, never raising for the disk."""
        if self._file is not None:
            with suppress(OSError):  # closing flushes, which a full disk refuses
                self._file.close()
        with suppress(OSError):
            self._partial.unlink()

    def _open(self) -> FileIO:
        if self._file is None:
            make_private_folder(self._path.parent)
            self._partial.unlink(missing_ok=True)
            descriptor = os.open(self._partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            self._file = FileIO(descriptor, "r+b")
        return self._file

    def _place(self) -> tuple[int, int]:
        """Return where the next byte goes and how many fit there."""
        if self._total < self._half:
            return self._total, self._half - self._total
        offset = (self._total - self._half) % self._half
        return self._half + offset, self._half - offset

    def _straighten(self, file: FileIO) -> None:
        """Rewrite the ring in order, behind a line that says what is missing."""
        start, _ = self._place()
        file.seek(self._half)
        ring = file.read()
        turn = start - self._half
        lost = self._total - 2 * self._half
        file.seek(self._half)
        file.write(f"\n[{lost} bytes were not kept here]\n".encode())
        file.write(memoryview(ring)[turn:])
        file.write(memoryview(ring)[:turn])


def describe_problem(problem: OSError) -> str:
    """Return the system's words for ``problem``."""
    return problem.strerror or type(problem).__name__
