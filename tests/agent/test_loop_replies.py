"""Replies that are cut, refused, paused, empty or unheard of: the history stays sendable, the next turn works."""

from pathlib import Path

import pytest

from agent.endings import CUT_CALL, CUT_TEXT, CUT_WINDOW, EMPTY
from agent.offline import Reply, calls, empty, raw_call, refuses, says, thinks
from tests.support.agent import Harness, scenario

HELLO = says("Hello.")
CUT = says("Once upon a").having(stop_reason="max_tokens")


async def lives(harness: Harness) -> None:
    """The next turn works, and so does the one after a resume."""
    assert (await harness.turn("hi")).text == "Hello."


def told(harness: Harness, number: int) -> str:
    """The last text block of a request."""
    return str(harness.server.queries[number].body["messages"][-1]["content"][-1]["text"])


async def test_max_tokens(tmp_path: Path) -> None:
    """The limit is raised once; the text stays, and the model is asked to continue it: the answer is all of it."""
    async with scenario(tmp_path, CUT, says("time."), HELLO) as harness:
        ended = await harness.turn("Tell me.")
        assert (ended.reason, ended.text) == ("done", "Once upon atime.")
        assert [request.body["max_tokens"] for request in harness.server.queries] == [32_000, 128_000]
        assert told(harness, 1) == CUT_TEXT
        assert harness.server.queries[1].body["messages"][-2]["content"][-1]["text"] == "Once upon a"
        await lives(harness)
        assert harness.server.queries[-1].body["max_tokens"] == 32_000, "a new turn begins small"


async def test_max_tokens_again_and_again(tmp_path: Path) -> None:
    """After three continuations the turn ends with a message."""
    async with scenario(tmp_path, CUT, CUT, CUT, CUT, HELLO) as harness:
        ended = await harness.turn("Tell me.")
        assert ended.reason == "error"
        assert "4 times in a row" in ended.problem
        assert ended.text == "Once upon a" * 4
        assert len(harness.server.queries) == 4
        await lives(harness)


async def test_cuts_that_get_somewhere_are_not_counted(tmp_path: Path) -> None:
    """A whole call between two cuts starts the count anew."""
    call = calls("bash", command="true")
    async with scenario(tmp_path, CUT, CUT, CUT, call, CUT, CUT, CUT, says("end."), HELLO) as harness:
        assert (await harness.turn("Tell me.")).text == "Once upon a" * 3 + "end."
        await lives(harness)


async def test_max_tokens_in_the_thinking(tmp_path: Path) -> None:
    """A reply of nothing but thoughts leaves no message; the model is asked to go on."""
    async with scenario(
        tmp_path, thinks("So much to consider").having(stop_reason="max_tokens"), says("Short."), HELLO
    ) as harness:
        assert (await harness.turn("Tell me.")).text == "Short."
        assert [message["role"] for message in harness.server.queries[1].body["messages"]] == ["user"]
        await lives(harness)


async def test_max_tokens_behind_a_whole_call(tmp_path: Path) -> None:
    """The call is run; there is nothing to say about the cut."""
    reply = (says("I look.") + calls("bash", command="echo x >> log")).having(stop_reason="max_tokens")
    async with scenario(tmp_path, reply, says("Done."), HELLO) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.read("log") == "x\n"
        assert harness.server.queries[1].body["messages"][-1]["content"][-1]["type"] == "tool_result"
        await lives(harness)


async def test_window_exceeded(tmp_path: Path) -> None:
    """Said to the model in its own words, bounded like the other cuts."""
    cut = says("Once").having(stop_reason="model_context_window_exceeded")
    call = raw_call("write", '{"file_path": "a').having(stop_reason="model_context_window_exceeded")
    async with scenario(tmp_path, cut, call, says("Done."), HELLO) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert told(harness, 1) == CUT_WINDOW
        assert told(harness, 2) == CUT_CALL.format(names="write")
        await lives(harness)


