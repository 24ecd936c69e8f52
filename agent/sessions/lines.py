"""The lines of a log up to where it ended when it was first looked at, never more than one of them in memory."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agent.session.records import Record, decode, encode


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: its number, the byte at which it begins, and its bytes."""

    number: int
    start: int
    data: bytes

    @property
    def is_ended(self) -> bool:
        """False for the last one, when its end is not written yet, or never will be."""
        return self.data.endswith(b"\n")


def read_lines(file: BinaryIO, most_bytes: int) -> Iterator[Line]:
    """Yield the lines that stand in the first ``most_bytes`` of a file; what grows meanwhile is left alone."""
    start = number = 0
    while start < most_bytes and (data := file.readline(most_bytes - start)):
        number += 1
        yield Line(number, start, data)
        start += len(data)


def is_being_written(file: BinaryIO, line: Line) -> bool:
    """True for a torn line that has grown since: who writes the log was just in the middle of it."""
    return not line.is_ended and os.fstat(file.fileno()).st_size > line.start + len(line.data)


def records_of(line: Line) -> list[Record | None]:
    """Return the records of a line; None at the end where something in it is no record."""
    records, is_damaged = decode(line.data)
    return [*records, *([None] if is_damaged else [])]


def record_at(path: Path, start: int, length: int) -> list[Record]:
    """Return the records of the line that stands there; none where it cannot be read any more."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return decode(file.read(length))[0]
    except OSError:
        return []


def copied(path: Path, most_bytes: int) -> Iterator[bytes]:
    """Yield the lines of a log that are records, byte for byte; where one is damaged, the records that stand in it.

    Raises:    OSError: it cannot be read.
    """
    with path.open("rb") as file:
        for line in read_lines(file, most_bytes):
            records, is_damaged = decode(line.data)
            if len(records) == 1 and not is_damaged and _is_clean(line.data):
                yield line.data if line.is_ended else line.data + b"\n"
            else:
                yield from map(encode, records)


def _is_clean(data: bytes) -> bool:
    """False where a line is no JSON by itself, even though what is in it can be read."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return text.startswith("{") and text.rstrip().endswith("}")
