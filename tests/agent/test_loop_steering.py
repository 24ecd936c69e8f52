"""Steering: what the user types while a turn runs."""

from pathlib import Path
from typing import Any

from agent.events import CallFinished, Compacted, Notice, ReplyReceived, TurnStarted
from agent.hooking.words import marked
from agent.offline import calls, last_text_starts, says, when
from compaction.summary import OPENING
from hooks.events import Outcome, UserPromptSubmit
from tests.support.agent import Harness, scenario

LS = calls("bash", command="ls")
SUMMARY = when(last_text_starts(OPENING), says("<summary>1. Pending work: none</summary>"))


def last_content(harness: Harness, back: int = 1) -> list[dict[str, Any]]:
    """The blocks of the last message of a request."""
    content: list[dict[str, Any]] = harness.server.queries[-back].body["messages"][-1]["content"]
    return content


def types_after_call(harness: Harness, *words: str) -> None:
    """Type each of ``words`` when the next call has ended."""

    def type_all() -> None:
        for one in words:
            harness.steer(one)

    harness.once(CallFinished, type_all)


async def test_it_follows_the_results(tmp_path: Path) -> None:
    """A text block each behind the results of the next message, in the order typed, and in the log before."""
    async with scenario(tmp_path, LS, says("Done.")) as harness:
        types_after_call(harness, "faster", "and better")
        await harness.turn("Go.")
        assert [block["type"] for block in last_content(harness)] == ["tool_result", "text", "text"]
        assert [block["text"] for block in last_content(harness)[1:]] == ["faster", "and better"]
        kinds = [record["type"] for record in harness.log_records()]
        typed = kinds.index("steering")
        assert kinds[typed : typed + 4] == ["steering", "steering", "result", "message"] or (
            kinds[typed - 1 : typed + 3] == ["result", "steering", "steering", "message"]
        )
        message = harness.log_records("message")[-2]
        assert message["said"] == [0, 1]
        assert message["steering"] == [record["id"] for record in harness.log_records("steering")]
        assert harness.state.waiting == {}
        assert harness.state.prompts == [(1, "Go."), (1, "faster"), (1, "and better")]


async def test_it_fires_the_hook(tmp_path: Path) -> None:
    """UserPromptSubmit, once for each; what the hook adds stands behind the words and is not the user's."""
    heard = []

    def hear(event: UserPromptSubmit) -> Outcome:
        heard.append(event.prompt)
        return Outcome(contexts=(f"about {event.prompt}",))

    async with scenario(tmp_path, LS, says("Done."), hooks=[(UserPromptSubmit, hear)]) as harness:
        types_after_call(harness, "faster", "better")
        await harness.turn("Go.")
        assert heard == ["Go.", "faster", "better"]
        texts = [block["text"] for block in last_content(harness)[1:]]
        marks = [marked(f"about {words}", "UserPromptSubmit") for words in ("faster", "better")]
        assert texts == ["faster", "better", *marks]
        assert harness.state.prompts == [(1, "Go."), (1, "faster"), (1, "better")]


def refuse_bad_words(event: UserPromptSubmit) -> Outcome | None:
    """A hook against a word."""
    return Outcome(decision="deny", reason="mind your words") if "bad" in event.prompt else None


async def test_a_hook_refuses_it(tmp_path: Path) -> None:
    """It is not sent, that is said, and it waits no longer; what else was typed is sent."""
    async with scenario(tmp_path, LS, says("Done."), hooks=[(UserPromptSubmit, refuse_bad_words)]) as harness:
        types_after_call(harness, "bad", "good")
        await harness.turn("Go.")
        assert [block["text"] for block in last_content(harness)[1:]] == ["good"]
        assert "mind your words" in harness.of(Notice)[0].text
        assert harness.state.waiting == {}


async def test_it_starts_the_next_turn(tmp_path: Path) -> None:
    """Behind a reply without calls it is the next turn's prompt, at once, and several are one."""
    async with scenario(tmp_path, says("Done."), says("More.")) as harness:

        def type_two() -> None:
            harness.steer("one thing")
            harness.steer("another")

        harness.once(ReplyReceived, type_two)
        ended = await harness.turn("Go.")
        assert ended.text == "More."
        assert [event.prompt for event in harness.of(TurnStarted)] == ["Go.", "one thing\n\nanother"]
        assert [event.turn for event in harness.of(TurnStarted)] == [1, 2]
        assert harness.state.waiting == {}
        assert last_content(harness)[-1]["text"] == "one thing\n\nanother"


async def test_a_hook_refuses_the_next_turn(tmp_path: Path) -> None:
    """Refused as a prompt it waits no longer either: the turn after has its own words only."""
    async with scenario(
        tmp_path, says("Done."), LS, says("Hello."), hooks=[(UserPromptSubmit, refuse_bad_words)]
    ) as harness:
        harness.once(ReplyReceived, lambda: harness.steer("bad"))
        ended = await harness.turn("Go.")
        assert (ended.reason, ended.problem) == ("blocked", "mind your words")
        assert harness.state.waiting == {}
        assert (await harness.turn("hi")).text == "Hello."
        assert "bad" not in str(harness.server.queries[-1].body["messages"])


async def test_an_interrupt_keeps_it(tmp_path: Path) -> None:
    """What waits when the turn is interrupted comes with the next turn."""
    async with scenario(tmp_path, LS, LS, says("Hello."), says("And that.")) as harness:

        def type_and_stop() -> None:
            harness.steer("do not forget")
            harness.interrupt()

        harness.once(CallFinished, type_and_stop)
        assert (await harness.turn("Go.")).reason == "interrupted"
        assert list(harness.state.waiting.values()) == ["do not forget"]
        assert (await harness.turn("hi")).text == "Hello."
        assert "do not forget" in str(last_content(harness))


async def test_it_survives_a_compaction(tmp_path: Path) -> None:
    """Typed before a summary it is part of the current request; typed during one it follows the next results."""
    compact = says("A long story. " * 300) + calls("compact")
    async with scenario(tmp_path, compact, LS, says("Done."), routes=[SUMMARY]) as harness:
        types_after_call(harness, "before it")
        harness.once(Compacted, lambda: harness.steer("during it"))
        await harness.turn("Go.")
        summarised, last = [request.body["messages"] for request in harness.server.queries[-2:]]
        texts = [block["text"] for block in summarised[0]["content"]]
        assert "The user's current request, word for word:\nGo.\n\nbefore it" in texts
        assert "during it" not in str(summarised)
        assert last[-1]["content"][-1]["text"] == "during it"


async def test_it_survives_a_kill(tmp_path: Path) -> None:
    """In the log the moment it was typed: a resumed session delivers it."""
    async with scenario(tmp_path, says("Done."), says("Then."), says("Hello."), says("And that.")) as harness:
        logs: list[bytes] = []

        def type_and_die() -> None:
            harness.steer("do not forget")
            logs.append(harness.agent.session.log.path.read_bytes())

        harness.once(TurnStarted, type_and_die)
        await harness.turn("Go.")
        harness.breaks.append(len(harness.server.queries))  # what came after the kill never was
        await harness.resume(log=logs[0])
        assert list(harness.state.waiting.values()) == ["do not forget"]
        assert (await harness.turn("hi")).text == "And that."
        assert last_content(harness)[-1]["text"] == "do not forget"
