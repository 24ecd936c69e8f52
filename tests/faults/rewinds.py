"""A session that goes back over a compaction, and forward again; killed or refused at each of its writes, and resumed.

`python -m tests.faults.rewinds [--step N]` prints JSON: for each of the four loops how often it was harmed, how often
all was as before, all as after, or halfway and said; a failed check ends it. The exit code is 1 then.
"""

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from agent import wiring
from agent.events import Notice
from agent.offline import Reply, always, calls, last_text_starts, says, when
from agent.offline.script import Always
from agent.session.care import UNFINISHED
from agent.session.file_state import identity_now
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.killed import DEAD, SAID, UNHARMED, Mortal, go_back
from tests.support.rewinding import conversation

SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Pending work: none</summary>")))
FILES = {"a.txt": "one\n", "run.sh": "echo 1\n", "gone.txt": "here\n"}
NAMES = (*FILES, "new.txt")
WORK = (
    calls("read", file_path="a.txt")
    + calls("read", file_path="run.sh")
    + calls("read", file_path="gone.txt"),
    says("A long story. " * 900),
    calls("write", file_path="a.txt", content="two\n")
    + calls("edit", file_path="run.sh", old_string="1", new_string="2")
    + calls("edit", file_path="gone.txt", old_string="here", new_string="there"),
    calls("bash", command="chmod 755 run.sh; rm gone.txt"),
    says("Done."),
    calls("write", file_path="new.txt", content="new\n"),
    says("Done."),
)
BACK_TO = "2"
TOLD = UNFINISHED.partition("{}")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """How all stood at a moment."""

    talk: dict[str, Any]
    files: dict[str, tuple[str, int]]

    @classmethod
    def now(cls, harness: Harness) -> "Stood":
        """Return how all stands."""
        paths = {name: harness.project / name for name in NAMES}
        files = {
            name: (identity_now(path), path.stat().st_mode if path.exists() else 0)
            for name, path in paths.items()
        }
        return cls(talk=conversation(harness.state), files=files)


class Trial:
    """One session with its copy, from which each harm begins."""

    def __init__(self, harness: Harness, copy: Path) -> None:
        self._harness = harness
        self._copy = copy
        self._session = harness.state.session_id

    def keep(self) -> None:
        """Let all be as it is now at the beginning of each harm."""
        self._harness.agent.session.close()
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._harness.project, self._copy, symlinks=True)

    def reset(self) -> None:
        """Let all be as it was kept."""
        self._harness.agent.session.close()
        shutil.rmtree(self._harness.project)
        shutil.copytree(self._copy, self._harness.project, symlinks=True)

    def open(self) -> Stood:
        """Open the session, as after a kill."""
        self._harness.events.clear()
        self._harness.agent = wiring.resume(self._harness.shared, self._session)
        return Stood.now(self._harness)

    async def each(self, mortal: Mortal, what: str, *, refuses: bool, step: int) -> "Counter[str]":
        """Harm every n-th write of ``what``; return how often it came to what."""
        self.reset()
        before = self.open()
        self.reset()
        assert mortal.ended(sys.maxsize, what) == UNHARMED
        after = self.open()
        assert (after.talk, after.files) != (before.talk, before.files)
        ended: Counter[str] = Counter()
        for number in count(1, step):
            self.reset()
            code = mortal.ended(number, what, refuses=refuses)
            if code == UNHARMED:
                break
            assert code in (0, SAID, DEAD), code
            found = self._judge(code, before, after)
            ended[found] += 1
            await self._goes_on(found, before)
        return ended

    def _judge(self, code: int, before: Stood, after: Stood) -> str:
        """Return as what all stands after a harm: never halfway without a word."""
        now = self.open()
        told = [one.text for one in self._harness.of(Notice) if one.text.startswith(TOLD)]
        assert now.talk in (before.talk, after.talk)
        assert all(now.files[name] in (before.files[name], after.files[name]) for name in NAMES), now.files
        if (now.talk, now.files) == (after.talk, after.files):
            assert told == []
            return "after"
        if (now.talk, now.files) == (before.talk, before.files):
            return "before"
        assert told or code == SAID, (code, now.files)
        assert now.talk == after.talk, "files that were put back, and no record tells of it"
        return "halfway, said"

    async def _goes_on(self, found: str, before: Stood) -> None:
        """The next request is accepted; what is halfway can be taken back whole."""
        harness = self._harness
        if found == "halfway, said":
            harness.agent.session.close()
            assert self._undone() == (before.talk, before.files)
        assert (await harness.turn("hi")).text == "Hello."
        assert harness.server.refusals == []

    def _undone(self) -> tuple[Any, Any]:
        self.open()
        assert go_back(self._harness.agent.session, "undo") == 0
        now = Stood.now(self._harness)
        return now.talk, now.files


async def loops(folder: Path, step: int) -> "dict[str, Counter[str]]":
    """Kill it, and have the disk refuse, at every n-th write of going back, and of going forward again."""
    turns: list[Reply | Always] = [*WORK, always(says("Hello."))]
    tallies: dict[str, Counter[str]] = {}
    async with scenario(folder, *turns, files=FILES, routes=[SUMMARY], may_move=True) as harness:
        await harness.turn("Tell me.")
        await harness.turn("Change them.")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("And a new one.")
        config = harness.shared.config
        places = [str(config.project), str(config.home), harness.server.url, harness.state.session_id]
        trial = Trial(harness, folder / "copy")
        trial.keep()
        with Mortal(*places, "balanced", "100000") as mortal:
            for what in (BACK_TO, "undo"):
                for refuses in (False, True):
                    name = f"{'refused' if refuses else 'killed'} in /rewind {what}"
                    tallies[name] = await trial.each(mortal, what, refuses=refuses, step=step)
                trial.reset()
                assert mortal.ended(sys.maxsize, what) == UNHARMED
                trial.open()
                trial.keep()
        trial.open()
    return tallies


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1)
    with tempfile.TemporaryDirectory() as folder:
        tallies = asyncio.run(loops(Path(folder), parser.parse_args().step))
    sys.stdout.write(json.dumps(tallies, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
