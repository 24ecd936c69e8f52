"""Any walk through a session: turns, compactions, ways back and forward, forks and resumes, in any order.

`PALIMPSEST_EXAMPLES=500 pytest -n 0 tests/scenarios/test_walks.py` tries more of them.
"""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent import wiring
from agent.offline import Reply, Request, always, calls, last_text_starts, says, when
from agent.session.forks import fork
from agent.session.points import Point, What
from agent.session.records import decode, encode
from agent.session.rewind import files_at, left_behind, newest_rewind, prompts, rewind
from agent.session.store import new_id
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.rewinding import Standing, standing

EXAMPLES = int(os.environ.get("PALIMPSEST_EXAMPLES", "12"))
SUMMARISED = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))
NAMES = ("a.txt", "b.txt", "sub/c.txt")
LONG = "word " * 500
Move = tuple[str, int, What]
"""What to do, a number to choose by, and what goes back."""


def answer(request: Request) -> Reply:
    """Write the file that the prompt names; answer at length."""
    if request.results:
        return says(LONG)
    name, content = request.last_text.split()[-2:]
    todo = {"content": content, "status": "in_progress"}
    write = calls("read", file_path=name) + calls("write", file_path=name, content=content)
    return write + calls("todo_write", todos=[todo])


class Walk:
    """Walks, and remembers how all stood at every place, to hold against what comes back."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.stood: dict[str, Standing] = {}
        self._number = 0
        self.moves: dict[str, Callable[[int, What], Awaitable[None]]] = {
            "turn": self.turn,
            "rewind": self.rewind,
            "undo": self.undo,
            "branch": self.branch,
            "compaction": self.compaction,
            "pin": self.pin,
            "resume": self.resume,
            "fork": self.fork,
        }

    def now(self) -> Standing:
        """The conversation and the files as they are."""
        return standing(self.harness)

    async def turn(self, number: int, _: What) -> None:
        """Run a turn that changes a file."""
        before, self._number = self.now(), self._number + 1
        name = NAMES[number % len(NAMES)]
        assert (await self.harness.turn(f"write {name} {self._number}")).reason == "done"
        assert self.harness.read(name) == str(self._number)
        self.stood[self.harness.state.branch[-1]] = before

    async def rewind(self, number: int, what: What) -> None:
        """Go back to before a prompt."""
        if known := prompts(self.harness.state):
            self._go(known[number % len(known)][0], what)

    async def undo(self, _: int, __: What) -> None:
        """Take the newest way back."""
        if (point := newest_rewind(self.harness.state)) is not None:
            self._go(point, point.what or "both")

    async def branch(self, number: int, what: What) -> None:
        """Go to what was left behind."""
        if left := left_behind(self.harness.state):
            self._go(left[number % len(left)].point, what)

    async def compaction(self, number: int, _: What) -> None:
        """Compact, take that back, or make it again."""
        if number % 3 == 0:
            await self.harness.agent.compactor.compact("manual", "")
        elif number % 3 == 1:
            self.harness.undo()
        else:
            self.harness.redo()

    async def pin(self, number: int, _: What) -> None:
        """Pin some words."""
        self.harness.pin(f"pin {number}")

    async def resume(self, number: int, _: What) -> None:
        """Leave and go on, or be killed and go on: all stands as it stood."""
        before = self.now()
        await self.harness.resume(is_killed=bool(number % 2))
        assert self.now() == before

    async def fork(self, _: int, __: What) -> None:
        """Go on in a copy."""
        before, shared, session = self.now(), self.harness.shared, self.harness.agent.session
        session.close()
        made = fork(shared.store, session.state.session_id, shared.config.clock())
        self.harness.agent = wiring.resume(shared, made)
        assert self.now() == before

    def _go(self, point: Point, what: What) -> None:
        session, before = self.harness.agent.session, self.now()
        files = files_at(session.state, point)
        assert (files.others, files.lost) == ([], [])
        wanted = files.ours if what != "conversation" else []
        newest = session.state.rewound.get("id")
        assert rewind(session, point, what, wanted) == {}
        assert (session.state.rewound.get("id") != newest) == (what != "files" or bool(wanted))
        if session.state.rewound.get("id") != newest:
            self.stood[session.state.rewound["id"]] = before
        conversation, hashes = self.now()
        assert hashes == (before if what == "conversation" else self.stood[point.record])[1]
        if what != "files":
            assert conversation == self.stood[point.record][0]
        else:
            assert conversation["ids"][: len(before[0]["ids"])] == before[0]["ids"]


def check_log(harness: Harness, share: float) -> None:
    """Each line is the one that its record makes; cut at any byte the log opens, and can be sent."""
    store = harness.shared.store
    data = harness.agent.session.log.path.read_bytes()
    lines = data.splitlines(keepends=True)
    assert all(encode(decode(line)[0][0]) == line for line in lines)
    cut = len(lines[0]) + round(share * (len(data) - len(lines[0])))
    made = new_id(harness.shared.config.clock())
    store.log(made).write_bytes(data[:cut])
    agent = wiring.resume(harness.shared, made)
    assert agent.session.faults() == []
    agent.session.close()


async def walk(moves: Sequence[Move], cut: float) -> None:
    """Walk, look at the log, and run one more turn."""
    with tempfile.TemporaryDirectory() as folder:
        async with scenario(Path(folder), always(answer), routes=[SUMMARISED], may_move=True) as harness:
            walked = Walk(harness)
            for kind, number, what in [*moves, ("turn", 0, "both")]:
                await walked.moves[kind](number, what)
            check_log(harness, cut)


KINDS = ("turn", "turn", "turn", "rewind", "rewind", "undo", "branch", "compaction", "pin", "resume", "fork")
MOVES = st.tuples(st.sampled_from(KINDS), st.integers(0, 8), st.sampled_from(get_args(What)))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=st.lists(MOVES, min_size=3, max_size=14), cut=st.floats(0, 1))
def test_any_walk(moves: list[Move], cut: float) -> None:
    """Each place comes back exactly, conversation and hashes; nothing is refused; the log adds up, cut or whole."""
    asyncio.run(walk(moves, cut))
