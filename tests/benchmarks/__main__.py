"""All that there is to measure, as one JSON object.

    [PALIMPSEST_CORPUS=FOLDER] python -m tests.benchmarks [--quick] [--only NAME…]

Part -> what it found; each part is a command of its own and says there what its figures are. `replay` and `meter` need
recorded sessions and are skipped, with the reason, when PALIMPSEST_CORPUS names no folder of them. `--quick` takes
less of each. Which part is running is said on stderr. Asserts nothing.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tests.benchmarks import (
    cards,
    cascades,
    deciding,
    fifty_steps,
    histories,
    mentions,
    meter,
    replay,
    screen,
    sessions_list,
    skills,
    three_hundred,
)


class Part(Protocol):
    """A module that measures something."""

    def measured(self, *, is_quick: bool) -> Any:
        """Return what is printed of it."""
        ...


PARTS: Mapping[str, Part] = {
    "replay": replay,
    "three_hundred": three_hundred,
    "fifty_steps": fifty_steps,
    "cascades": cascades,
    "meter": meter,
    "deciding": deciding,
    "histories": histories,
    "sessions_list": sessions_list,
    "skills": skills,
    "mentions": mentions,
    "cards": cards,
    "screen": screen,
}


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="less of each part")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="NAME", default=list(PARTS), help=", ".join(PARTS)
    )
    asked = parser.parse_args(arguments)
    found: dict[str, Any] = {}
    for name in dict.fromkeys(asked.only):
        print(f"{name} …", file=sys.stderr)
        found[name] = PARTS[name].measured(is_quick=asked.quick)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
