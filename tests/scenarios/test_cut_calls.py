"""F57: calls that are cut off, malformed, unknown or mistyped: never run, always answered, never for ever."""

from pathlib import Path
from typing import Any

import pytest

from agent.offline import Reply, always, calls, error, hangs_up, raw_call, says
from tests.support.agent import Harness, scenario
from tests.support.invariants import main_requests

HALF = '{"file_path":"a.txt","content":"half'
NO_CONTENT = '{"file_path":"a.txt"'
WHOLE = '{"file_path":"a.txt","content":"whole"}'


def cut(arguments: str) -> Reply:
    """A write call that ends at the output limit."""
    return (says("I write.") + raw_call("write", arguments)).having(stop_reason="max_tokens")


def last_text(harness: Harness) -> str:
    """All that the model was told last."""
    return str(main_requests(harness.server.queries)[-1].body["messages"][-1]["content"])


@pytest.mark.parametrize("arguments", [HALF, NO_CONTENT, ""], ids=["a", "b", "bare"])
async def test_f57_a_b_cut_at_the_limit(tmp_path: Path, arguments: str) -> None:
    """The call is left out, the text stays, the model is told to send less, with its limit raised."""
    async with scenario(tmp_path, cut(arguments), says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).reason == "done"
        assert not (harness.project / "a.txt").exists()
        assert "cut at the output limit and was not run" in last_text(harness)
        limits = [request.body["max_tokens"] for request in harness.server.queries]
        assert limits == [32_000, 128_000]
        assert (await harness.turn("hi")).text == "Hello."
        assert "I write." in str(harness.server.queries[-1].body["messages"])


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("after_chars", [0, 30])
async def test_f57_c_a_closed_connection(tmp_path: Path, after_chars: int, clean: bool) -> None:
    """A reply without an end is fetched again; the half call of the first is not run."""
    broken = raw_call("write", HALF + " of it").cut_after(after_chars, clean=clean)
    async with scenario(tmp_path, broken, says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert not (harness.project / "a.txt").exists()
        assert len(harness.server.queries) == 2
        assert (await harness.turn("hi")).text == "Hello."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param('{"file_path":"a.txt",,}', "no JSON object", id="d"),
        pytest.param('{"file_path":"a.txt","content":"half', "no JSON object", id="d-cut"),
        pytest.param("[]", "no JSON object", id="e-list"),
        pytest.param('"x"', "no JSON object", id="e-text"),
        pytest.param("null", "no JSON object", id="e-null"),
        pytest.param("", "file_path", id="e-empty"),
        pytest.param('{"file_path":"a.txt","content":"x","mode":"w"}', "mode", id="g-extra"),
        pytest.param('{"file_path":"a.txt","content":5}', "content", id="g-number"),
        pytest.param('{"file_path":null,"content":"x"}', "file_path", id="g-null"),
    ],
)
async def test_f57_d_e_g_arguments_that_are_none(tmp_path: Path, arguments: str, told: str) -> None:
    """The model gets an error that names what is wrong; nothing is written."""
    reply = raw_call("write", arguments).having(stop_reason="tool_use")
    async with scenario(tmp_path, reply, says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        [result] = harness.log_records("result")
        assert result["is_error"]
        assert told in result["content"]
        assert not (harness.project / "a.txt").exists()
        assert (await harness.turn("hi")).text == "Hello."


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        pytest.param(calls("wrtie", file_path="a.txt", content="x"), "Did you mean `write`?", id="f"),
        pytest.param(calls("bash", command="touch a.txt", timeout="abc"), "timeout", id="g-timeout"),
        pytest.param(calls("", file_path="a.txt"), "no tool", id="f-nameless"),
        pytest.param(calls("wr ite/../x", file_path="a.txt"), "no tool", id="f-illegal"),
    ],
)
async def test_f57_f_g_unknown_tools_and_wrong_types(tmp_path: Path, reply: Reply, told: str) -> None:
    """The error says which tool was meant, or which field is wrong."""
    async with scenario(tmp_path, reply, says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        [result] = harness.log_records("result")
        assert result["is_error"]
        assert told in result["content"]
        assert not (harness.project / "a.txt").exists()
        assert (await harness.turn("hi")).text == "Hello."


async def test_f57_h_the_second_of_two(tmp_path: Path) -> None:
    """The whole call is run once, the cut one is left out and said; the next reply may send it again."""
    two = calls("bash", command="echo once >> log.txt") + raw_call("write", HALF)
    async with scenario(
        tmp_path, two.having(stop_reason="max_tokens"), raw_call("write", WHOLE), says("Done.")
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.read("log.txt") == "once\n"
        assert harness.read("a.txt") == "whole"
        assert "Your call of `write` was cut" in str(
            harness.server.queries[1].body["messages"][-1]["content"]
        )


async def test_f57_i_a_cut_command(tmp_path: Path) -> None:
    """`rm -rf build/tmp` cut behind `build` removes nothing."""
    reply = raw_call("bash", '{"command":"rm -rf build').having(stop_reason="max_tokens")
    async with scenario(tmp_path, reply, says("Done."), files={"build/x.txt": "x"}) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.read("build/x.txt") == "x"


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        pytest.param(cut(HALF), "cut at the output limit 4 times", id="cut"),
        pytest.param(raw_call("write", HALF), "called `write` 4 times", id="malformed"),
        pytest.param(calls("wrtie"), "called `wrtie` 4 times", id="unknown"),
        pytest.param(calls("write", file_path="a.txt"), "called `write` 4 times", id="mistyped"),
    ],
)
async def test_f57_the_same_again_and_again(tmp_path: Path, reply: Reply, problem: str) -> None:
    """What comes out the same each time ends the turn with a message after three repeats; the session lives."""
    async with scenario(tmp_path, reply, reply, reply, reply, says("Hello.")) as harness:
        ended = await harness.turn("Go.")
        assert ended.reason == "error"
        assert problem in ended.problem
        assert len(harness.server.queries) == 4
        assert not (harness.project / "a.txt").exists()
        assert (await harness.turn("hi")).text == "Hello."


async def test_repeats_that_run_do_not_count(tmp_path: Path) -> None:
    """Asking again whether something is done is no fault: only calls that cannot be run are counted."""
    again = calls("bash", command="false")
    async with scenario(tmp_path, *[again] * 6, says("Done.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."


async def test_a_connection_that_is_always_lost(tmp_path: Path) -> None:
    """The tries are bounded and the session lives."""
    faults: list[Any] = [raw_call("write", HALF).cut_after(10), hangs_up(), error(500)]
    async with scenario(tmp_path, *faults, says("Hello."), patience={"max_tries": 3}) as harness:
        assert (await harness.turn("Go.")).reason == "error"
        assert len(harness.server.queries) == 3
        assert (await harness.turn("hi")).text == "Hello."


async def test_ids_that_repeat(tmp_path: Path) -> None:
    """Servers that give `call_0` each time, or none, or an illegal one: each call gets an id of its own."""
    same = calls("bash", "call_0", command="true") + calls("bash", "call_0", command="true")
    odd = calls("bash", "", command="true") + calls("bash", "a/b c", command="true")
    async with scenario(tmp_path, same, odd, same, always(says("Done."))) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        ids = [record["call"] for record in harness.log_records("call")]
        assert len(set(ids)) == len(ids) == 6
        assert ids[0] == "call_0"
