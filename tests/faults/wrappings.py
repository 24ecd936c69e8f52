"""A forbidden program, wrapped in thousands of ways: `python -m tests.faults.wrappings [--count N] [--seed N]`.

Prints JSON: how many wrappings were judged, in how many of those that bash was given (about `--prove N`) it runs the
program, and which are let through (bypasses); for each production how often it was used and proved. Then of `--soups N`
texts that are nearly commands: in which of those that are allowed bash runs the program. Then of `--harmless N` commands:
how many are asked about. The exit code is 1 when there is a bypass, a harmless command of literal words that is asked
about, or with the `--count` that is the default a production that was used fewer than 100 times.
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
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from tests.hooks.harmless import RULES, harmless
from tests.hooks.judgements import is_allowed, let_through
from tests.hooks.productions import Production
from tests.hooks.soups import nearly_commands
from tests.hooks.wrappings import ALL, Wrapping, wrappings
from tests.support.calls import judge_bash
from tests.support.marked_bash import MarkedBash

_Drawn = TypeVar("_Drawn")
LEAST_USED = 100


@dataclass(frozen=True, slots=True)
class Tally:
    """Generated wrappings."""

    wrappings: tuple[Wrapping, ...]

    @classmethod
    def of(cls, *, seed: int, each: int, through: Sequence[Production] = ALL) -> "Tally":
        """Generate ``each`` wrappings through every production of ``through``."""
        drawn = (_drawn(wrappings(one.name), each, seed + number) for number, one in enumerate(through))
        return cls(tuple(wrapping for part in drawn for wrapping in part))

    def used(self) -> "Counter[str]":
        """Return in how many wrappings each production stands."""
        return _counted(self.wrappings)

    def bypasses(self) -> list[tuple[Wrapping, list[str]]]:
        """Return the wrappings that are let through, and by which judgements."""
        judged = ((one, let_through(one)) for one in self.wrappings)
        return [(one, names) for one, names in judged if names]

    def sample(self, count: int) -> Sequence[Wrapping]:
        """Return about ``count`` of them, from all productions."""
        return self.wrappings[:: max(1, len(self.wrappings) // count)] if count else ()


def _counted(wrappings: Iterable[Wrapping]) -> "Counter[str]":
    return Counter(name for one in wrappings for name in set(one.names))


def _drawn(strategy: st.SearchStrategy[_Drawn], count: int, seed: int) -> list[_Drawn]:
    """Return ``count`` values, or a few less where hypothesis finds no more that differ."""
    drawn: list[_Drawn] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: _Drawn) -> None:
        drawn.append(value)

    draw()
    return drawn


def proved(wrappings: Sequence[Wrapping], folder: Path) -> list[Wrapping]:
    """Return those in which bash runs the program; ``folder`` is made, or empty."""
    folder.mkdir(exist_ok=True)
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
    used, marked = tally.used(), _counted(found)
    return {
        "wrappings": len(tally.wrappings),
        "given to bash": len(sample),
        "bash ran the program": len(found),
        "bypasses": [
            {"command": one.command, "productions": one.names, "by": names} for one, names in tally.bypasses()
        ],
        "productions": {one.name: {"used": used[one.name], "proved": marked[one.name]} for one in ALL},
        "least used": min(used[one.name] for one in ALL),
    }


def told_of_soups(count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Return what is printed of texts that are nearly commands: the allowed ones were given to bash."""
    texts = _drawn(nearly_commands, count, seed) if count else []
    allowed = [Wrapping(text, ()) for text in texts if is_allowed(text)]
    run = proved(allowed, folder)
    return {"judged": len(texts), "allowed": len(allowed), "bypasses": [one.command for one in run]}


def told_of_harmless(count: int, seed: int) -> dict[str, Any]:
    """Return what is printed of commands that only read, or that a rule allows."""
    drawn = _drawn(harmless(), count, seed) if count else []
    asked = [one for one in drawn if judge_bash(one.command, allow=RULES).decision != "allow"]
    return {
        "judged": len(drawn),
        "asked about": len(asked),
        "asked about though literal": [one.command for one in asked if one.is_plain],
    }


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=LEAST_USED * len(ALL))
    parser.add_argument("--prove", type=int, default=2_000)
    parser.add_argument("--soups", type=int, default=5_000)
    parser.add_argument("--harmless", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tally = Tally.of(seed=asked.seed, each=math.ceil(asked.count / len(ALL)))
    sample = tally.sample(asked.prove)
    with tempfile.TemporaryDirectory() as folder:
        told = report(tally, sample, proved(sample, Path(folder, "wrappings")))
        told["nearly commands"] = told_of_soups(asked.soups, asked.seed, Path(folder, "soups"))
    told["harmless commands"] = told_of_harmless(asked.harmless, asked.seed)
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    is_thin = asked.count >= LEAST_USED * len(ALL) and told["least used"] < LEAST_USED
    wrong = (
        told["bypasses"],
        told["nearly commands"]["bypasses"],
        told["harmless commands"]["asked about though literal"],
    )
    return int(any(wrong) or is_thin)


if __name__ == "__main__":
    sys.exit(main())
