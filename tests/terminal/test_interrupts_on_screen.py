"""F58 and F02 in a terminal: Ctrl-C at every moment, and keys that are not a command's."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from agent.offline import Reply, Request, Script, always, calls, says
from tests.support.screen_agent import PARAGRAPH, READY, OnScreen, agent_on_screen, last_text

WAIT = "sleep 61"
SWALLOWED_S = 1.1
"""Interrupts within a second of one another are one."""


def reply(request: Request) -> Reply:
    """Do what the newest prompt asks for; `hi` is always answered."""
    if any("You are a subagent" in text for text in (request.system_text, request.first_text)):
        return calls("bash", command=WAIT)
    return MOMENTS.get(last_text(request.body), lambda: says("Hello back."))()


MOMENTS: dict[str, Callable[[], Reply]] = {
    "call": lambda: calls("bash", command=f"echo begun; {WAIT}"),
    "second": lambda: (
        calls("bash", command="echo first")
        + calls("bash", command=f"echo second; {WAIT}")
        + calls("bash", command="echo third")
    ),
    "text": lambda: says(PARAGRAPH * 50, pace_s=0.03, chunk_chars=10),
    "arguments": lambda: replace(
        calls("write", file_path="a.txt", content="x" * 4000), pace_s=0.03, chunk_chars=10
    ),
    "silence": lambda: says("too late", delay_s=30),
    "question": lambda: calls("write", file_path=".git/hooks/new", content="x"),
    "subagent": lambda: calls("task", description="look around", prompt="You are a subagent: wait"),
}
SIGNS = {
    "call": "· begun",
    "second": "bash  echo second",
    "text": "◐ answering",
    "arguments": "◐ writing a call of write",
    "silence": "◐ waiting for the model",
    "question": "write wants to run",
    "subagent": f"bash: {WAIT}",
}
"""What stands on the screen at that moment."""


def interrupted(on: OnScreen, moment: str, keys: str = "\x03") -> None:
    """Press Ctrl-C at a moment; the prompt is back long before what ran would have ended, and takes the next words."""
    on.prompt(moment)
    on.terminal.until(SIGNS[moment])
    seen = on.terminal.history.count("\ninterrupted")
    began = time.monotonic()
    for key in keys:
        on.terminal.send(key)
        on.terminal.rest(0.1)
    on.terminal.until(lambda: on.terminal.history.count("\ninterrupted") > seen)
    hellos = on.terminal.history.count("Hello back.")
    on.prompt("hi")
    on.terminal.until(lambda: on.terminal.history.count("Hello back.") > hellos)
    on.terminal.until(lambda: "◐" not in on.terminal.text)
    on.terminal.rest(max(0.0, SWALLOWED_S - (time.monotonic() - began)))


def test_f58_at_every_moment(tmp_path: Path) -> None:
    """a to h: no request is refused afterwards, `hi` arrives once each time, no command is left, also on resume."""
    with agent_on_screen(
        tmp_path, "--permission-mode", "bypass", script=Script(always(reply)), rows=50
    ) as on:
        on.terminal.until(READY)
        for moment in MOMENTS:
            interrupted(on, moment)
        interrupted(on, "call", keys="\x03\x03")
        assert on.asked().count("hi") == len(MOMENTS) + 1
        results = [
            block["content"] for record in on.records() for block in [record] if record["type"] == "result"
        ]
        assert "first\n" in "".join(str(result) for result in results)
        assert any("Not run" in str(result) for result in results)
        assert not (on.command.project / "a.txt").exists()
        assert not (on.command.project / ".git/hooks/new").exists()
        assert not running(WAIT, on.command.project)
        on.prompt("/quit")
        assert on.terminal.ended() == 0
        assert on.server.refusals == []
    with agent_on_screen(tmp_path, "-c", script=Script(always(reply))) as on:
        on.terminal.until("resumed")
        on.prompt("hi")
        on.terminal.until("Hello back.")
        assert on.server.refusals == []


def running(command: str, project: Path) -> list[str]:
    """Return the processes that run ``command`` in ``project``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            place = (process / "cwd").readlink()
        except OSError:
            continue
        if command in arguments and place == project:
            found.append(arguments)
    return found


ASKING = (
    "sleep 0.6; cat",
    'read x; echo "got:$x"',
    "git -c user.name=a -c user.email=a@b -c core.editor='sh -c \"read x; exit 1\"' commit --allow-empty",
    "python3 -c 'input(\"Name? \")'",
)


def ask_for_input(request: Request) -> Reply:
    """Call all commands that want input, one of them in the background too."""
    if request.results:
        return says("They got nothing.")
    background = calls("bash", command="cat", run_in_background=True)
    first, *others = [calls("bash", command=command) for command in ASKING]
    return sum(others, first) + background


def test_f02_keys_typed_during_a_call_land_in_the_prompt(tmp_path: Path) -> None:
    """a to e: commands that ask for input find its end at once; `hello` is the user's own next prompt."""
    script = Script(always(ask_for_input))
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", script=script) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("◐ bash")
        on.terminal.send("hello")
        on.terminal.until("They got nothing.")
        on.terminal.until("> hello")
        results = [str(record["content"]) for record in on.records() if record["type"] == "result"]
        assert "got:\n" in results[1]
        assert "Name?" in results[3]
        assert "EOFError" in results[3]
        assert not any("hello" in result for result in results)
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
