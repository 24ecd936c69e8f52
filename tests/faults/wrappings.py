"""A forbidden program, wrapped in thousands of ways: `python -m tests.faults.wrappings [--count N] [--prove N] [--seed N]`.

Prints JSON: how many wrappings were judged, how many of those that bash was given run the program, and which of them
were allowed (a bypass); for each production how often it was used, and how often bash ran the program in it. The exit
code is 1 when there is a bypass, or when a production was used fewer than 100 times among 10,000 or more.
"""

import argparse
import json
import math
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from tests.hooks.productions import Production
from tests.hooks.wrappings import ALL, HARMLESS, Wrapping, wrappings
from tests.support.calls import judge_bash
from tests.support.marked_bash import MarkedBash

LEAST_USED = 100
MANY = 10_000


@dataclass(frozen=True, slots=True)
class Tally:
    """Generated wrappings."""

    wrappings: tuple[Wrapping, ...]

    @classmethod
    def of(cls, *, seed: int, each: int, through: Sequence[Production] = ALL) -> "Tally":
        """Generate ``each`` wrappings through every production of ``through``."""
        drawn = (_drawn(one.name, each, seed + number) for number, one in enumerate(through))
        return cls(tuple(wrapping for part in drawn for wrapping in part))

    def used(self) -> "Counter[str]":
        """Return in how many wrappings each production stands."""
        return _counted(self.wrappings)

    def allowed(self) -> list[Wrapping]:
        """Return the wrappings that permission allows by rules for all but the program."""
        return [one for one in self.wrappings if _is_allowed(one.command)]

    def sample(self, count: int) -> Sequence[Wrapping]:
        """Return about ``count`` of them, from all productions."""
        return self.wrappings[:: max(1, len(self.wrappings) // count)] if count else ()


def _is_allowed(command: str) -> bool:
    return judge_bash(command, "accept-edits", allow=HARMLESS).decision == "allow"


def _counted(wrappings: Iterable[Wrapping]) -> "Counter[str]":
    return Counter(name for one in wrappings for name in set(one.names))


def _drawn(through: str, count: int, seed: int) -> list[Wrapping]:
    """Return ``count`` wrappings, or a few less where hypothesis finds no more that differ."""
    drawn: list[Wrapping] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(wrappings(through))
    def draw(wrapping: Wrapping) -> None:
        drawn.append(wrapping)

    draw()
    return drawn


def proved(wrappings: Sequence[Wrapping], folder: Path) -> list[Wrapping]:
    """Return those in which bash runs the program; ``folder`` must be empty."""
    workers = os.cpu_count() or 1
    parts = [wrappings[number::workers] for number in range(workers)]
    with ThreadPoolExecutor(workers) as pool:
        done = pool.map(_proved_part, parts, (folder / str(number) for number in range(workers)))
        return [one for part in done for one in part]


def _proved_part(wrappings: Sequence[Wrapping], folder: Path) -> list[Wrapping]:
    folder.mkdir()
    bash = MarkedBash(folder)
    return [one for one in wrappings if bash.runs(one.command)]


def report(tally: Tally, sample: Sequence[Wrapping], found: Sequence[Wrapping]) -> dict[str, Any]:
    """Return what is printed."""
    used, marked, allowed = tally.used(), _counted(found), tally.allowed()
    return {
        "wrappings": len(tally.wrappings),
        "given to bash": len(sample),
        "bash ran the program": len(found),
        "bypasses": [{"command": one.command, "productions": one.names} for one in allowed],
        "productions": {one.name: {"used": used[one.name], "proved": marked[one.name]} for one in ALL},
        "least used": min(used[one.name] for one in ALL),
    }


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=LEAST_USED * len(ALL))
    parser.add_argument("--prove", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tally = Tally.of(seed=asked.seed, each=math.ceil(asked.count / len(ALL)))
    sample = tally.sample(asked.prove)
    with tempfile.TemporaryDirectory() as folder:
        told = report(tally, sample, proved(sample, Path(folder)))
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    is_thin = len(tally.wrappings) >= MANY and told["least used"] < LEAST_USED
    return int(bool(told["bypasses"]) or is_thin)


if __name__ == "__main__":
    sys.exit(main())
