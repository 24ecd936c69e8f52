"""How good `balanced` is on real sessions, how much that hangs on its constants, and the frontier around them.

    PALIMPSEST_CORPUS=FOLDER python -m tests.benchmarks.frontier [--draws 100]

Prints one JSON object: `point` (the constants as they are), `shaken` (the mean of so many draws, each constant by up
to 30 % up or down on its own) and `frontier` (margin × ages × horizon). Asserts nothing.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any, TypeVar

from agent.replay.figures import Figures
from agent.replay.recorded import Recorded
from agent.replay.simulate import Simulation
from agent.replay.source import read_session
from agent.replay.table import row_of
from compaction.balanced import Balanced, BalancedCut
from compaction.presets import PRESETS, Preset
from tests.support.rolling_corpus import NO_FOLDER, recordings

T = TypeVar("T")
Change = Callable[[float], float]
SHOWN = ("cost", "support", "first_use", "recoverability", "peak_tokens", "resets")
SHARE = 0.3
MARGINS = (2_000, 4_000, 6_000, 8_000)
AGES = (4, 8, 12)
HORIZONS = (6, 8, 12)
DRAWS = 100


def preset(constants: Balanced) -> Preset:
    """The preset with other constants."""
    layers = tuple(
        BalancedCut(constants=constants) if isinstance(layer, BalancedCut) else layer
        for layer in PRESETS["balanced"].layers
    )
    return replace(PRESETS["balanced"], layers=layers)


def figures(sessions: Sequence[Recorded], constants: Balanced) -> dict[str, Any]:
    """The pooled figures of all sessions."""
    pooled = Figures()
    for session in sessions:
        pooled += Simulation(session, preset(constants)).run()
    return {name: value for name, value in row_of("all", "balanced", pooled).items() if name in SHOWN}


def changed(constants: T, change: Change) -> T:
    """A copy with ``change`` made to every number, also within; whole numbers stay whole."""
    owner: Any = constants
    copy: T = replace(
        owner, **{field.name: _changed(getattr(owner, field.name), change) for field in fields(owner)}
    )
    return copy


def _changed(value: Any, change: Change) -> Any:
    if isinstance(value, int):
        return max(1, round(change(value)))
    if isinstance(value, float):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _changed(item, change) for name, item in value.items()}
    return changed(value, change)


def shaken(sessions: Sequence[Recorded], draws: int) -> dict[str, Any]:
    """The mean of each figure over ``draws`` sets of constants, and the worst."""
    chance = random.Random(1)
    rows = [
        figures(sessions, changed(Balanced(), lambda value: value * chance.uniform(1 - SHARE, 1 + SHARE)))
        for _ in range(draws)
    ]
    means = {name: round(sum(row[name] for row in rows) / draws, 4) for name in SHOWN}
    worst = {
        "cost": max(row["cost"] for row in rows),
        "support": min(row["support"] for row in rows),
        "first_use": min(row["first_use"] for row in rows),
    }
    return {"draws": draws, "mean": means, "worst": worst}


def frontier(sessions: Sequence[Recorded]) -> list[dict[str, Any]]:
    """A row for each margin, age of results outside of the working set, and horizon."""
    start = Balanced()
    rows = []
    for margin, age, horizon in product(MARGINS, AGES, HORIZONS):
        others = {
            tool: age if tool != "task" else max(age, usual) for tool, usual in start.ages.others.items()
        }
        ages = replace(start.ages, others=others, unknown=age)
        constants = replace(start, margin=margin, ages=ages, horizon=horizon)
        rows.append({"margin": margin, "age": age, "horizon": horizon, **figures(sessions, constants)})
    return rows


def table(sessions: Sequence[Recorded], draws: int = DRAWS) -> dict[str, Any]:
    """Return all that is printed."""
    return {
        "sessions": [session.name for session in sessions],
        "point": figures(sessions, Balanced()),
        "each": {session.name: figures([session], Balanced()) for session in sessions},
        "shaken": shaken(sessions, draws),
        "frontier": frontier(sessions),
    }


def main() -> int:
    """Print the figures; 2 when nobody says where the sessions are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--draws", type=int, default=DRAWS)
    asked = parser.parse_args()
    sessions = [read_session(path) for path in recordings()]
    if not sessions:
        print(NO_FOLDER, file=sys.stderr)
        return 2
    print(json.dumps(table(sessions, asked.draws), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
