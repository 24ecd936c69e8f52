"""The records of a log, the newest first: what was shown last is looked for from its end."""

from collections.abc import Iterator

from agent.session.log import CHUNK_BYTES, SessionLog
from agent.session.records import Record, decode


def records_back(log: SessionLog, *, chunk_bytes: int = CHUNK_BYTES) -> Iterator[Record]:
    """Yield the records that are on the disk, the newest first; what is no record is passed over. Raises OSError.

    ``chunk_bytes``: how much is read at a time.
    """
    for line in _lines_back(log, chunk_bytes):
        yield from reversed(decode(line)[0])


def _lines_back(log: SessionLog, chunk_bytes: int) -> Iterator[bytes]:
    """Yield the lines from the last to the first."""
    end, begun = log.size, list[bytes]()
    while end > 0:
        start = max(0, end - chunk_bytes)
        first, *whole = b"".join(log.chunks(start, end)).split(b"\n")
        end = start
        if whole:
            yield b"".join([whole.pop(), *reversed(begun)])
            yield from reversed(whole)
            begun.clear()
        begun.append(first)  # of a line that begins in the chunk before
    yield b"".join(reversed(begun))
