"""Random sessions over all presets, windows and kinds of models, each of whose requests a strict server is given.

`python -m tests.faults.histories --count 20000 [--seed N] [--jobs 2]` prints figures as JSON, and the first refusals
with their seed; its exit code is 1 when there is any. `--rules` checks the ten rules of compaction as well,
`--only SEED` one session alone, and `--corpus` lets the recorded sessions of PALIMPSEST_CORPUS live to their end, under
every preset and window.
"""

import argparse
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import cycle, product
from pathlib import Path
from typing import Any

from agent.offline.refusal import RefusalError
from compaction.presets import PRESETS
from tests.support.rolling import Rolling
from tests.support.rolling_checks import broken
from tests.support.rolling_corpus import recordings, relived
from tests.support.rolling_play import WINDOWS, Play, Plot, drawn, good_summary
from tests.support.rolling_server import KINDS
from tests.support.rolling_shapes import Setting

MOST_SHOWN = 10
LENGTHS = (4, 8, 20)
"""Requests of one session."""
A_BATCH = 100


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of some sessions."""

    histories: int = 0
    requests: int = 0
    overflows: int = 0
    """Requests that did not fit the window even after a compaction."""
    refusals: list[dict[str, Any]] = field(default_factory=list)
    compactions: Counter[str] = field(default_factory=Counter)
    digest: str = ""
    """Of all requests: the same for the same seeds."""

    def add(self, other: "Tally") -> None:
        """Count ``other`` as well."""
        self.histories += other.histories
        self.requests += other.requests
        self.overflows += other.overflows
        self.refusals += other.refusals
        self.compactions += other.compactions
        self.digest = hashlib.sha256(f"{self.digest}{other.digest}".encode("ascii")).hexdigest()


def plot_of(seed: int) -> Plot:
    """Return the session of a seed."""
    chance = random.Random(seed)
    setting = drawn(chance, chance.choice(tuple(PRESETS)))
    return Plot(seed=seed, steps=chance.choice(LENGTHS), setting=setting)


def run(seeds: Iterable[int], *, has_rules: bool) -> Tally:
    """Let the sessions of ``seeds`` live."""
    total = Tally()
    for seed in seeds:
        total.add(_lived(plot_of(seed), has_rules=has_rules))
    return total


def _lived(plot: Plot, *, has_rules: bool) -> Tally:
    rolling = Rolling(plot.setting, good_summary)
    found: list[dict[str, Any]] = []
    try:
        Play(rolling, plot.seed).run(plot.steps)
    except RefusalError as refusal:
        found.append({"refusal": str(refusal), **asdict(plot)})
    if has_rules and (rules := broken(rolling)):
        found.append({"rules": rules, **asdict(plot)})
    return _tallied(rolling, found)


def _tallied(rolling: Rolling, found: list[dict[str, Any]]) -> Tally:
    shas = [rolling.state.prefix_sha, *(file.sha256 for act in rolling.acts for file in act.plan.files)]
    return Tally(
        histories=1,
        requests=len(rolling.sent),
        overflows=rolling.overflows,
        refusals=found,
        compactions=Counter(str(act.plan.receipt["layer"]) for act in rolling.acts),
        digest=hashlib.sha256("".join(shas).encode("ascii")).hexdigest(),
    )


def run_all(count: int, *, seed: int, jobs: int, has_rules: bool) -> Tally:
    """Run ``count`` sessions from ``seed`` on, on so many processes."""
    starts = range(seed, seed + count, A_BATCH)
    batches = [range(start, min(start + A_BATCH, seed + count)) for start in starts]
    total = Tally()
    if jobs == 1:
        for batch in batches:
            total.add(run(batch, has_rules=has_rules))
        return total
    with ProcessPoolExecutor(jobs) as pool:
        for tally in pool.map(_run_with, [(batch, has_rules) for batch in batches]):
            total.add(tally)
    return total


def _run_with(asked: tuple[range, bool]) -> Tally:
    return run(asked[0], has_rules=asked[1])


def relive_all() -> Tally:
    """Let every recorded session live under every preset and window, kinds of models in turn; check the rules."""
    kinds = cycle(kind for kind in KINDS if KINDS[kind].is_thinking)
    total = Tally()
    for path in recordings():
        for preset, window in product(PRESETS, WINDOWS):
            setting = Setting(preset=preset, window=window, kind=next(kinds))
            total.add(_relived(path, setting))
    return total


def _relived(path: Path, setting: Setting) -> Tally:
    found = {"session": path.stem, **asdict(setting)}
    try:
        rolling = relived(path, setting)
    except RefusalError as refusal:
        return Tally(histories=1, refusals=[{"refusal": str(refusal), **found}])
    rules = broken(rolling)
    return _tallied(rolling, [{"rules": rules, **found}] if rules else [])


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.histories", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rules", action="store_true", help="check the ten rules as well")
    parser.add_argument("--only", type=int, help="one session alone, with its rules")
    parser.add_argument("--corpus", action="store_true", help="recorded sessions, with their rules")
    asked = parser.parse_args(arguments)
    start = time.monotonic()
    if asked.corpus:
        total = relive_all()
    elif asked.only is not None:
        total = run([asked.only], has_rules=True)
    else:
        total = run_all(asked.count, seed=asked.seed, jobs=asked.jobs, has_rules=asked.rules)
    figures = {
        "histories": total.histories,
        "requests": total.requests,
        "refusals": len(total.refusals),
        "overflows": total.overflows,
        "compactions": dict(total.compactions.most_common()),
        "digest": total.digest,
        "seconds": round(time.monotonic() - start, 1),
    }
    print(json.dumps(figures))
    for refusal in total.refusals[:MOST_SHOWN]:
        print(json.dumps(refusal), file=sys.stderr)
    return 1 if total.refusals else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
