"""What compactions would do is what they then do, and looking changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.compacting.foresight import Foreseen, Foresight
from agent.events import CallStarted, Compacted, Event, ResultsSent, StepStarted
from agent.offline import Reply, always, calls, last_text_starts, says, thinks, when
from agent.session.checkpoint import pack
from agent.session.compactions import is_told
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

WORDS = "1. Pending work: the task"
SUMMARY = when(last_text_starts(OPENING), always(says(f"<summary>{WORDS}</summary>")))
FILES = {f"mod_{number}.py": f"value_{number} = {number}\n" * 500 for number in range(5)}


def steps() -> list[Reply]:
    """Return replies of every kind: reads, one again, an edit, a write, output small and large, thinking."""
    found: list[Reply] = []
    for number in range(5):
        found += [
            thinks("Let me look.") + calls("read", file_path=f"mod_{number}.py"),
            calls("bash", command=f"seq {number} 900") + calls("glob", pattern="*.py"),
        ]
    old, new = "value_4 = 4\nvalue_4", "value_4 = 5\nvalue_4"
    return [
        *found,
        calls("edit", file_path="mod_4.py", old_string=old, new_string=new, replace_all=True),
        calls("write", file_path="new.py", content="x = 1\n" * 400),
        calls("bash", command="seq 9000"),
        calls("read", file_path="new.py"),
        calls("bash", command="seq 9000"),
    ]


@dataclass(slots=True)
class Compared:
    """What was foreseen before each step, and what then came."""

    harness: Harness
    foreseen: list[Foreseen] = field(default_factory=list)
    made: list[Compacted] = field(default_factory=list)
    expected: list[Foreseen] | None = None

    def hear(self, event: Event) -> bool:
        """Look once the results are in the history, and compare when the next request leaves."""
        if isinstance(event, ResultsSent):
            found = looked(self.harness)
            assert found is not None
            self.expected = list(found.next)
            self.made = []
        elif isinstance(event, Compacted):
            self.made.append(event)
        elif isinstance(event, StepStarted) and self.expected is not None:
            told = [one for one in self.expected if is_told(one.record)]
            assert [same(one.record) for one in told] == [same(one.record) for one in self.made]
            for one, real in zip(told, self.made, strict=True):
                assert one.is_summary or one.rest == real.receipt["after"]
            self.foreseen += told
            self.expected = None
        return False


def looked(harness: Harness) -> Foresight | None:
    """Look at what would come, and check that looking has changed neither the state nor the log."""
    session = harness.agent.session
    before, log = pack(session.state), session.log.path.read_bytes()
    found = harness.agent.compactor.foresee()
    assert (pack(session.state), session.log.path.read_bytes()) == (before, log)
    return found


def same(record: Any) -> Any:
    """Return what is known of a compaction before it is made: all but the words of a summary."""
    receipt = dict(record["receipt"])
    if "summary" not in receipt.get("parts", ()):
        return [record["changes"], receipt, record["files"]]
    ids = [change["ids"] for change in record["changes"]]
    blocks = list(zip(receipt["parts"], record["changes"][0]["blocks"], strict=True))
    kept = [block for part, block in blocks if part != "summary"]
    known = {
        name: receipt[name] for name in ("layer", "trigger", "cause", "before", "dropped", "where", "archive")
    }
    return [ids, kept, known]


@pytest.mark.parametrize("preset", ["balanced", "classic", "early", "window"])
async def test_what_is_foreseen_is_what_comes(tmp_path: Path, preset: str) -> None:
    """Before every step of a long turn: the same compactions, blocks, files, sizes and prices, under every preset."""
    config = {"window": 24_000, "preset": preset}
    async with scenario(
        tmp_path, *steps(), always(says("Done.")), files=FILES, config=config, routes=[SUMMARY], may_move=True
    ) as harness:
        compared = Compared(harness)
        harness.once(compared.hear, lambda: None)
        await harness.turn("look at all of it")
        layers = {one.record["layer"] for one in compared.foreseen}
        assert layers & {"micro", "snip"} or preset == "window"
        assert "summary" in layers or preset == "balanced"


async def test_what_compact_by_hand_would_do(tmp_path: Path) -> None:
    """The same blocks leave, to the same files; the size is what was said and the summary's own words, to the token."""
    async with scenario(
        tmp_path, *steps(), always(says("Done.")), files=FILES, routes=[SUMMARY], may_move=True
    ) as harness:
        harness.pin("never touch legacy/")
        await harness.turn("look at all of it, at most 3 s")
        found = looked(harness)
        assert found
        assert found.by_hand
        standing = {placed.id for placed in harness.state.view}
        assert {one.placed.id for one in found.by_hand.leaving} == standing
        assert found.by_hand.receipt["before"] == harness.state.context_size
        assert await harness.agent.compactor.compact("manual", "")
        record = harness.of(Compacted)[-1].record
        assert same(found.by_hand.record) == same(record)
        state = harness.state
        words = sum(placed.tokens for placed in state.view if state.kinds[placed.id] == "summary")
        assert found.by_hand.rest == state.meter.size(state.view.tokens - words)
        assert found.by_hand.rest < record["receipt"]["after"] == state.context_size


