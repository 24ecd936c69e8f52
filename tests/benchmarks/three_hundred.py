"""A scripted session of 300 steps, about seven windows of results, in a window of 60,000 tokens.

    python -m tests.benchmarks.three_hundred [--preset NAME] [--steps 300] [--prompt 150000]

Prints one JSON object; asserts nothing.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.events import Compacted
from compaction.presets import DEFAULT_PRESET
from tests.support.agent import Harness, scenario
from tests.support.bill import bill
from tests.support.invariants import is_for_summary
from tests.support.long_session import Plan, play, setup
from tests.support.prefixes import check_resets, reuse, steps_of
from tests.support.reachable import reachable

STEPS = 300
QUICK_STEPS = 90
PRESETS = ("balanced", "window")
PROMPT_CHARS = 150_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the server and the agent say of a session."""

    harness: Harness

    def layers(self) -> dict[str, int]:
        """How many compactions each layer made."""
        return dict(
            sorted(Counter(str(event.receipt["layer"]) for event in self.harness.of(Compacted)).items())
        )

    def cache_read_share(self) -> float:
        """Share of all prompt tokens that the server says it read from its cache."""
        bills = [request.bill for request in self.harness.server.queries if request.bill]
        return sum(one.read for one in bills) / sum(one.total for one in bills)

    def peak_tokens(self) -> int:
        """The largest prompt, by the server's count."""
        return max(request.bill.total for request in self.harness.server.queries if request.bill)


async def figures(harness: Harness) -> dict[str, Any]:
    """Return what there is to say of a session that was played."""
    told, steps = Told(harness=harness), steps_of(harness)
    found = await reachable(harness)
    changing = [step for step in steps if step.changes_sent]
    bodies = [request.body for request in harness.server.queries if request.reply is not None]
    return {
        "steps": len(steps),
        "refused": len(harness.server.refusals),
        "compactions": told.layers(),
        "summaries": sum(map(is_for_summary, harness.server.queries)),
        "resets": check_resets(steps),
        "steps_with_a_change": len(changing),
        "summary_reuse": round(min(reuse(harness), default=1.0), 4),
        "recoverability": round(found.share, 6),
        "gone_bytes": found.gone_bytes,
        "most_reads": found.most_reads,
        "cache_read_share": round(told.cache_read_share(), 4),
        "bill": round(bill(bodies, at_marks=True).cost),
        "peak_tokens": told.peak_tokens(),
    }


async def run(folder: Path, plan: Plan, preset: str) -> dict[str, Any]:
    """Play the session and return its figures."""
    how = setup(plan, preset) | {"may_refuse": True, "may_move": True}
    async with scenario(folder, *plan.script(), **how) as harness:
        started = time.monotonic()
        ended = await play(harness, plan)
        seconds = time.monotonic() - started
        outcome = [f"{one.reason} {one.problem}".strip() for one in ended]
        return {"preset": preset, "ended": outcome, "seconds": round(seconds, 1), **await figures(harness)}


def played(plan: Plan, preset: str) -> dict[str, Any]:
    """Return the figures of a session in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(Path(folder), plan, preset))


def measured(*, is_quick: bool = False) -> list[dict[str, Any]]:
    """Return the figures of both presets."""
    plan = Plan(steps=QUICK_STEPS if is_quick else STEPS, prompt_chars=PROMPT_CHARS)
    return [played(plan, preset) for preset in PRESETS]


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--prompt", type=int, default=PROMPT_CHARS)
    asked = parser.parse_args()
    print(json.dumps(played(Plan(steps=asked.steps, prompt_chars=asked.prompt), asked.preset), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
