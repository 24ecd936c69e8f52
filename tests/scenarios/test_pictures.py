"""Pictures that the user names, from the prompt to the server, through resume and compaction."""

import base64
from pathlib import Path
from typing import Any

from agent.events import CallFinished, Notice
from agent.offline import calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.pictures import picture

LS = calls("bash", command="ls")
LONG = calls("bash", command="seq 1 4000")
SUMMARY = when(last_text_starts(OPENING), says("<summary>1. Request and intent: look at it</summary>"))
FILES = {"shot.png": picture((1_200, 800), shade=1), "other.png": picture((30, 20), shade=2)}


def sent(harness: Harness) -> list[dict[str, Any]]:
    """The user's blocks of the last request, in order."""
    messages = harness.server.queries[-1].body["messages"]
    return [block for message in messages if message["role"] == "user" for block in message["content"]]


def images(harness: Harness) -> list[bytes]:
    """The pictures of the last request."""
    return [base64.b64decode(block["source"]["data"]) for block in sent(harness) if block["type"] == "image"]


async def test_after_the_words(tmp_path: Path) -> None:
    """The strict server takes it; the user sees what was sent, and the meter counts it before it is."""
    async with scenario(tmp_path, says("A square."), says("Again."), files=FILES) as harness:
        await harness.turn("what is in shot.png?")
        content = sent(harness)[-3:]
        assert [block["type"] for block in content] == ["text", "text", "image"]
        assert content[0]["text"] == "what is in shot.png?"
        assert images(harness) == [FILES["shot.png"]]
        assert [notice.text for notice in harness.of(Notice)] == ["[image shot.png 1200x800]"]
        before = harness.state.view.tokens
        await harness.turn("and without one?")
        words = harness.state.view.tokens - before
        await harness.turn("shot.png once more")
        assert harness.state.view.tokens - before - words > words + 1_000


async def test_with_steering(tmp_path: Path) -> None:
    """What is typed while a turn runs brings its pictures along, behind the words."""
    async with scenario(tmp_path, LS, says("Done."), files=FILES) as harness:
        harness.once(CallFinished, lambda: harness.steer("like in other.png"))
        await harness.turn("Go.")
        assert [block["type"] for block in sent(harness)[-4:]] == ["tool_result", "text", "text", "image"]
        assert images(harness) == [FILES["other.png"]]
        assert harness.state.prompts == [(1, "Go."), (1, "like in other.png")]


async def test_after_a_resume(tmp_path: Path) -> None:
    """It stands as it was sent, though the file is another one now."""
    async with scenario(tmp_path, says("A square."), says("Yes."), files=FILES) as harness:
        await harness.turn("what is in shot.png?")
        (harness.project / "shot.png").write_bytes(b"gone")
        await harness.resume(is_killed=True)
        await harness.turn("sure?")
        assert images(harness) == [FILES["shot.png"]]


async def test_through_compactions_of_its_turn(tmp_path: Path) -> None:
    """The active request keeps its pictures, behind its words, through one summary and the next; undo too."""
    compact = calls("compact")
    script = [says("Seen."), LONG, compact, LONG, LS, compact, LS, says("Done."), says("Next.")]
    async with scenario(tmp_path, *script, files=FILES, routes=[SUMMARY], may_move=True) as harness:
        await harness.turn("first look at other.png")
        await harness.turn("make it like shot.png")
        assert harness.state.compactions == 2
        assert images(harness) == [FILES["shot.png"]]
        kinds = [block["type"] for block in sent(harness)]
        words = next(
            index for index, block in enumerate(sent(harness)) if "make it like" in block.get("text", "")
        )
        assert kinds[words + 1] == "image"
        await harness.resume()
        harness.undo()
        harness.undo()
        await harness.turn("again")
        assert images(harness) == [FILES["other.png"], FILES["shot.png"]]


async def test_a_later_summary_lets_it_go(tmp_path: Path) -> None:
    """Once answered it leaves with its turn: byte for byte on disk, where the archive names it."""
    script = [says("Seen."), LS, calls("compact"), LS, says("Done.")]
    async with scenario(tmp_path, *script, files=FILES, routes=[SUMMARY]) as harness:
        await harness.turn("look at shot.png")
        await harness.turn("now something else")
        assert images(harness) == []
        kept = harness.project.glob(".transcripts/*/archive-001/*.png")
        assert [path.read_bytes() for path in kept] == [FILES["shot.png"]]
