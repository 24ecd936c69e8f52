"""Hooks in a real terminal: F58 i, and what the user sees of them."""

import json
from pathlib import Path
from typing import Any

from agent.offline import Script, always, calls, says
from tests.support.hook_scripts import script, settings
from tests.support.screen_agent import READY, agent_on_screen


def hooked(root: Path, hooks: dict[str, Any]) -> None:
    """Give the user these hooks."""
    home = root / "agent-home"
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.json").write_text(json.dumps({"hooks": hooks}))


def is_there(pid_file: Path) -> bool:
    """True while the process whose id stands in ``pid_file`` runs."""
    return Path(f"/proc/{pid_file.read_text().strip()}").exists()


def test_f58_i_interrupted_in_a_hook(tmp_path: Path) -> None:
    """Ctrl-C ends the hook and the turn; the next words are answered, and so they are after a resume."""
    pid = tmp_path / "pid"
    hooked(tmp_path, settings("PreToolUse", script(tmp_path, f"echo $$ > {pid}; trap '' TERM; sleep 61")))
    turns = Script(calls("bash", command="ls"), always(says("Hello back.")))
    with agent_on_screen(tmp_path, script=turns) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until(lambda: pid.exists() and pid.read_text().strip())
        on.terminal.send("\x03")
        on.terminal.until("interrupted")
        assert not is_there(pid)
        on.prompt("hi")
        on.terminal.until("Hello back.")
        assert on.server.refusals == []
        assert [record["content"] for record in on.records() if record["type"] == "result"] == [
            "Not run: the user interrupted before this call started."
        ]


def test_what_the_user_sees(tmp_path: Path) -> None:
    """A hook's message and its fault are lines above the input, control characters as text; a refusal is on the card."""
    message = json.dumps({"systemMessage": "\x1b[2Jlook \x07out"})
    fails = script(tmp_path, "echo broken >&2; exit 1", name="fails")
    refuses = script(tmp_path, "echo 'not on a Friday' >&2; exit 2", name="refuses")
    (tmp_path / "said").write_text(message)
    hooked(tmp_path, settings("PreToolUse", f"cat {tmp_path}/said", fails, refuses))
    with agent_on_screen(tmp_path, script=Script(calls("bash", command="ls"), says("So be it."))) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("So be it.")
        shown = " ".join(on.terminal.history.split())
        assert r"look \x07out" in shown
        assert "failed on PreToolUse: exit code 1: broken" in shown
        assert "not on a Friday" in shown
        assert b"\x1b[2Jlook" not in on.terminal.raw


def test_hooks_of_a_start_that_hang(tmp_path: Path) -> None:
    """The prompt is there at once, says what it waits for, keeps what is typed, and Esc ends the hooks."""
    pid = tmp_path / "pid"
    hooked(tmp_path, settings("SessionStart", script(tmp_path, f"echo $$ > {pid}; exec sleep 61")))
    with agent_on_screen(tmp_path, script=Script(always(says("Hello back.")))) as on:
        on.terminal.until("running hooks of SessionStart")
        on.terminal.send("hi\r")
        on.terminal.until("queued 1: hi")
        on.terminal.send("\x1b")
        on.terminal.until("the hooks of SessionStart were stopped")
        assert not is_there(pid)
        on.terminal.until("> hi")
        on.terminal.send("\r")
        on.terminal.until("Hello back.")


def test_a_hook_at_work_is_told_of(tmp_path: Path) -> None:
    """While a hook of a call takes its time, a line says so."""
    hooked(tmp_path, settings("PreToolUse", "sleep 3"))
    with agent_on_screen(tmp_path, script=Script(calls("bash", command="touch x"), says("So be it."))) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("running hooks of PreToolUse")
        on.terminal.until("bash wants to run")
        assert "running hooks" not in on.terminal.text
