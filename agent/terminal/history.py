"""What was typed before in this project, kept in a file of the user's own."""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory, ThreadedHistory


class LenientHistory(FileHistory):
    """A history that goes on without its file when the disk refuses."""

    def load_history_strings(self) -> Iterable[str]:
        """Return what was typed, the newest first."""
        with contextlib.suppress(OSError):
            return list(super().load_history_strings())
        return []

    def store_string(self, string: str) -> None:
        """Add one line or paste."""
        with contextlib.suppress(OSError):
            super().store_string(string)


def history_of(project: Path, home: Path) -> History:
    """Return the history of ``project``; one that is forgotten at the end where ``home`` cannot be written."""
    known = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    folder = home / "history"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return InMemoryHistory()
    return ThreadedHistory(LenientHistory(folder / f"{project.name}-{known}"))
