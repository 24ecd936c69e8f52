"""Fifty steps of one turn, a file of 40 KB or 2,000 numbers each: what they cost in a small and a usual window.

    python -m tests.benchmarks.fifty_steps [--preset NAME] [--model NAME]

Prints one JSON object a window. `bill`: tokens of uncached input, four bytes of request JSON each, with entries only
at cache marks; `bill_any_prefix`: the same if every earlier prefix could be read. Asserts nothing.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.events import Compacted
from agent.offline import Recorded, Reply, always, calls, last_text_starts, says, when
from compaction.presets import DEFAULT_PRESET
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.bill import bill
from tests.support.invariants import is_for_summary
from tests.support.long_session import texts

STEPS = 50
FILES = 25
FILE_BYTES = 40_000
LINE_CHARS = 100
WINDOWS = (60_000, 200_000)
MODEL = "claude-sonnet-5-5"
NUMBERS = "\n".join(map(str, range(1, 2_001)))
SUMMARY = when(
    last_text_starts(OPENING),
    always(says("<summary>1. Request and intent: read the modules one after the other</summary>")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run came to."""

    ended: str
    requests: Sequence[Recorded]
    receipts: Sequence[Mapping[str, Any]]

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """The requests that were answered."""
        return [request.body for request in self.requests if request.reply is not None]

    def figures(self) -> dict[str, Any]:
        """The bill both ways, and what was done for it."""
        paid = bill(self.bodies, at_marks=True)
        layers = [str(receipt["layer"]) for receipt in self.receipts]
        return {
            "bill": round(paid.cost),
            "bill_any_prefix": round(bill(self.bodies, at_marks=False).cost),
            "uncached": round(paid.uncached),
            "written": round(paid.written),
            "read": round(paid.read),
            "requests": len(self.bodies),
            "compactions": {layer: layers.count(layer) for layer in sorted(set(layers))},
            "shortened_reads": len(shortened_reads(self.requests)),
            "ended": self.ended,
        }


def module_name(number: int) -> str:
    """Path of a file."""
    return f"src/module_{number:02}.py"


def module_text(number: int) -> str:
    """A file of 40 KB, like no other."""
    letters = "abcdefghijklmnopqrstuvwxy"
    body = f"    {letters[number]}_value = compute(previous, {letters[number] * 9})  # what comes of it"
    line = f"{body:.<{LINE_CHARS - 1}}\n"
    return line * (FILE_BYTES // LINE_CHARS)


def shown(number: int) -> str:
    """A file as the read tool shows it."""
    lines = module_text(number).splitlines()
    return "\n".join(f"{count}\t{line}" for count, line in enumerate(lines, 1))


def script() -> list[Reply]:
    """A read and a command in turn, then the last word."""
    steps = [
        calls("bash", command="seq 1 2000")
        if number % 2
        else calls("read", file_path=module_name(number // 2))
        for number in range(STEPS)
    ]
    return [*steps, says("All read.")]


def shortened_reads(requests: Sequence[Recorded]) -> list[int]:
    """The files that did not stand whole in the request after their read."""
    main = [request for request in requests if request.reply is not None and not is_for_summary(request)]
    return [number for number in range(FILES) if shown(number) not in texts(main[2 * number + 1].body)]


async def run(folder: Path, *, window: int, preset: str = DEFAULT_PRESET, model: str = MODEL) -> Run:
    """Play the fifty steps in a window of so many tokens, ours and the server's."""
    files = {module_name(number): module_text(number) for number in range(FILES)}
    how: dict[str, Any] = {
        "files": files,
        "routes": [SUMMARY],
        "windows": {model: window},
        "config": {"window": window, "preset": preset, "model": model},
    }
    async with scenario(folder, *script(), **how) as harness:
        ended = await harness.turn("Read all modules, one after the other, and count in between.")
        return Run(
            ended=f"{ended.reason}: {ended.text or ended.problem}",
            requests=harness.server.queries,
            receipts=receipts(harness),
        )


def receipts(harness: Harness) -> list[Mapping[str, Any]]:
    """The receipts of all compactions so far."""
    return [event.receipt for event in harness.of(Compacted)]


def measured(
    *, is_quick: bool = False, preset: str = DEFAULT_PRESET, model: str = MODEL
) -> list[dict[str, Any]]:
    """Return the figures of both windows."""
    found = []
    for window in WINDOWS:
        with tempfile.TemporaryDirectory() as folder:
            done = asyncio.run(run(Path(folder), window=window, preset=preset, model=model))
        found.append({"window": window, "preset": preset, **done.figures()})
    return found


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    parser.add_argument("--model", default=MODEL)
    asked = parser.parse_args()
    for row in measured(preset=asked.preset, model=asked.model):
        print(json.dumps(row, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
