"""What was typed before in this project, kept in a private file of the user's own."""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from prompt_toolkit.history import History, ThreadedHistory

READ_BYTES = 4_000_000
"""So much of the end of the file is read."""
ENTRY_BYTES = 200_000
"""A longer entry is not written, but stays as long as the program runs."""
PRIVATE = 0o600


class InputHistory(ThreadedHistory):
    """Each entry once, where it was used last; what begins with a space is never kept."""

    def append_string(self, string: str) -> None:
        """Add what was typed."""
        if string.startswith(" "):
            return
        with self._lock:
            self._loaded_strings = [string, *(one for one in self._loaded_strings if one != string)]
        self.store_string(string)


class HistoryFile(History):
    """The file that all sessions of a project append to; where the disk refuses, it is gone on without.

    An entry is an empty line, a line of `#` and the time in seconds, and its own lines, each behind a `+`.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """Return what was typed, the newest first, each once."""
        entries: list[str] = []
        with contextlib.suppress(OSError):
            entries = list(_entries(_end_of(self._path)))
        return list(dict.fromkeys(reversed(entries)))

    def store_string(self, string: str) -> None:
        """Add one entry, in one piece: others may add theirs at the same time."""
        lines = "".join(f"+{line}\n" for line in string.split("\n"))
        data = f"\n# {time.time():.0f}\n{lines}".encode("utf-8", "replace")
        if len(data) <= ENTRY_BYTES:
            with contextlib.suppress(OSError):
                _append(self._path, data)


def history_of(project: Path, home: Path) -> History:
    """Return the history of ``project``; one that is forgotten at the end where ``home`` cannot be written."""
    known = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    folder = home / "history"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return InputHistory(HistoryFile(folder / f"{project.name}-{known}"))


def _append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        if os.fstat(descriptor).st_mode & 0o777 != PRIVATE:
            os.fchmod(descriptor, PRIVATE)
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def _end_of(path: Path) -> bytes:
    """Return the end of a file, from the beginning of a line on. Raises OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - READ_BYTES))
        data = file.read(READ_BYTES)
    return data.partition(b"\n")[2] if start else data


def _entries(data: bytes) -> Iterator[str]:
    """Yield the entries in ``data``, oldest first; one whose beginning is cut off is left out."""
    lines: list[bytes] = []
    is_whole = False
    for line in (*data.split(b"\n"), b""):
        if line.startswith(b"+") and is_whole:
            lines.append(line[1:])
        elif lines:
            yield b"\n".join(lines).decode("utf-8", "replace")
            lines = []
        is_whole = is_whole or line.startswith(b"#")
