"""How far the meter is off on real sessions: the size before a request is sent against the prompt the server counted.

    PALIMPSEST_CORPUS=FOLDER python -m tests.benchmarks.meter

Prints one JSON object: for each session, for the two halves (sessions 1, 3, … and 2, 4, …: what was tuned on, and what
was not) and for all together, the median, 90th and 99th percentile of |size - real| / real and the lowest error, in
percent. `told` are the steps after a reply whose output was told; `all` every step, a reply's output that was only
told as of its beginning (less than half of what stands in it) taken for not told. Steps behind a summary of the
recorded agent are left out: its text is not known. Asserts nothing.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.models import row
from agent.token_counter import Counter
from compaction.tokens import Meter, prompt_total
from tests.support.rolling_corpus import NO_FOLDER, recordings

Turn = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request: what the meter said, and what the server did."""

    size: int
    real: int
    was_told: bool

    @property
    def error(self) -> float:
        """Relative; below 0 when the meter was under."""
        return (self.size - self.real) / self.real


def steps_of(lines: Iterable[Mapping[str, Any]]) -> Iterator[Step]:
    """Replay the meter over a session; a step a request, from the second on."""
    meter, view, was_told, is_known = Meter(), 0, False, False
    for line in lines:
        if line["kind"] == "start":
            view += _tokens(line["user"], "")
            continue
        if is_known:
            yield Step(size=meter.size(view), real=prompt_total(line["usage"]), was_told=was_told)
        asked_with, reply = view, _tokens(line["assistant"], line["model"])
        was_told = int(line["usage"].get("output_tokens") or 0) >= reply / 2
        usage = line["usage"] if was_told else {**line["usage"], "output_tokens": 0}
        view += reply
        meter = meter.measured(usage, view, asked_with=asked_with)
        view += _tokens(line["user"], line["model"])
        is_known = not line["compacted"]
        meter = meter if is_known else meter.changed()


def _tokens(blocks: Iterable[Mapping[str, Any]], model: str) -> int:
    count = Counter(row(model).family).block_tokens
    return sum(count({"signature": "", **block}) for block in blocks)


def row_of(name: str, steps: Sequence[Step]) -> dict[str, Any]:
    """The figures of some steps."""
    return {
        "sessions": name,
        "told": _figures([step for step in steps if step.was_told]),
        "all": _figures(steps),
    }


def _figures(steps: Sequence[Step]) -> dict[str, float]:
    errors = sorted(abs(step.error) for step in steps)
    if not errors:
        return {"steps": 0}
    shares = {"median": 0.5, "p90": 0.9, "p99": 0.99}
    found = {
        name: _percent(errors[min(len(errors) - 1, int(share * len(errors)))])
        for name, share in shares.items()
    }
    return {"steps": len(errors), **found, "lowest": _percent(min(step.error for step in steps))}


def _percent(share: float) -> float:
    return round(100 * share, 3)


def measured(*, is_quick: bool = False) -> dict[str, Any]:
    """Return the rows, or why there are none."""
    each = {
        path.stem: list(steps_of(map(json.loads, path.read_text("utf-8").splitlines())))
        for path in recordings()
    }
    if not each:
        return {"skipped": NO_FOLDER}
    names = list(each)
    groups = {**{name: [name] for name in names}, "tuned": names[::2], "checked": names[1::2], "all": names}
    rows = [
        row_of(label, [step for name in members for step in each[name]]) for label, members in groups.items()
    ]
    return {"rows": rows}


def main() -> int:
    """Print the figures; 2 when nobody says where the sessions are."""
    found = measured()
    if reason := found.get("skipped"):
        print(reason, file=sys.stderr)
        return 2
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
