"""What a screen that is too small, a folder full of rubbish and a project that is gone do to the session: nothing."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.screen_agent import READY, OnScreen, agent_on_screen


@pytest.mark.parametrize(("columns", "rows"), [(20, 5), (20, 24), (80, 5), (40, 10)])
def test_a_question_on_a_small_screen(tmp_path: Path, columns: int, rows: int) -> None:
    """Its keys are seen, the diff stands there or above; it is answered, and the bar is still the last row."""
    with agent_on_screen(tmp_path, columns=columns, rows=rows) as on:
        on.terminal.until(lambda: "/200k" in on.terminal.text)
        on.prompt("edit it")
        on.terminal.until("[y]")
        assert "◐ edit wants to run" in on.terminal.text.replace("\n", " ")
        assert "return2" in "".join(on.terminal.history.split())
        assert READY in on.terminal.lines[-1]
        on.terminal.answer("[y]", "y")
        on.terminal.until(lambda: "Done with edit." in on.terminal.history)
        assert READY in on.terminal.lines[-1]
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0
        assert on.terminal.is_restored()


def rubbish(transcripts: Path) -> None:
    """Put beside the sessions what is none."""
    (transcripts / "20260101-000000-aaaaaa.jsonl").mkdir()
    os.mkfifo(transcripts / "20260101-000001-aaaaaa.jsonl")
    (transcripts / "20260101-000002-aaaaaa.jsonl").symlink_to("/nowhere")
    (transcripts / "20260101-000003-aaaaaa.jsonl").write_bytes(os.urandom(3_000))


def test_resume_among_damaged_transcripts(tmp_path: Path) -> None:
    """The list holds what can be gone on with; a session with a lost line is gone on with, and the model takes it."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass") as on:
        on.terminal.until(READY)
        on.prompt("tools please")
        on.terminal.until("Done with tools.")
        damaged = on.records()[0]["session"]
        on.prompt("/clear")
        on.terminal.until("now in session")
        transcripts = on.command.project / ".transcripts"
        rubbish(transcripts)
        log = transcripts / f"{damaged}.jsonl"
        lines = log.read_bytes().splitlines(keepends=True)
        lost = next(at for at, line in enumerate(lines) if b'"type":"result"' in line)
        log.write_bytes(b"".join([*lines[:lost], b'{"v":1,"id"\n', *lines[lost + 1 :]]))
        on.prompt("/resume")
        on.terminal.until("type to search")
        assert "20260101" not in on.terminal.history
        on.terminal.send("\x1b")
        on.terminal.until(lambda: "type to search" not in on.terminal.text)
        on.prompt(f"/resume {damaged[-6:]}")
        on.terminal.until(f"resumed {damaged}")
        on.prompt("hello there")
        on.terminal.until("You said hello.")
        leave(on)


def test_a_session_keeps_its_own_model(tmp_path: Path) -> None:
    """An unknown model is said to be one; a session that is gone back to is not dragged to it, a new one is."""
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        on.prompt("hello there")
        on.terminal.until("You said hello.")
        first = on.records()[0]["session"]
        on.prompt("/clear")
        on.terminal.until("now in session")
        on.prompt("/model nonsense")
        on.terminal.until("nonsense is not known here")
        on.prompt("hi")
        on.terminal.until("the server has no model `nonsense`")
        on.prompt("/clear")
        on.terminal.until(lambda: on.terminal.history.count("now in session") == 2)
        assert on.terminal.lines[-1].startswith("nonsense · ")
        on.prompt(f"/resume {first}")
        on.terminal.until(f"resumed {first}")
        on.terminal.until(lambda: on.terminal.lines[-1].startswith("sonnet-5.5 · "))
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0


def test_the_project_is_removed_under_it(tmp_path: Path) -> None:
    """Commands say that they do not work; the log is written again, and the session goes on to its end."""
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        shutil.rmtree(on.command.project)
        on.prompt("!ls")
        on.terminal.until("it cannot be run")
        on.prompt("/resume")
        on.terminal.until("no other sessions here")
        on.prompt("hello there")
        on.terminal.until("You said hello.")
        on.prompt("/status")
        on.terminal.until("session 2")
        leave(on)


def leave(on: OnScreen) -> None:
    """Quit; the terminal is as it was, and the model refused nothing."""
    on.prompt("/quit")
    assert on.terminal.ended() == 0
    assert "Traceback" not in on.terminal.history
    assert on.terminal.is_restored()
    assert on.server.refusals == []
