"""The list of sessions on a real screen: a thousand of them, a search, a preview, deleting, `-r` without an id."""

import os
from pathlib import Path

import pytest

from agent.session.records import encode
from agent.session.register import FILE, Register
from tests.agent.sessions.logs import head, replied, said, text
from tests.support.command import Command
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

MANY = 1_000
NAMES = "abcdefghij"
HINT = "type to search"


def make_sessions(folder: Path, number: int) -> list[str]:
    """Lay down sessions of two turns, the first of them the newest; return their ids."""
    transcripts = folder / ".transcripts"
    transcripts.mkdir(parents=True)
    made = [f"20260101-000000-{at:06x}" for at in range(number)]
    for at, session in enumerate(made):
        records = [head(session, mode="ask", window=200_000)]
        for turn in (1, 2):
            words = f"prompt {NAMES[at % 10]}{at} of turn {turn}"
            records.append(said(2 * turn, words, turn=turn, parent=records[-1]["id"]))
            reply = text(f"the answer to {at}")
            records.append(replied(2 * turn + 1, reply, turn=turn, parent=records[-1]["id"]))
        log = transcripts / f"{session}.jsonl"
        log.write_bytes(b"".join(map(encode, records)))
        os.utime(log, (1_700_000_000 - at,) * 2)
    return made


def start(folder: Path, number: int) -> list[str]:
    """Make a project with sessions of the user's own, before the agent is started in it."""
    command = Command(root=folder)
    made = make_sessions(command.project, number)
    command.home.mkdir(parents=True, exist_ok=True)
    register = Register(path=command.home / FILE)
    for session in {*made[:2], made[-1]}:  # the others are only looked at
        register.add(command.project / ".transcripts" / f"{session}.jsonl")
    return made


def end(on: OnScreen) -> None:
    """Leave; the terminal is as it was."""
    on.terminal.send("\x04")
    assert on.terminal.ended() == 0
    assert "Traceback" not in on.terminal.history
    assert on.terminal.is_restored()


def test_a_thousand_sessions(tmp_path: Path) -> None:
    """The list is there, keys move in it, words find one of all; Enter opens it; the draft is still in the input."""
    start(tmp_path, MANY)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        on.prompt("/resume")
        on.terminal.until(lambda: HINT in on.terminal.text and "▸ " in on.terminal.text)
        on.terminal.until(
            lambda: f"· {MANY:,}  " in on.terminal.text or f"· {MANY + 1:,}  " in on.terminal.text
        )
        on.terminal.send("\x1b[B")
        on.terminal.until("▸ " + next(line for line in on.terminal.lines if "prompt b1 of" in line)[2:60])
        on.terminal.until("the answer to 1")
        on.terminal.send("j999 PROMPT")
        on.terminal.until(lambda: "▸ " in on.terminal.text and "· 1 of 1,0" in on.terminal.text)
        on.terminal.until("  > prompt j999 of turn 2")
        on.terminal.until("  the answer to 999")
        assert "search: j999 PROMPT" in on.terminal.text
        assert READY in on.terminal.lines[-1]
        on.terminal.rest(0.5)  # sooner after the list has come, no key is taken for a choice
        on.terminal.send("\r")
        on.terminal.until(f"now in session 20260101-000000-{MANY - 1:06x}")
        assert "search: " not in on.terminal.text
        end(on)


@pytest.mark.parametrize(("columns", "rows"), [(40, 24), (40, 6), (80, 10), (200, 50)])
def test_a_list_at_any_size(tmp_path: Path, columns: int, rows: int) -> None:
    """The selected line, the search and the bar are there; after Esc none of it is; a resize leaves one of each."""
    start(tmp_path, 30)
    with agent_on_screen(tmp_path, columns=columns, rows=rows) as on:
        on.terminal.until("/200k")
        on.prompt("/resume")
        on.terminal.until(lambda: "▸ " in on.terminal.text and "search:" in on.terminal.text)
        on.terminal.send("b1 of")
        on.terminal.until(
            lambda: [line for line in on.terminal.lines if line.startswith("▸ ") and "b1 of" in line]
        )
        assert "/200k" in on.terminal.lines[-1]
        on.terminal.resize(columns + 3, rows + 2)
        on.terminal.rest(0.5)
        on.terminal.until(lambda: on.terminal.text.count("▸ ") == 1 and "/200k" in on.terminal.lines[-1])
        on.terminal.send("\x1b")
        on.terminal.until(lambda: on.terminal.lines[-2:-1] == [">"])
        assert "▸ " not in on.terminal.text
        end(on)