async def test_pause_turn(tmp_path: Path) -> None:
    """The reply is sent back as it is, and the model goes on."""
    pause = says("Searching.").having(stop_reason="pause_turn")
    async with scenario(tmp_path, pause, pause, says("Found."), HELLO) as harness:
        assert (await harness.turn("Go.")).text == "Found."
        last = harness.server.queries[2].body["messages"][-1]
        assert (last["role"], [block["text"] for block in last["content"]]) == (
            "assistant",
            ["Searching."] * 2,
        )
        await lives(harness)


async def test_pause_turn_for_ever(tmp_path: Path) -> None:
    """Pauses are bounded."""
    pause = says("Searching.").having(stop_reason="pause_turn")
    async with scenario(tmp_path, *[pause] * 11, HELLO) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, len(harness.server.queries)) == ("error", 11)
        await lives(harness)


@pytest.mark.parametrize(
    "reply",
    [
        refuses(category="cyber", explanation="This is about weapons."),
        refuses("I cannot", category="cyber", explanation="This is about weapons."),
        (says("I try.") + calls("bash", command="touch made")).having(
            stop_reason="refusal", stop_details={"category": "cyber", "explanation": "This is about weapons."}
        ),
    ],
)
async def test_refusal(tmp_path: Path, reply: Reply) -> None:
    """Nothing of it stays or is run; the user is told why; the same prompt is not sent again by itself."""
    async with scenario(tmp_path, reply, HELLO) as harness:
        ended = await harness.turn("Go.")
        assert ended.reason == "refused"
        assert "(cyber): This is about weapons." in ended.problem
        assert not (harness.project / "made").exists()
        await lives(harness)
        assert [message["role"] for message in harness.server.queries[-1].body["messages"]] == ["user"]


async def test_refusal_without_details(tmp_path: Path) -> None:
    """Details may be missing."""
    async with scenario(tmp_path, empty(stop_reason="refusal"), HELLO) as harness:
        ended = await harness.turn("Go.")
        assert ended.problem == "the model declined to answer"
        await lives(harness)


@pytest.mark.parametrize(
    "reply", [empty(), says(""), says(" \n\t "), thinks("Only thoughts."), thinks("x") + says("")]
)
async def test_empty_content(tmp_path: Path, reply: Reply) -> None:
    """The model is asked once more; nothing blank is sent back."""
    async with scenario(tmp_path, reply, says("Here."), reply, reply, HELLO) as harness:
        assert (await harness.turn("Go.")).text == "Here."
        assert told(harness, 1) == EMPTY
        ended = await harness.turn("Again.")
        assert ended.reason == "empty"
        assert "answered twice with nothing" in ended.problem
        await lives(harness)


async def test_unknown_stop_reason(tmp_path: Path) -> None:
    """The text stands as the answer, and the reason is said."""
    async with scenario(tmp_path, says("Well.").having(stop_reason="bored"), HELLO) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, ended.text) == ("done", "Well.")
        assert "bored" in ended.problem
        await lives(harness)


@pytest.mark.parametrize("reason", ["end_turn", "stop_sequence", "bored", "pause_turn"])
async def test_calls_decide(tmp_path: Path, reason: str) -> None:
    """A reply with a call goes on whatever its stop reason says."""
    reply = calls("bash", command="touch made").having(stop_reason=reason)
    async with scenario(tmp_path, reply, says("Done."), HELLO) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert (harness.project / "made").exists()
        await lives(harness)


async def test_tool_use_without_a_call(tmp_path: Path) -> None:
    """`tool_use` without a call ends the turn: there is nothing to run."""
    async with scenario(tmp_path, says("Done.").having(stop_reason="tool_use"), HELLO) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, ended.text) == ("done", "Done.")
        await lives(harness)


async def test_every_odd_reply_survives_a_resume(tmp_path: Path) -> None:
    """One session through all of them, left and opened again between the turns."""
    odd = [
        CUT,
        says("time."),
        refuses("No"),
        empty(),
        says("Here."),
        says("Well.").having(stop_reason="bored"),
        raw_call("bash", '{"command": "l').having(stop_reason="max_tokens"),
        says("Then not."),
    ]
    async with scenario(tmp_path, *odd, HELLO) as harness:
        for _ in range(5):
            await harness.turn("Go.")
            await harness.resume()
        await lives(harness)
