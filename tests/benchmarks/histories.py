"""How many requests of made sessions a strict server refuses.

    python -m tests.benchmarks.histories [--count 1000] [--seed 0] [--jobs 1]

Prints one JSON object: sessions, requests, `refusals`, `overflows` (requests that did not fit the window even after a
compaction), compactions by layer, and the first refusals with the seed of their session. Asserts nothing;
`tests.faults.histories` is the check.
"""

import argparse
import json
import sys
from typing import Any

from tests.faults.histories import MOST_SHOWN, run_all

COUNT = 1_000
QUICK_COUNT = 100


def measured(
    *, is_quick: bool = False, count: int | None = None, seed: int = 0, jobs: int = 1
) -> dict[str, Any]:
    """Return the figures."""
    usual = QUICK_COUNT if is_quick else COUNT
    total = run_all(usual if count is None else count, seed=seed, jobs=jobs, has_rules=False)
    return {
        "histories": total.histories,
        "requests": total.requests,
        "refusals": len(total.refusals),
        "overflows": total.overflows,
        "compactions": dict(total.compactions.most_common()),
        "first": total.refusals[:MOST_SHOWN],
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    print(json.dumps(measured(count=asked.count, seed=asked.seed, jobs=asked.jobs), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