def test_deleting_from_the_list(tmp_path: Path) -> None:
    """Ctrl-D asks, `y` deletes, a line above tells so for good; the open session stays."""
    first, second = start(tmp_path, 2)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        on.prompt("hello there")
        on.terminal.until("You said hello.")
        on.prompt("/resume")
        on.terminal.until("(this one) hello there")
        on.terminal.send("\x1b[A\x04")
        on.terminal.until("◐ stays: it is the session that is open here")
        on.terminal.send("\x1b[B\x04")
        on.terminal.answer("[y] delete for good", "y")
        on.terminal.until(f"deleted session {first}: prompt a0 of turn 1")
        on.terminal.send("\x04")
        on.terminal.until("[y] delete for good")
        on.terminal.send("\x1b")
        on.terminal.until(lambda: "[y]" not in on.terminal.text and HINT in on.terminal.text)
        on.terminal.send("\x1b")
        on.terminal.until(lambda: HINT not in on.terminal.text)
        logs = {path.stem for path in (on.command.project / ".transcripts").glob("*.jsonl")}
        assert second in logs
        assert first not in logs
        end(on)


def test_resume_without_an_id(tmp_path: Path) -> None:
    """`agent -r` shows the list first; the prompt of the command line goes to the session that is chosen."""
    sessions = start(tmp_path, 3)
    with agent_on_screen(tmp_path, "-r", "--", "hello there") as on:
        on.terminal.until(lambda: "▸ " in on.terminal.text and "b1 of turn 2" not in on.terminal.text)
        on.terminal.send("\x1b[B")
        on.terminal.until("  > prompt b1 of turn 2")
        on.terminal.rest(0.5)
        on.terminal.send("\r")
        on.terminal.until("You said hello.")
        assert f"resumed {sessions[1]} · 2 turns" in on.terminal.history
        on.terminal.until(READY)
        end(on)


@pytest.mark.parametrize("key", ["\x1b", "\x03"])
def test_resume_without_an_id_that_is_left(tmp_path: Path, key: str) -> None:
    """Nothing is opened; the program ends, the terminal is as it was."""
    sessions = start(tmp_path, 3)
    with agent_on_screen(tmp_path, "-r") as on:
        on.terminal.until("▸ ")
        on.terminal.send(key)
        assert on.terminal.ended() == 0
        assert on.terminal.is_restored()
        assert {path.stem for path in (on.command.project / ".transcripts").glob("*.jsonl")} == set(sessions)


def test_resume_without_an_id_or_a_session(tmp_path: Path) -> None:
    """One line says that there is none."""
    with agent_on_screen(tmp_path, "-r") as on:
        assert on.terminal.ended() == 2
        assert "-r needs the id of a session; the newest here: none" in on.terminal.history


def test_the_draft_stays(tmp_path: Path) -> None:
    """What is typed while /resume waits is neither searched nor lost; Enter does not choose before a pause."""
    start(tmp_path, 3)
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        on.prompt("stream it")
        on.terminal.until("◐ answering")
        on.prompt("/resume")
        on.terminal.until("queued 1: /resume")
        while HINT not in on.terminal.text:
            on.terminal.send("x")
            on.terminal.rest(0.1)
            if "queued" not in on.terminal.text:
                break
        on.terminal.until(HINT)
        on.terminal.send("\r")
        on.terminal.rest(0.1)
        assert HINT in on.terminal.text
        on.terminal.send("\x1b")
        on.terminal.until("> xxx")
        assert HINT not in on.terminal.text
        on.terminal.send("\x15")
        on.terminal.until(lambda: "> x" not in on.terminal.text)
        end(on)
