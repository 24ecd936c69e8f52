"""The reminder of open todos in whole sessions: which requests carry it, and what it is not."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agent.offline import Reply, always, calls, first_text_has, last_text_starts, says, when
from agent.offline.script import Turn
from agent.sessions.story import read_story
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

TAG = "<system-reminder>"
LS = calls("bash", command="ls")
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))


def todos(*statuses: str) -> Reply:
    items = [{"content": f"item {number}", "status": status} for number, status in enumerate(statuses)]
    return calls("todo_write", todos=items)


OPEN = todos("completed", "in_progress", "pending")


def last_block(body: Mapping[str, Any]) -> str:
    block = body["messages"][-1]["content"][-1]
    return str(block.get("text", ""))


def reminded(harness: Harness, first: int = 0) -> list[int]:
    """Numbers of the main agent's requests, from that one on, whose newest message ends with a reminder."""
    bodies = [query.body for query in harness.server.queries[first:]]
    assert all(str(body["messages"][-1]).count(TAG) <= 1 for body in bodies)
    return [number for number, body in enumerate(bodies, first) if last_block(body).startswith(TAG)]


def turn_of(*replies: Turn) -> Sequence[Turn]:
    return [*replies, says("Done.")]


async def test_after_three_steps_then_ten_then_never(tmp_path: Path) -> None:
    """Steps without todo_write count; a new list begins anew. Each message is sent as it was: none is added to later."""
    async with scenario(
        tmp_path, *turn_of(OPEN, *[LS] * 30), *turn_of(OPEN, *[LS] * 14), says("ok")
    ) as harness:
        await harness.turn("Go.")
        assert reminded(harness) == [4, 14]
        block = last_block(harness.server.queries[4].body)
        assert block.splitlines()[2:] == [
            "- [in_progress] item 1",
            "- [pending] item 2",
            "</system-reminder>",
        ]
        first = len(harness.server.queries)
        await harness.turn("Once more.")
        assert reminded(harness, first) == [first + 4, first + 14]
        await harness.turn("Still there?")
        assert reminded(harness, first + 16) == []


async def test_none_when_nothing_is_open(tmp_path: Path) -> None:
    """Neither of a list that is done, nor of an empty one, nor where there never was one."""
    for number, first in enumerate((todos("completed", "completed"), calls("todo_write", todos=[]), LS)):
        async with scenario(tmp_path / str(number), *turn_of(first, *[LS] * 20)) as harness:
            await harness.turn("Go.")
            assert reminded(harness) == []


async def test_the_answer_to_todo_write_has_none(tmp_path: Path) -> None:
    """Also when the call was refused: the model is at it."""
    bad = calls("todo_write", todos=[{"content": "a", "status": "?"}])
    async with scenario(tmp_path, *turn_of(OPEN, LS, LS, bad, LS, LS, OPEN, LS, LS, LS + OPEN)) as harness:
        await harness.turn("Go.")
        assert reminded(harness) == []


async def test_steps_count_through_turns(tmp_path: Path) -> None:
    """The words of a new turn bring it, behind them; they alone are the user's."""
    async with scenario(tmp_path, *turn_of(OPEN, LS), says("Two."), says("Three."), says("Four.")) as harness:
        for prompt in ("Go.", "Second.", "Third.", "Fourth."):
            await harness.turn(prompt)
        assert reminded(harness) == [4]
        content = harness.server.queries[4].body["messages"][-1]["content"]
        assert [block["text"][:17] for block in content] == ["Third.", TAG]
        assert [words for _, words in harness.state.prompts] == ["Go.", "Second.", "Third.", "Fourth."]
        record = harness.log_records("message")[-4]
        assert (record["said"], record["reminded"], len(record["content"])) == ([0], True, 2)
        story = read_story(harness.agent.session.log.path)
        assert TAG not in str(story.prompts)


async def test_it_stands_behind_what_was_typed_meanwhile(tmp_path: Path) -> None:
    """Results, the user's words, the reminder."""
    async with scenario(tmp_path, *turn_of(OPEN, LS, LS, LS)) as harness:
        harness.once(
            lambda event: "CallStarted" in type(event).__name__ and harness.state.step == 4,
            lambda: harness.steer("hurry"),
        )
        await harness.turn("Go.")
        content = harness.server.queries[4].body["messages"][-1]["content"]
        assert [block["type"] for block in content] == ["tool_result", "text", "text"]
        assert content[1]["text"] == "hurry"
        assert content[2]["text"].startswith(TAG)
        assert [words for _, words in harness.state.prompts] == ["Go.", "hurry"]


async def test_it_is_in_the_log(tmp_path: Path) -> None:
    """A session that was killed goes on with the same bytes and the same count."""
    async with scenario(tmp_path, *turn_of(OPEN, *[LS] * 6), *turn_of(*[LS] * 9)) as harness:
        await harness.turn("Go.")
        await harness.resume(is_killed=True)
        await harness.turn("Go on.")
        assert reminded(harness) == [4, 14]
        assert str(harness.server.queries[-1].body["messages"]).count(TAG) == 2


async def test_a_summary_holds_the_list(tmp_path: Path) -> None:
    """The list stands in it, no reminder beside it; steps count from there, reminders go on."""
    async with scenario(
        tmp_path, *turn_of(OPEN, LS, LS, LS), *turn_of(*[LS] * 12), routes=[SUMMARY]
    ) as harness:
        await harness.turn("Go.")
        await harness.agent.compactor.compact("manual", "")
        await harness.turn("Go on.")
        [summarised] = [
            number
            for number, query in enumerate(harness.server.queries)
            if len(query.body["messages"]) == 1 and number
        ]
        message = str(harness.server.queries[summarised].body["messages"])
        assert TAG not in message
        assert "[in_progress] item 1" in message
        assert reminded(harness, summarised) == [summarised + 10]


async def test_a_subagent_is_reminded_of_its_own_list(tmp_path: Path) -> None:
    """Never of its parent's, whose steps it does not count."""
    task = calls("task", description="look", prompt="Look into it.")
    with_none = when(first_text_has("Look into it."), *turn_of(*[LS] * 12))
    async with scenario(tmp_path / "a", *turn_of(OPEN, task), routes=[with_none]) as harness:
        await harness.turn("Go.")
        assert reminded(harness) == []
    own = when(first_text_has("Look into it."), *turn_of(todos("pending"), LS, LS, LS))
    async with scenario(tmp_path / "b", *turn_of(OPEN, task), routes=[own]) as harness:
        await harness.turn("Go.")
        [number] = reminded(harness)
        assert "item 0" in last_block(harness.server.queries[number].body)
        assert [todo["status"] for todo in harness.state.todos] == ["completed", "in_progress", "pending"]
