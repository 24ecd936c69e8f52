"""The todo list through everything that changes a view: what the user is shown is what the model was told last.

`PALIMPSEST_EXAMPLES=500 pytest -n 0 tests/scenarios/test_todos_told.py` tries more walks.
"""

import asyncio
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent.offline import Reply, Request, always, calls, last_text_starts, says, when
from agent.session.points import What
from agent.session.records import Record
from agent.session.replay import apply, empty_state
from agent.session.state import State
from agent.terminal.todos import todo_lines
from compaction.ledger import HEADING
from compaction.presets import PRESETS
from compaction.summary import OPENING
from tests.scenarios.test_walks import Walk
from tests.support.agent import Harness, scenario

EXAMPLES = int(os.environ.get("PALIMPSEST_EXAMPLES", "6"))
SUMMARISED = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))
STATUSES = ("pending", "in_progress", "completed")
TAG = "<system-reminder>"
LINE = re.compile(r"^- (?:todo )?\[(pending|in_progress|completed)\] (.+)$", re.MULTILINE)
WORK = {
    "balanced": (6_000, 10),
    "classic": (50, 26),
    "early": (1_500, 10),
    "window": (10_000, 16),
}
"""Preset -> how many numbers each piece of work prints, and how many pieces it takes until its layers have acted."""
List = dict[str, str]
"""Item -> status."""


def items_of(spelled: str) -> list[dict[str, str]]:
    """`p-a i-b` as two items."""
    status = {one[0]: one for one in STATUSES}
    parts = [part.split("-") for part in spelled.split()]
    return [{"content": content, "status": status[letter]} for letter, content in parts]


def answer(request: Request) -> Reply:
    """Do what the prompt says: write a list, send one that is refused, or work without a look at it."""
    texts = [str(block.get("text", "")) for block in request.body["messages"][-1]["content"]]
    newest = next((text for text in reversed(texts) if not text.startswith(TAG)), "")
    prompt = re.fullmatch("(list|odd|work)(.*)", newest)
    if request.results or prompt is None:  # behind a summary in mid-turn, the results are no results
        return says("ok")
    if prompt[1] == "list":
        return calls("todo_write", todos=items_of(prompt[2]))
    if prompt[1] == "odd":
        return calls("todo_write", todos=[{"content": "odd", "status": "?"}])
    return calls("bash", command=f"seq -s ' ' {prompt[2]}")


class TodoWalk(Walk):
    """Walks with turns that write lists, and holds what is shown against what was told."""

    def __init__(self, harness: Harness, turns: Sequence[str]) -> None:
        super().__init__(harness)
        self._turns = turns

    async def turn(self, number: int, _: What) -> None:
        """Run one of the turns."""
        before = self.now()
        assert (await self.harness.turn(self._turns[number % len(self._turns)])).reason == "done"
        self.stood[self.harness.state.branch[-1]] = before


def told(state: State) -> List:
    """The list as the newest block says it that holds one."""
    found: List = {}
    for placed in state.view:
        block = placed.block
        if block["type"] == "tool_use" and block["name"] == "todo_write":
            if not state.view.history.calls[block["id"]].is_failed:
                found = {item["content"]: item["status"] for item in block["input"]["todos"]}
        elif block["type"] == "text" and block["text"].startswith(HEADING):
            found = {content: status for status, content in LINE.findall(block["text"])}
        elif block["type"] == "text" and block["text"].startswith(TAG):
            reminder = {content: status for status, content in LINE.findall(block["text"])}
            assert reminder == still_open(found)
    return found


def still_open(listed: Mapping[str, str]) -> List:
    return {content: status for content, status in listed.items() if status != "completed"}


def of_branch(harness: Harness) -> list[Any]:
    """The list by the newest result that stands on the branch of the log, found without a replay."""
    records = harness.log_records()
    by_id: dict[str, Record] = {record["id"]: record for record in records}
    record: Record | None = records[-1]
    while record is not None:
        if "todos" in record.get("facts", {}):
            return list(record["facts"]["todos"])
        record = by_id.get(record["parent"])
    return []