async def test_what_would_leave_at_the_threshold(tmp_path: Path) -> None:
    """Nothing is due; what the layers would take then stands in the view, and leads to a file of its own."""
    async with scenario(
        tmp_path, *steps()[:6], always(says("Done.")), files=FILES, routes=[SUMMARY]
    ) as harness:
        await harness.turn("look")
        found = looked(harness)
        assert found
        assert found.next == ()
        leaving = [one for foreseen in found.at_threshold for one in foreseen.leaving]
        assert {one.placed.id for one in leaving} <= {placed.id for placed in harness.state.view}
        folders = (".task_outputs/", ".transcripts/")
        assert all(one.where.startswith(folders) or one.name == "thinking" for one in leaving)
        names = {one.name: one for one in leaving}
        assert names["read mod_0.py"].reason == "not touched for 6 steps"
        sizes = [one.tokens for one in found.at_threshold[0].leaving]
        assert sizes == sorted(sizes, reverse=True)


async def test_a_wish_is_met_before_the_next_step(tmp_path: Path) -> None:
    """A summary that was asked for while a turn runs is foreseen as one by hand."""
    async with scenario(
        tmp_path, *steps()[:6], always(says("Done.")), files=FILES, routes=[SUMMARY], may_move=True
    ) as harness:
        await harness.turn("look")
        harness.agent.session.append("note", text="a wish", compact_wish="")
        found = looked(harness)
        assert found
        assert [(one.record["layer"], one.receipt["trigger"]) for one in found.next] == [
            ("summary", "manual")
        ]


async def test_nothing_is_foreseen_while_calls_run(tmp_path: Path) -> None:
    """The view ends with a call then, on which nothing decides."""
    seen: list[Any] = []
    async with scenario(tmp_path, calls("bash", command="true"), says("Done.")) as harness:
        look: Callable[[], None] = lambda: seen.append(looked(harness))  # noqa: E731 (inside the emit)
        harness.once(CallStarted, look)
        await harness.turn("go")
        assert seen == [None]
        assert looked(harness) is not None


async def test_why_blocks_are_worth_less(tmp_path: Path) -> None:
    """Read from the history: written or edited since, read again, left alone, ended how long ago."""
    async with scenario(
        tmp_path,
        calls("read", file_path="mod_0.py") + calls("read", file_path="mod_1.py"),
        calls("write", file_path="mod_0.py", content="new\n"),
        calls("read", file_path="mod_2.py", limit=3) + calls("bash", command="exit 3"),
        calls("edit", file_path="mod_1.py", old_string="value_1 = 1\n", new_string="y\n", replace_all=True),
        calls("read", file_path="mod_2.py") + calls("glob", pattern="*.py"),
        always(says("Done.")),
        files=FILES,
    ) as harness:
        await harness.turn("go")
        found = looked(harness)
        assert found
        assert found.by_hand
        reasons = {(one.name, one.placed.step): one.reason for one in found.by_hand.leaving}
        assert reasons["read mod_0.py", 1] == "superseded at step 2"
        assert reasons["read mod_1.py", 1] == "edited at step 4"
        assert reasons["read mod_2.py", 3] == "read again at step 5"
        assert reasons["read mod_2.py", 5] == "not touched for 1 step"
        assert reasons["bash exit 3", 3] == "exit code 3, 3 steps ago"
        assert reasons["glob *.py", 5] == "1 step ago"
        assert reasons["you: go", 0] == ""
