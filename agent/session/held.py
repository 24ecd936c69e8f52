"""What stands beside a log, held open: a file that somebody removes can be written again from its descriptor."""

import hashlib
import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from agent.session.keep import keep_chunks

CHUNK_BYTES = 1 << 20
MOST = 512
"""Files held at once; `select` takes no descriptor over 1,023."""
SHARE = 2
"""And at most one in so many of the descriptors that the process may have."""
FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class Held:
    """Descriptors of files; of more than ``most`` the newest are held, the others are let go.

    Like the log itself a held file outlives its name, so that nothing is lost as long as the process lives.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = _most() if most is None else most
        self._descriptors: dict[str, int] = {}
        self._seen: set[str] = set()
        self._is_closed = False

    def hold(self, paths: Iterable[str]) -> None:
        """Open those of ``paths`` that are new, in the order in which they were made; others are passed over."""
        fresh = [path for path in paths if path not in self._seen]
        if self._is_closed or not fresh:
            return
        self._seen.update(fresh)
        for path in fresh[-self._most :]:
            with suppress(OSError):  # what is not there, or one file too many for the process: it is not held
                self._descriptors[path] = os.open(path, FLAGS)
        for path in list(self._descriptors)[: -self._most]:
            os.close(self._descriptors.pop(path))

    def put_back(self, path: str, sha256: str) -> bool:
        """Write the file at ``path`` again; False when it is not held, or is not what ``sha256`` (if any) tells.

        Raises OSError for a disk that refuses; the file stays held.
        """
        descriptor = self._descriptors.get(path)
        if descriptor is None or sha256 not in ("", _sha256(descriptor)):
            return False
        keep_chunks(Path(path), _chunks(descriptor))
        os.close(self._descriptors.pop(path))
        self._seen.discard(path)
        self.hold([path])
        return True

    def close(self) -> None:
        """Let go of all."""
        self._is_closed = True
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])


def _most() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft // SHARE))


def _chunks(descriptor: int) -> Iterator[bytes]:
    at = 0
    while data := os.pread(descriptor, CHUNK_BYTES, at):
        yield data
        at += len(data)


def _sha256(descriptor: int) -> str:
    found = hashlib.sha256()
    for data in _chunks(descriptor):
        found.update(data)
    return found.hexdigest()
