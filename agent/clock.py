"""Time, as a value that is passed in: tests give their own."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], float]
"""Seconds since the epoch."""

system_clock: Clock = time.time


def stamp(now: float) -> str:
    """Return ``now`` as it stands in a record: UTC, milliseconds."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(at: str) -> float:
    """Return the seconds since the epoch of a record's stamp; 0 for one that is none."""
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0
