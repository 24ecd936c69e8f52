"""One lock a path for all agents of the process."""

import asyncio
from pathlib import Path
from weakref import WeakValueDictionary


class PathLocks:
    """Hands out the lock of a path; one that nobody holds or waits for is forgotten."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def of(self, path: Path) -> asyncio.Lock:
        """Return the lock of ``path``, which must be resolved."""
        lock = self._locks.get(path)
        if lock is None:
            lock = self._locks[path] = asyncio.Lock()
        return lock
