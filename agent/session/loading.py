"""From a log to the state that it adds up to."""

from dataclasses import dataclass, field
from pathlib import Path

from agent.session.bridge import Bridge
from agent.session.checkpoint import Loaded, read_checkpoint
from agent.session.log import read_records
from agent.session.records import number_of
from agent.session.replay import empty_state
from agent.session.state import State

GOING_BACK = ("undo", "rewind")
"""Types of records that need the past of the view."""


@dataclass(slots=True)
class Read:
    """What was read of a log."""

    state: State
    number: int = 0
    """The highest of a record: ids are never used twice."""
    damaged: list[int] = field(default_factory=list)
    """Line numbers that hold something unreadable."""
    covered: int = 0
    """Bytes that its checkpoint stood for; 0 when all was read."""


def read_log(log: Path, like: State) -> Read:
    """Read a log from its checkpoint on, or whole where none fits; ``like`` tells project, count and price.

    Raises OSError.
    """
    found = read_checkpoint(log, like.project, count=like.count, price=like.price)
    read = _from_checkpoint(log, found) if found is not None else None
    return read if read is not None else read_whole(log, like)


def read_whole(log: Path, like: State) -> Read:
    """Read a log from its first byte on. Raises OSError."""
    read = Read(empty_state(like.project, like.count, like.price))
    _go_on(log, read, Bridge(read.state))
    return read


def _from_checkpoint(log: Path, found: Loaded) -> Read | None:
    """Read what was added since a checkpoint; None when that goes back before it, or is damaged."""
    head = found.head
    read = Read(found.state, number=head.number, covered=head.bytes)
    bridge = Bridge(read.state, known=head.number)
    is_whole = _go_on(log, read, bridge, start=head.bytes, line=head.lines + 1)
    return read if is_whole and not read.damaged else None


def _go_on(log: Path, read: Read, bridge: Bridge, *, start: int = 0, line: int = 1) -> bool:
    """Take in the records from a byte on; False at one that needs a past that is not there."""
    for number, record in read_records(log, start, line):
        if record is not None and record["type"] in GOING_BACK and not read.state.timeline.is_whole:
            return False
        read.number = max(read.number + 1, number_of(record))
        if record is None or not bridge.apply(record):
            read.damaged.append(number)
    return True
