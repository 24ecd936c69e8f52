"""What every preset does to recorded sessions, and the frontier around the constants of `balanced`.

    PALIMPSEST_CORPUS=FOLDER python -m tests.benchmarks.replay [--quick]

Prints one JSON object: `rows` as `agent replay --json` prints them, and `frontier` as `tests.benchmarks.frontier` does,
which takes minutes and is left out with `--quick`. Asserts nothing.
"""

import argparse
import json
import sys
from typing import Any

from agent.replay.command import rows_of
from agent.replay.source import read_session
from compaction.policy import DEFAULT_WINDOW_TOKENS
from compaction.presets import PRESETS
from tests.benchmarks.frontier import table
from tests.support.rolling_corpus import NO_FOLDER, recordings


def measured(*, is_quick: bool = False) -> dict[str, Any]:
    """Return the figures, or why there are none."""
    sessions = [read_session(path) for path in recordings()]
    if not sessions:
        return {"skipped": NO_FOLDER}
    rows = {"rows": rows_of(sessions, list(PRESETS), DEFAULT_WINDOW_TOKENS)}
    return rows if is_quick else {**rows, "frontier": table(sessions)}


def main() -> int:
    """Print the figures; 2 when nobody says where the sessions are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true")
    found = measured(is_quick=parser.parse_args().quick)
    if reason := found.get("skipped"):
        print(reason, file=sys.stderr)
        return 2
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
