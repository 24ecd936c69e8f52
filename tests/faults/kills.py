"""A session of ten turns with two compactions that is killed, again and again, and each time resumed.

`python -m tests.faults.kills --count 200 [--seed N]` kills it at random moments; `--writes kill` (or `cut`, `fail`,
`half`) does that to its n-th write instead, for every n, or every N-th with `--step N`. It prints JSON: `kills`,
`resumes` (those that went well), `refused` requests, `lost_committed` records, `seconds`. Committed is what stood in a
request that the server received, and a call whose tool has had its effect on disk. The exit code is 1 when anything is
lost, refused or not resumed.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from agent.offline import MessagesServer, Reply, Request, Script, always, calls, last_text_starts, says, when
from agent.session.log import read_records
from compaction.summary import OPENING
from tests.support.mortal import WAYS, Life, Nursery

TURNS = 10
COMPACTED = (4, 8)
"""Turns that begin with a compaction."""
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Pending work: none</summary>")))
TELL = "Tell me more, part {}."
NO_SUCH_WRITE = 1
FORM = ("cache_control", "type", "role", "name")
"""Keys of a message that say nothing of the session's own."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of it."""

    kills: int = 0
    resumes: int = 0
    refused: int = 0
    lost_committed: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


class Model:
    """Runs a command with an effect of its own in each turn; in two of them it asks for a compaction first."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self, request: Request) -> Reply:
        """Return the next reply."""
        number = next(self._numbers)
        if request.results and "effect" in str(request.results):
            return says(f"Reply {number}: it is done. " + "More words. " * 40)
        if any(request.last_text == TELL.format(turn) for turn in COMPACTED):
            return says(f"Reply {number}.") + calls("compact")
        return says(f"Reply {number}.") + calls(
            "bash", command=f"echo {number} >> effects.txt; echo effect {number}; seq 400"
        )


class Trial:
    """One session: lives, dies, is resumed, and is looked at."""

    def __init__(self, nursery: Nursery, folder: Path, tally: Tally) -> None:
        self.project, self.home = folder / "project", folder / "home" / ".agent"
        self._nursery = nursery
        self._tally = tally
        for place in (self.project, self.home):
            place.mkdir(parents=True)

    def life(self, server: MessagesServer, **how: Any) -> Life:
        """Return what a process is to do."""
        places = {"project": str(self.project), "home": str(self.home), "url": server.url}
        return Life(**{**places, "prompts": tuple(TELL.format(turn) for turn in range(1, TURNS + 1)), **how})

    def killed_after(self, delay_s: float) -> float:
        """Kill the session ``delay_s`` seconds after it was opened, and resume it; return how long it lived."""
        with MessagesServer(Script(always(Model()), routes=[SUMMARY])) as server:
            pid = self._nursery.begin(self.life(server))
            session = self._nursery.told("session")
            opened = time.monotonic()
            killer = threading.Timer(delay_s, os.kill, (pid, signal.SIGKILL))
            killer.start()
            code = self._nursery.end()
            lived_s = time.monotonic() - opened
            killer.cancel()
            if code == -signal.SIGKILL:
                self._tally.kills += 1
                self._check(server, session)
            return lived_s

    def harmed_at(self, way: str, number: int) -> bool:
        """Do ``way`` to the n-th write, and resume; False when there is no such write."""
        with MessagesServer(Script(always(Model()), routes=[SUMMARY])) as server:
            session, code = self._nursery.run(self.life(server, way=way, at=number))
            if code == NO_SUCH_WRITE:
                return False
            self._tally.kills += 1
            if way in ("fail", "half") and session and code:
                self._tally.problems.append(f"write {number}: it did not come to its end: {code}")
            self._check(server, session)
        return True

    def _check(self, server: MessagesServer, session: str) -> None:
        """Look for what is committed, and run one more turn."""
        sent = _sent(server)
        session = session or next((path.stem for path in self._logs()), "")
        if not session or not self._has_record(session):
            self._tally.resumes += not sent  # it died before its first record: nothing was said
            return
        lost = [*self._lost_words(session, sent), *self._lost_effects(session)]
        self._tally.lost_committed += len(lost)
        _, code = self._nursery.run(self.life(server, session=session, prompts=("Go on.",)))
        lost_views = self._lost_view(session, sent, _sent(server))
        self._tally.lost_committed += len(lost_views)
        self._tally.resumes += code == 0
        self._tally.refused += len(server.refusals)
        self._tally.problems += [
            *(f"lost: {words[:200]}" for words in (*lost, *lost_views)),
            *(f"refused: {text}" for _, text in server.refusals),
            *([] if code == 0 else [f"not resumed: {code}"]),
        ]

    def _logs(self) -> Iterator[Path]:
        return self.project.glob(".transcripts/*.jsonl")

    def _log(self, session: str) -> Path:
        return self.project / ".transcripts" / f"{session}.jsonl"

    def _has_record(self, session: str) -> bool:
        return any(record for _, record in read_records(self._log(session)))

    def _lost_words(self, session: str, sent: list[Mapping[str, Any]]) -> list[str]:
        """Return what stood in a request and is not in the log."""
        logged = {words for _, record in read_records(self._log(session)) for words in _strings(record)}
        return [
            words
            for words in {words for body in sent for words in _strings(body["messages"])} - logged
            if words
        ]

    def _lost_effects(self, session: str) -> list[str]:
        """Return the effects on disk of whose call the log does not tell that it was started."""
        effects = self.project / "effects.txt"
        started: set[str] = set()
        commands: dict[str, str] = {}
        for _, record in read_records(self._log(session)):
            blocks = (record or {}).get("content") or []
            for block in blocks if isinstance(blocks, list) else []:
                if block.get("type") == "tool_use":
                    commands[block["id"]] = str(block["input"].get("command", ""))
            if record and record["type"] == "call":
                started.add(commands.get(record["call"], ""))
        numbers = effects.read_text("ascii").split() if effects.exists() else []
        twice = [f"effect {number} twice" for number in set(numbers) if numbers.count(number) > 1]
        return twice + [
            f"effect {number}"
            for number in numbers
            if not any(command.startswith(f"echo {number} >>") for command in started)
        ]

    def _lost_view(
        self, session: str, before: list[Mapping[str, Any]], after: list[Mapping[str, Any]]
    ) -> list[str]:
        """Return what the last request before held and the first one after does not, but for a compaction between."""
        if not before or len(after) == len(before):
            return []
        first = set(_strings(after[len(before)]["messages"]))
        gone = [words for words in _strings(before[-1]["messages"]) if words and words not in first]
        replaced = [
            record
            for _, record in read_records(self._log(session))
            if record and record["type"] == "compaction"
        ]
        stands = [words for record in replaced for words in _strings(record["changes"]) if words in first]
        new = [words for words in stands if words not in set(_strings(before[-1]["messages"]))]
        return [] if new else gone


def _sent(server: MessagesServer) -> list[Mapping[str, Any]]:
    """The requests of the session itself."""
    bodies = [request.body for request in server.queries if request.body]
    return [body for body in bodies if OPENING not in str(body["messages"][-1])]


def _strings(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in FORM:
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def at_random(amount: int, seed: int) -> Tally:
    """Kill it so often at random moments."""
    tally, chance, begun = Tally(), random.Random(seed), time.monotonic()
    with Nursery() as nursery, tempfile.TemporaryDirectory() as folder:
        whole_s = Trial(nursery, Path(folder) / "whole", Tally()).killed_after(600)
        while tally.kills < amount:
            place = Path(tempfile.mkdtemp(dir=folder))
            Trial(nursery, place, tally).killed_after(chance.uniform(0, whole_s))
            shutil.rmtree(place)
    tally.seconds = round(time.monotonic() - begun, 1)
    return tally


def at_writes(way: str, step: int, *, most: int = sys.maxsize) -> Tally:
    """Harm every n-th write in turn, one a session."""
    tally, begun = Tally(), time.monotonic()
    with Nursery() as nursery, tempfile.TemporaryDirectory() as folder:
        for number in range(1, most, step):
            place = Path(folder) / str(number)
            if not Trial(nursery, place, tally).harmed_at(way, number):
                break
            shutil.rmtree(place)
    tally.seconds = round(time.monotonic() - begun, 1)
    return tally


def is_clean(tally: Tally) -> bool:
    """True when all went well."""
    return not (tally.refused or tally.lost_committed or tally.problems) and tally.resumes >= tally.kills


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writes", choices=WAYS)
    parser.add_argument("--step", type=int, default=1)
    given = parser.parse_args()
    tally = at_writes(given.writes, given.step) if given.writes else at_random(given.count, given.seed)
    sys.stdout.write(json.dumps(asdict(tally), indent=1) + "\n")
    return 0 if is_clean(tally) else 1


if __name__ == "__main__":
    sys.exit(main())
