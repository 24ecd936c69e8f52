"""Long sessions under the default preset: valid, within the window, and the user's words in every request."""

import json
import random
from pathlib import Path
from typing import Any

from agent.events import Compacted
from agent.offline import Reply, Request, always, calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

MODEL = "claude-sonnet-5-5"
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Pending work: the task</summary>")))


def bodies(harness: Harness) -> list[dict[str, Any]]:
    return [dict(request.body or {}) for request in harness.server.queries if request.reply is not None]


async def test_undo_redo_preview_and_pins(tmp_path: Path) -> None:
    """A compaction is seen before it happens, taken back byte for byte, made again; a pin survives a summary."""
    script = [calls("bash", command=f"seq {n} {n + 900}") for n in range(14)]
    async with scenario(tmp_path, *script, always(says("Done.")), routes=[SUMMARY], may_move=True) as harness:
        compactor = harness.agent.compactor
        assert "pinned" in harness.pin("never touch legacy/")
        await harness.turn("Count.")
        before = json.dumps(harness.state.view.messages("bound", MODEL))
        standing = len(harness.state.standing)

        foreseen = compactor.foresee()
        assert foreseen
        assert foreseen.by_hand
        assert await compactor.compact("manual", "")
        assert foreseen.by_hand.rest < harness.log_records("compaction")[-1]["receipt"]["after"]
        assert len(harness.state.standing) == standing + 1
        assert json.dumps(harness.state.view.messages("bound", MODEL)).count("never touch legacy/") == 1
        assert "undone" in harness.undo()
        assert json.dumps(harness.state.view.messages("bound", MODEL)) == before
        assert "redone" in harness.redo()
        assert harness.redo() == "no compaction to redo"
        harness.undo()
        await harness.resume()
        assert json.dumps(harness.state.view.messages("bound", MODEL)) == before
        assert (await harness.turn("Again.")).text == "Done."


async def test_a_pin_has_a_limit(tmp_path: Path) -> None:
    """Pins may take a twentieth of the threshold: more is refused when it is pinned, not dropped later."""
    async with scenario(tmp_path, always(says("Hi.")), config={"window": 16_000}) as harness:
        assert "may take" in harness.pin("word " * 2_000)
        assert harness.state.pins == []
        assert harness.undo() == "no compaction to undo"


def long_session(steps: int) -> Any:
    """A model that works for ``steps`` steps: results of every size, from a fixed seed, then ends the turn."""
    chance = random.Random(7)
    count = 0

    def answer(request: Request) -> Reply:
        nonlocal count
        count += 1
        if count > steps:
            return says("Done.")
        size = 40_000 if chance.random() < 0.1 else int(10 ** chance.uniform(1.5, 3.8))
        if count % 5 == 0:
            return says(f"Reading at step {count}.") + calls("read", file_path=f"src/f{count % 9}.py")
        return calls("bash", command=f"head -c {size} /dev/zero | tr '\\0' x; echo; echo {count}")

    return always(answer)


async def test_a_long_turn_in_a_small_window(tmp_path: Path) -> None:
    """Sixty steps at 60,000 tokens: no refusal, the request and pin in every one, under the window, prefix kept."""
    files = {f"src/f{n}.py": f"def f{n}():\n" + "    pass\n" * 400 for n in range(9)}
    async with scenario(
        tmp_path,
        long_session(60),
        files=files,
        routes=[SUMMARY],
        config={"window": 60_000},
        windows={MODEL: 60_000},
    ) as harness:
        harness.pin("keep the API stable")
        ended = await harness.turn("Refactor everything, step by step.")

        assert ended.text == "Done."
        assert harness.of(Compacted)
        for body in bodies(harness):
            sent = json.dumps(body["messages"])
            assert "Refactor everything, step by step." in sent
            assert "keep the API stable" in sent
        bills = [request.bill.total for request in harness.server.queries if request.bill]
        assert max(bills) < 60_000
