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
