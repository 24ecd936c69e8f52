"""How long the layers take to decide that nothing is to be done, by how much there is in the log and in the view.

    python -m tests.benchmarks.deciding [--quick]

Prints one JSON object: for `balanced` by messages in the log (the view stays small, for the layers cut it), for `off`
by messages in the view; the median in milliseconds of a step that does not fire, and `growth`, the largest over the
smallest. With `--quick` the largest session is left out. Asserts nothing.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from agent.compacting.circumstances import Folders, situation_of
from agent.models import DEFAULT_MODEL
from agent.session.replay import apply, empty_state
from agent.session.state import State
from compaction.pipeline import plans
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.presets import PRESETS, Preset
from compaction.summary import plan_from_summary
from compaction.surroundings import Surroundings

MESSAGES = (1_000, 10_000, 100_000)
SAMPLES = 200
SIZES = Sizes(window=200_000, max_output=32_000)
FOLDERS = Folders(
    spills=".task_outputs/tool-results/x",
    archive=lambda number: f".transcripts/x/archive-{number:03d}.md",
    prompt=lambda number: f".transcripts/x/prompt-{number:03d}.txt",
    ledger=".transcripts/x/ledger.md",
)
NOW = 1_800_000_000.0


class Growing:
    """A session that grows by records made in memory: a read or a command a step, an edit every fifth."""

    def __init__(self, folder: Path) -> None:
        self.state = empty_state(folder, lambda block: len(str(block)) // 4, lambda *_: None)
        self._number = 0
        self.add("session", system=[], tools=[], model=DEFAULT_MODEL, session="x")
        self.add("message", role="user", content=[{"type": "text", "text": "Go."}], said=[0])

    def add(self, kind: str, **fields: Any) -> str:
        """Apply a record."""
        self._number += 1
        record = {"v": 1, "id": f"r{self._number}", "type": kind, "at": "2027-01-15T08:00:00Z", **fields}
        apply(self.state, record)
        return str(record["id"])

    def step(self, number: int) -> None:
        """One round."""
        name, given = _call(number)
        use = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}
        self.add(
            "message",
            role="assistant",
            content=[{"type": "text", "text": f"Step {number}."}, use],
            model=DEFAULT_MODEL,
            prefix_sha=self.state.prefix_sha,
            step=number,
        )
        result = self.add("result", call=use["id"], name=name, content=_output(number), facts={}, step=number)
        self.add("message", role="user", results=[result], content=[], step=number)

    def act(self, plan: Plan) -> None:
        """Apply a plan, its files left out."""
        fields = {"layer": plan.layer, "trigger": plan.trigger, "receipt": plan.receipt}
        self.add("compaction", changes=list(plan.changes), files=[], **fields)

    def summarise(self) -> None:
        """Put the digest in place of the history."""
        state = self.state
        around = Surroundings(
            context=[],
            active=state.active,
            earlier=[],
            pins=[],
            todos="",
            archive_path=FOLDERS.archive(state.archives + 1),
            kept={},
            before=[],
            trigger="auto",
            size=state.meter.size,
        )
        plan = plan_from_summary(state.view, SIZES, around, None)
        if plan is not None:
            self.act(plan)


def _call(number: int) -> tuple[str, dict[str, Any]]:
    path = f"src/module_{number % 400}.py"
    if number % 5 == 0:
        return "edit", {"file_path": path, "old_string": "one = 1", "new_string": "one = 2"}
    if number % 2:
        return "read", {"file_path": path}
    return "bash", {"command": f"pytest tests/test_{number % 400}.py"}


def _output(number: int) -> str:
    return "\n".join(f"{line}\tvalue_{number % 50} = {line}" for line in range(1, 30))


def deciding(folder: Path, preset: Preset, messages: int) -> tuple[float, int]:
    """Return the median milliseconds of a step that does not fire, with so many messages, and the blocks in the view."""
    session = Growing(folder)
    took: list[float] = []
    for number in range(1, messages // 2 + 1):
        session.step(number)
        is_measured = number > messages // 2 - SAMPLES
        start = perf_counter()
        has_fired = False
        for plan in plans(session.state.view, preset.layers, lambda: now(session.state)):
            has_fired = True
            session.act(plan)
        elapsed_s = perf_counter() - start
        if is_measured and not has_fired:
            took.append(elapsed_s * 1_000)
        if preset.summary.is_automatic and session.state.context_size > SIZES.threshold:
            session.summarise()
    return statistics.median(took), len(session.state.view)


def now(state: State) -> Any:
    """The situation of a step soon after the one before."""
    return situation_of(state, SIZES, FOLDERS, lambda: state.last_request_at + 5)


def measured(*, is_quick: bool = False) -> dict[str, Any]:
    """Return the figures of both presets."""
    rows: dict[str, Any] = {}
    counts = MESSAGES[:-1] if is_quick else MESSAGES
    with tempfile.TemporaryDirectory() as folder:
        for preset in ("balanced", "off"):
            found = {count: deciding(Path(folder), PRESETS[preset], count) for count in counts}
            times = [median for median, _ in found.values()]
            rows[preset] = {
                "ms": {str(count): round(median, 4) for count, (median, _) in found.items()},
                "blocks_in_view": {str(count): blocks for count, (_, blocks) in found.items()},
                "growth": round(max(times) / min(times), 2),
            }
    return rows


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    print(json.dumps(measured(is_quick=asked.quick), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
