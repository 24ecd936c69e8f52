"""F46: halves of surrogate pairs, however they come, never end a session."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.offline import Reply, calls, raw_call, says, thinks
from tests.support.agent import Harness, scenario


def is_clean(value: Any) -> bool:
    """No lone surrogate in any text of a JSON value."""
    return not any("\ud800" <= char <= "\udfff" for char in json.dumps(value, ensure_ascii=False))


async def two_more(harness: Harness) -> None:
    """Two turns, one after resume; all requests are clean and the log is UTF-8."""
    assert (await harness.turn("hi")).text == "Hello."
    await harness.resume()
    assert (await harness.turn("hi")).text == "Hello again."
    assert all(is_clean(request.body) for request in harness.server.queries)
    harness.agent.session.log.path.read_text("utf-8")


TWO = (says("Hello."), says("Hello again."))


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(calls("bash", command="printf '\\355\\240\\275'"), id="a"),
        pytest.param(raw_call("write", '{"file_path":"a.txt","content":"\\ud83d"}'), id="b-write"),
        pytest.param(raw_call("bash", '{"command":"echo \\ud83d"}'), id="b-bash"),
        pytest.param(raw_call("bash", '{"command":"\\ud83d",,}'), id="b-malformed"),
        pytest.param(raw_call("\ud83dbash", '{"command":"ls"}'), id="b-name"),
        pytest.param(says("half \ud83d") + calls("bash", command="true"), id="text"),
        pytest.param(calls("glob", pattern="*"), id="e-glob"),
        pytest.param(calls("bash", command="ls; cat caf*"), id="e-bash"),
    ],
)
async def test_f46_a_b_e_results_and_replies(tmp_path: Path, reply: Reply) -> None:
    """In a command's output, a call's arguments, the model's text, a file's name."""
    async with scenario(tmp_path, reply, says("Done."), *TWO) as harness:
        Path(os.fsdecode(bytes(harness.project) + b"/caf\xe9.txt")).write_bytes(b"caf\xe9\n")
        assert (await harness.turn("Go.")).text == "Done."
        await two_more(harness)


async def test_f46_c_the_prompt(tmp_path: Path) -> None:
    """In what the user said, and in what was typed meanwhile."""
    async with scenario(tmp_path, calls("bash", command="true"), says("Done."), *TWO) as harness:
        harness.once(lambda event: "CallFinished" in repr(event), lambda: harness.steer("more \udce9"))
        assert (await harness.turn("caf\udce9 hello")).text == "Done."
        await two_more(harness)


async def test_f46_d_an_old_log(tmp_path: Path) -> None:
    """A log that holds a half in a text works again."""
    async with scenario(tmp_path, says("Done."), *TWO, may_move=True) as harness:
        await harness.turn("A word.")
        log = harness.agent.session.log.path.read_bytes()
        await harness.resume(log=log.replace(b"A word.", b"A \\ud83d word."))
        await two_more(harness)


async def test_a_half_in_the_thinking(tmp_path: Path) -> None:
    """Thinking that cannot be sent as it came is left out."""
    async with scenario(tmp_path, thinks("half \ud83d") + says("Done."), *TWO) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        await two_more(harness)


async def test_f46_f_the_folder(tmp_path: Path) -> None:
    """In the name of the project and of an instruction file's folder."""
    folder = Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9"))
    async with scenario(
        folder, calls("bash", command="pwd"), says("Done."), *TWO, files={"AGENTS.md": b"caf\xe9\n"}
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        (harness.project / "AGENTS.md").write_bytes(b"other \xed\xa0\xbd\n")
        await two_more(harness)


async def test_f46_g_an_emoji_in_two_deltas(tmp_path: Path) -> None:
    """Joined, not replaced: in text, thinking and arguments."""
    reply = (
        thinks("ab 😀")
        + says("abc 😀 d")
        + raw_call("write", json.dumps({"file_path": "a.txt", "content": "😀"}, ensure_ascii=False))
        + raw_call("write", json.dumps({"file_path": "b.txt", "content": "😀"}))
    )
    async with scenario(
        tmp_path, reply.having(split_surrogates=True, chunk_chars=1), says("Done."), *TWO
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.read("a.txt") == harness.read("b.txt") == "😀"
        assert "abc 😀 d" in str(harness.server.queries[-1].body)
        assert "�" not in str(harness.server.queries[-1].body)
        await two_more(harness)