def check(harness: Harness) -> None:
    """What is shown, what the log's branch says, and what the model was told last are one list."""
    state = harness.state
    listed = {todo["content"]: todo["status"] for todo in state.todos}
    assert still_open(told(state)) == still_open(listed)
    assert of_branch(harness) == state.todos
    shown = [line.plain for line in todo_lines(state.todos, 80)]
    boxes = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
    assert shown[1:] == [f"{boxes[status]} {content}" for content, status in listed.items()]
    replayed = empty_state(state.project, state.count, state.price)
    for record in harness.log_records():
        apply(replayed, record)
    assert (replayed.todos, replayed.todo_clock) == (state.todos, state.todo_clock)


@st.composite
def lists(draw: st.DrawFn) -> str:
    """A turn that writes a list of up to three items, at most one at work."""
    contents = draw(st.permutations("abcd"))
    letters = draw(st.lists(st.sampled_from("pc"), max_size=3))
    is_at_work: bool = draw(st.booleans())
    if letters and is_at_work:
        letters[0] = "i"
    return " ".join(["list", *(f"{letter}-{one}" for letter, one in zip(letters, contents, strict=False))])


TURNS = st.lists(st.one_of(lists(), lists(), st.just("work 6000"), st.just("odd")), min_size=4, max_size=8)
KINDS = (
    "turn",
    "turn",
    "turn",
    "turn",
    "rewind",
    "undo",
    "branch",
    "compaction",
    "compaction",
    "resume",
    "fork",
)
MOVES = st.tuples(st.sampled_from(KINDS), st.integers(0, 8), st.sampled_from(get_args(What)))


async def walk(turns: Sequence[str], moves: Sequence[tuple[str, int, What]], preset: str) -> None:
    """Walk, and check at every place."""
    config = {"preset": preset, "window": 40_000}
    with tempfile.TemporaryDirectory() as folder:
        async with scenario(
            Path(folder), always(answer), routes=[SUMMARISED], may_move=True, config=config
        ) as harness:
            walked = TodoWalk(harness, turns)
            for kind, number, what in moves:
                await walked.moves[kind](number, what)
                check(harness)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(
    turns=TURNS,
    moves=st.lists(MOVES, min_size=4, max_size=12),
    preset=st.sampled_from(sorted(set(PRESETS) - {"off"})),
)
def test_what_is_shown_is_what_was_told(
    turns: list[str], moves: list[tuple[str, int, What]], preset: str
) -> None:
    """Whatever was written, refused, compacted, undone, gone back to, forked or resumed."""
    asyncio.run(walk(turns, moves, preset))


@pytest.mark.parametrize("preset", sorted(WORK))
async def test_every_preset_leaves_the_list_in_the_view(tmp_path: Path, preset: str) -> None:
    """However long the work goes on without a word of it: no layer takes out the call that wrote what stands open."""
    long = " ".join(f"p-{letter * 40}" for letter in "abcdefgh")
    async with scenario(
        tmp_path, always(answer), routes=[SUMMARISED], config={"preset": preset}, may_move=True
    ) as harness:
        size, pieces = WORK[preset]
        work = f"work {size}"
        for prompt in (*[work] * 4, f"list i-z {long}", *[work] * pieces):
            await harness.turn(prompt)
            listed = {todo["content"]: todo["status"] for todo in harness.state.todos}
            assert told(harness.state) == listed
        assert len(listed) == 9
        assert harness.state.compactions > 0


async def test_killed_behind_every_record(tmp_path: Path) -> None:
    """Cut behind any record, and inside it: the list is the one that was told, and no message holds two reminders."""
    steps = [
        calls("todo_write", todos=items_of("i-a p-b")),
        *[calls("bash", command="true")] * 4,
        calls("todo_write", todos=[{"content": "odd", "status": "?"}]),
        calls("todo_write", todos=items_of("c-a i-b")) + calls("bash", command="true"),
        says("Done."),
    ]
    async with scenario(tmp_path, *steps, may_move=True) as harness:
        await harness.turn("Go.")
        whole = harness.agent.session.log.path.read_bytes()
        lines = whole.splitlines(keepends=True)
        for number in range(1, len(lines)):
            await harness.resume(log=b"".join(lines[:number]) + lines[number][: number % 3 * 7])
            check(harness)
            texts = [str(message["content"]) for message in harness.state.view.messages("kept", "m")]
            assert all(text.count(TAG) <= 1 for text in texts)
        assert whole.count(b'"reminded":true') == 1
        await harness.resume(log=whole)
        check(harness)
