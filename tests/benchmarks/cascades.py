"""Ten compactions one after the other, the summaries being good, hostile, empty, or an echo of what was said.

    python -m tests.benchmarks.cascades [--preset NAME] [--window 16000]

A session without disk and model. Prints one JSON object, for each summariser: `compactions` by layer; `words`, the
share of the pin, the active request and its steering that stood word for word in the requests; `view_tokens` after
each of the ten; `facts`, where the facts planted at the start stand after the tenth (`view`, `one_file`: in a file
that the view names, `two_files`: in one that an archive named there names, `lost`); `ever_lost`, those that were
nowhere after any of the ten; `ledger`, precision, recall and F1 of what it says of files and commands against what the
script declares, as it stands in the view and with its file. Asserts nothing.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from compaction.ledger import HEADING
from compaction.presets import DEFAULT_PRESET
from tests.benchmarks.cascade_script import PIN, PLANTING, PROMPTS, REQUESTS, Act, between, steering
from tests.benchmarks.ledger_score import Done, scores, told
from tests.benchmarks.planted import Place, places, shares
from tests.support.rolling import Rolling
from tests.support.rolling_play import echoing_summary, empty_summary, good_summary, hostile_summary
from tests.support.rolling_recovery import shown_text
from tests.support.rolling_shapes import FOLDERS, Setting, Summariser

COMPACTIONS = 10
TURN_ENDS_AT = 5
"""Before this compaction the turn ends: it is made while no request is open."""
WINDOW = 16_000
SUMMARISERS: Mapping[str, Summariser] = {
    "good": good_summary,
    "hostile": hostile_summary,
    "empty": empty_summary,
    "echoing": echoing_summary,
}


class Cascade:
    """The session, what its script declares, and what was found after each compaction."""

    def __init__(self, setting: Setting, summariser: Summariser) -> None:
        self.rolling = Rolling(setting, summariser)
        self.declared = Done()
        self.wanted: list[Mapping[str, Sequence[str]]] = []
        """For each request what must stand in it word for word."""
        self.sizes: list[int] = []
        self.found: list[Mapping[str, Place]] = []
        self._wanted: dict[str, list[str]] = {"pins": [], "active": [], "steering": []}
        self._calls = 0

    def play(self) -> None:
        """Let the session live to the request after its tenth compaction."""
        self._plant()
        self._begin(REQUESTS[0])
        for number in range(1, COMPACTIONS + 1):
            self._work(number)
            if number == TURN_ENDS_AT:
                self._end()
                self._compact()
                self._begin(REQUESTS[1])
            else:
                self._compact()
        self._end()

    def view_text(self) -> str:
        """All texts of the next request."""
        return request_text(self.rolling.next_request()[0])

    def _plant(self) -> None:
        self._begin(PROMPTS[0])
        for act in PLANTING:
            self._do(act)
        self._end()
        self._begin(PROMPTS[1])
        self._end()
        self.rolling.pin(PIN)
        self._wanted["pins"] = [PIN]

    def _begin(self, words: str) -> None:
        self.rolling.prompt(words)
        self._wanted |= {"active": [words], "steering": []}

    def _end(self) -> None:
        self._ask([{"type": "text", "text": "So much for that."}])
        self.rolling.end()
        self._wanted |= {"active": [], "steering": []}

    def _work(self, number: int) -> None:
        *first, last = between(number)
        for act in first:
            self._do(act)
        self._do(last, steered=steering(number))

    def _do(self, act: Act, steered: str = "") -> None:
        """Make a call, and log its result with what the user typed meanwhile."""
        self._calls += 1
        call = {"type": "tool_use", "id": f"toolu_{self._calls}", "name": act.tool, "input": act.input}
        thought = {"type": "thinking", "thinking": f"Call {self._calls}.", "signature": ""}
        blocks = self._ask([thought, call])
        if steered:
            self.rolling.steer(steered)
            self._wanted["steering"] = [*self._wanted["steering"], steered]
        self.rolling.answer(blocks, [{"content": act.result, "is_error": act.is_error}])
        self._declare(act)

    def _declare(self, act: Act) -> None:
        if act.file:
            self.declared.files.add((act.file, act.input["file_path"]))
        if act.exit_code is not None:
            self.declared.commands.add((act.input["command"], str(act.exit_code)))

    def _ask(self, reply: Sequence[dict[str, Any]]) -> Any:
        self.wanted.append(dict(self._wanted))
        return self.rolling.step(reply)

    def _compact(self) -> None:
        self.rolling.compact("auto")
        self.sizes.append(self.rolling.state.context_size)
        self.found.append(places(self.view_text(), self.rolling.disk))


def request_text(body: Mapping[str, Any]) -> str:
    """All texts of a request."""
    return shown_text(block for message in body["messages"] for block in message["content"])


def figures(cascade: Cascade) -> dict[str, Any]:
    """Return what there is to say of a session that has been played."""
    acts = cascade.rolling.acts
    return {
        "compactions": dict(sorted(Counter(str(act.plan.receipt["layer"]) for act in acts).items())),
        "requests": len(cascade.rolling.sent),
        "words": words_kept(cascade),
        "view_tokens": cascade.sizes,
        "facts": shares(cascade.found[-1]),
        "ever_lost": sorted(
            {fact for found in cascade.found for fact, place in found.items() if place == "lost"}
        ),
        "ledger": ledger_scores(cascade),
    }


def words_kept(cascade: Cascade) -> dict[str, float]:
    """Return for each kind of the user's words the share that stood in the requests as it should."""
    kept, asked = Counter[str](), Counter[str]()
    for sent, wanted in zip(cascade.rolling.sent, cascade.wanted, strict=True):
        text = request_text(sent.body)
        for kind, parts in wanted.items():
            asked[kind] += len(parts)
            kept[kind] += sum(words in text for words in parts)
    return {kind: round(kept[kind] / asked[kind], 4) for kind in asked}


def ledger_scores(cascade: Cascade) -> dict[str, Any]:
    """Score the newest ledger, as it stands in the view and with its file."""
    body, disk = cascade.rolling.next_request()[0], cascade.rolling.disk
    blocks = [block for message in body["messages"] for block in message["content"]]
    text = next((shown for block in blocks if (shown := shown_text([block])).startswith(HEADING)), "")
    file = disk[FOLDERS.ledger].decode("utf-8") if FOLDERS.ledger in text else ""
    return {
        "in_view": scores(told(text), cascade.declared),
        "with_file": scores(told(f"{text}\n{file}"), cascade.declared),
    }


def played(setting: Setting, summariser: Summariser) -> Cascade:
    """Return the session after its life."""
    cascade = Cascade(setting, summariser)
    cascade.play()
    return cascade


def measured(*, is_quick: bool = False, preset: str = DEFAULT_PRESET, window: int = WINDOW) -> dict[str, Any]:
    """Return the figures of every summariser."""
    setting = Setting(preset=preset, window=window)
    return {name: figures(played(setting, summariser)) for name, summariser in SUMMARISERS.items()}


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    parser.add_argument("--window", type=int, default=WINDOW)
    asked = parser.parse_args()
    print(json.dumps(measured(preset=asked.preset, window=asked.window), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
