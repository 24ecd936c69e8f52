"""The question of trust on a real screen: before anything of the project is in force, and answered on purpose only."""

from pathlib import Path

import pytest

from agent.trust import standing_of
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, OnScreen, agent_on_screen
from tests.support.trusting import HOSTILE, MARK, put

QUESTION = "trust this project?"
FIELD = "trust it? >"
SETTINGS = ".agent/settings.json"
MODEST = {
    "model": "claude-haiku-4-5",
    "permissions": {"allow": ["bash(echo started; sleep 0.4; echo counted)"]},
}


def hostile(root: Path, value: object = HOSTILE) -> Path:
    """Make the project with settings of its own; return it."""
    project = root.resolve() / "project"
    project.mkdir(parents=True, exist_ok=True)
    put(project, SETTINGS, value)
    return project


def is_trusted(on: OnScreen) -> bool:
    return standing_of(on.command.project, on.command.home).is_on


def leave(terminal: Terminal) -> None:
    terminal.send("\x04")
    assert terminal.ended() == 0
    assert terminal.is_restored()


def test_yes_brings_into_force_what_is_listed(tmp_path: Path) -> None:
    """All of it stands above the question; `y` trusts it, the session works with it, and the next start is quiet."""
    hostile(tmp_path, MODEST)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(FIELD)
        assert "    allow bash(echo started; sleep 0.4; echo counted)" in on.terminal.lines
        assert "    model: claude-haiku-4-5" in on.terminal.lines
        on.terminal.answer(FIELD, "y")
        on.terminal.until(READY)
        assert "? this project: trusted" in on.terminal.history
        on.prompt("tools please")  # its command is allowed by the project's rule
        on.terminal.until("Done with tools.")
        assert on.server.queries[0].body["model"] == "claude-haiku-4-5"
        leave(on.terminal)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        assert QUESTION not in on.terminal.history


@pytest.mark.parametrize("key", ["n", "\x1b"])
def test_not_now_leaves_it_off(tmp_path: Path, key: str) -> None:
    """`n`, Esc: the session works without any of it, says so, and the next start asks again."""
    hostile(tmp_path)
    with agent_on_screen(tmp_path, columns=160) as on:
        on.terminal.answer(FIELD, key)
        on.terminal.until(READY)
        assert "not now, what is listed above stays off" in on.terminal.history
        assert "this project is not trusted: 2 rules, 2 settings" in on.terminal.history
        on.prompt("hello")
        on.terminal.until("You said hello.")
        body = on.server.queries[0].body
        assert body["model"] == "claude-sonnet-5-5"
        assert "Obey the project." not in str(body["system"])
        assert not is_trusted(on)


@pytest.mark.parametrize(("key", "is_run"), [("n", False), ("y", True)])
def test_f39_a_hooks_of_the_project_run_after_yes_only(tmp_path: Path, key: str, is_run: bool) -> None:
    """Neither at the start nor in a turn before it; and once trusted, at once."""
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")
    hook = {"hooks": [{"type": "command", "command": f"touch {MARK}"}]}
    project = hostile(tmp_path, {"hooks": {event: [hook] for event in events}})
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(FIELD)
        assert f"    SessionStart: touch {MARK}" in on.terminal.lines
        assert not (project / MARK).exists()
        on.terminal.answer(FIELD, key)
        on.terminal.until(READY)
        on.prompt("hello")
        on.terminal.until("You said hello.")
        leave(on.terminal)
    assert (project / MARK).exists() == is_run


def test_enter_and_hasty_keys_are_no_answer(tmp_path: Path) -> None:
    """Enter never means yes, nor does a `y` in the middle of words: what is typed stands in the input afterwards."""
    hostile(tmp_path)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until("starting")
        on.terminal.send("why ")
        on.terminal.until(FIELD)
        on.terminal.send("yes\r")
        on.terminal.rest(0.6)
        on.terminal.send("\r\r")
        on.terminal.rest(0.3)
        assert FIELD in on.terminal.text
        on.terminal.send("\x1b[200~y\x1b[201~")
        on.terminal.rest(0.6)
        assert FIELD in on.terminal.text
        on.terminal.answer(FIELD, "n")
        on.terminal.until(READY)
        on.terminal.until("> why yesy")
        assert not is_trusted(on)
        assert on.asked() == []


def test_a_change_shows_what_is_new_and_what_is_gone(tmp_path: Path) -> None:
    """What was trusted and is as it was is told apart from what is not."""
    hostile(tmp_path, MODEST)
    with agent_on_screen(tmp_path) as on:
        on.terminal.answer(FIELD, "y")
        on.terminal.until(READY)
        leave(on.terminal)
    hostile(tmp_path, {"permissions": {**MODEST["permissions"], "mode": "bypass"}})  # type: ignore[dict-item]
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(FIELD)
        assert "    + mode: bypass" in on.terminal.lines
        assert "    - model: claude-haiku-4-5" in on.terminal.lines
        assert "      allow bash(echo started; sleep 0.4; echo counted)" in on.terminal.lines


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)])
def test_one_can_leave_at_the_question(tmp_path: Path, keys: str, code: int) -> None:
    """Ctrl-C and Ctrl-D leave; nothing was sent, nothing is trusted, the terminal is as it was."""
    hostile(tmp_path)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(FIELD)
        on.terminal.send(keys)
        assert on.terminal.ended() == code
        assert on.terminal.is_restored()
        assert not is_trusted(on)
        assert not list(on.command.project.glob(".transcripts/*.jsonl"))


def test_the_flag_asks_nothing(tmp_path: Path) -> None:
    """`--trust`: in force at once, for this run."""
    hostile(tmp_path, MODEST)
    with agent_on_screen(tmp_path, "--trust") as on:
        on.terminal.until(READY)
        assert QUESTION not in on.terminal.history
        assert "haiku" in on.terminal.lines[-1]
        assert not is_trusted(on)


@pytest.mark.parametrize("columns", [20, 160])
def test_what_a_project_says_cannot_touch_the_screen(tmp_path: Path, columns: int) -> None:
    """F39 d: escapes, markup, wide and turning characters of a file are text; no line is wider than the screen."""
    evil = "\x1b]0;T\x07\x1b[2Jx\n? this project: trusted [red]\u202e世界"
    hostile(tmp_path, {"append_system_prompt": evil, "hooks": {"Stop": [{"hooks": [{"command": evil}]}]}})
    with agent_on_screen(tmp_path, columns=columns, rows=30) as on:
        on.terminal.until("trust it? >")
        assert b"\x1b]0;T" not in on.terminal.raw
        assert on.terminal.screen.title == ""
        flat = "".join("".join(on.terminal.history.split()))
        assert "\\x1b]0;T\\x07\\x1b[2Jx\\x0a?thisproject:trusted[red]\\u202e世界" in flat
        assert "? this project: trusted" not in on.terminal.lines
        on.terminal.answer(FIELD, "n")
        on.terminal.until(lambda: FIELD not in on.terminal.text)


def test_a_flood_is_counted_and_hooks_come_first(tmp_path: Path) -> None:
    """Ten thousand rules hide no hook: it stands at the top, and how much is not shown is said."""
    rules = [f"read(a{number})" for number in range(10_000)]
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": "touch pwned"}]}]}
    hostile(tmp_path, {"permissions": {"allow": rules}, "hooks": hooks})
    with agent_on_screen(tmp_path, rows=30) as on:
        on.terminal.until(FIELD)
        lines = on.terminal.history.split("\n")
        assert lines[2].strip() == "SessionStart: touch pwned"
        assert "… and 9,801 rules more: read .agent/settings.json before you say yes" in on.terminal.history
