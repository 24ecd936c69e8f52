"""The compactions of a log that the user was told of: their records, found again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.session.compacted import UNSENT
from agent.session.log import lines_with
from agent.session.records import Record, decode

MARK = b'"type":"compaction"'
"""In every line that holds the record of one; inside a text its quotes would be escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One compaction of a log, and its place among those that the user was told of."""

    record: Record
    number: int
    total: int


def is_told(record: Record) -> bool:
    """False where only something changed that was not sent yet, and nothing of it went to disk."""
    return record.get("layer") not in UNSENT or bool(record.get("files"))


def compaction(log: Path, number: int | None = None) -> Compaction | None:
    """Return the compaction of that number, from 1 in the order of the log, or the newest; None where there is none.

    Undone ones and those that a rewind left behind count too: what was told of them stands on the screen.

    Raises:    OSError: the log cannot be read.
    """
    found: Record | None = None
    total = 0
    for record in _compactions(log):
        total += 1
        if number in (None, total):
            found = record
    return None if found is None else Compaction(record=found, number=number or total, total=total)


def _compactions(log: Path) -> Iterator[Record]:
    for line in lines_with(log, MARK):
        yield from (record for record in decode(line)[0] if _is_whole(record) and is_told(record))


def _is_whole(record: Record) -> bool:
    """True for the record of a compaction that is as it was written."""
    is_one = record["type"] == "compaction" and isinstance(record.get("receipt"), dict)
    return is_one and isinstance(record.get("changes"), list)
