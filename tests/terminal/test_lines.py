"""The whole program on a terminal that knows no escapes: TERM=dumb."""

import os
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.offline import Script
from tests.support.pty_screen import WAIT_S
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

KEYS = "the letter and Enter:"
BAR = "sonnet-5.5 · "


@contextmanager
def lines(root: Path, *args: str, script: Script | None = None, term: str = "dumb") -> Generator[OnScreen]:
    """Start it; at the end no byte of an escape was sent, and the terminal is as it was."""
    with agent_on_screen(root, *args, script=script, more={"TERM": term}, columns=200, rows=200) as on:
        yield on
        assert b"\x1b" not in on.terminal.raw
        assert on.terminal.flags == on.terminal.flags_before


def idle(on: OnScreen) -> bool:
    """True when the last line is an empty prompt, the bar above it."""
    return on.terminal.lines[-1:] == [">"] and BAR in on.terminal.lines[-2]


def say(on: OnScreen, *typed: str, wanted: str) -> None:
    """Type lines; wait for what must come and, at its end, for the prompt."""
    on.terminal.send("".join(f"{line}\n" for line in typed))
    on.terminal.until(wanted)
    on.terminal.until(lambda: on.terminal.lines[-1] == ">")


def answer(on: OnScreen, letter: str) -> None:
    """Answer the question that stands, after a look at it."""
    on.terminal.until(lambda: on.terminal.lines[-1].startswith(KEYS))
    on.terminal.rest(0.5)
    on.terminal.send(f"{letter}\n")


def leave(on: OnScreen) -> None:
    """Ctrl-D; the end says what it came to and how to go on."""
    on.terminal.send("\x04")
    assert on.terminal.ended() == 0
    totals, resume = on.terminal.lines[-2:]
    assert "tokens in" in totals
    assert resume.startswith("resume: agent -r ")


def test_a_whole_session(tmp_path: Path) -> None:
    """Calls as lines, a question, the answer as written, the bar after the turn, commands, a list, a shell command."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("tools\n")
        answer(on, "y")
        on.terminal.until(lambda: "Done with tools." in on.terminal.text and idle(on))
        text = on.terminal.text
        for told in (
            "step 1 · read ledger.py · 2 lines",
            "step 1 · bash echo started",
            "I'll look at three things.",
        ):
            assert text.count(told) == 1
        assert text.count("> tools") == 1  # the terminal's own echo
        assert text.count(BAR) == 2
        say(on, "/help", wanted="stop; twice: leave")
        assert "Ctrl-C stop\n" in on.terminal.text
        assert "Esc" not in on.terminal.text
        say(on, "/context", wanted="largest")
        say(on, "!echo $((6 * 7)) | cat", wanted="\n42\n")
        say(on, "/nope", wanted="there is no command or skill /nope")
        say(on, "/resume", wanted="no other sessions here")
        say(on, "/clear", wanted="now in session")
        say(on, "/resume", wanted="/resume N opens one of them")
        say(on, "/resume 2", wanted="resumed ")
        say(on, "/compact", wanted="compacted · summary · ")
        leave(on)


def test_a_diff_and_the_end_of_what_failed_stand_below_their_line(tmp_path: Path) -> None:
    """An edit shows what it changes before and after the answer; a refusal with words reaches the model."""
    with lines(tmp_path, "--allow", "read") as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("edit\n")
        on.terminal.until("2 +     return 2")
        answer(on, "r")
        on.terminal.until("why not?")
        on.terminal.send("use three\n")
        on.terminal.until(lambda: "Done with edit." in on.terminal.text and idle(on))
        results = [
            block for message in on.server.queries[-1].body["messages"] for block in message["content"]
        ]
        assert any("use three" in str(block) for block in results if block["type"] == "tool_result")
        leave(on)


def test_only_a_letter_typed_at_the_question_answers_it(tmp_path: Path) -> None:
    """Another letter asks again; words, and lines pasted in one go, are steering; nothing of it is run."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("sleep\n")
        answer(on, "q")
        on.terminal.until(lambda: on.terminal.text.count("bash wants to run") == 2)
        answer(on, "yes please")
        on.terminal.until("queued: yes please")
        on.terminal.rest(0.5)
        on.terminal.send("y\ny\n")
        on.terminal.until("queued: y y")
        assert not (on.command.project / "mark").exists()
        answer(on, "n")
        on.terminal.until(lambda: "Done with" in on.terminal.text and idle(on))
        assert not (on.command.project / "mark").exists()
        leave(on)


def test_the_line_after_e_runs_in_place_of_the_command(tmp_path: Path) -> None:
    """The command stands above where the new one is typed; an empty line goes back to the question."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("sleep\n")
        answer(on, "e")
        on.terminal.until("now it is:\necho $$ > mark; sleep 61")
        on.terminal.until(lambda: on.terminal.lines[-1] == "edit >")
        on.terminal.send("\n")
        answer(on, "e")
        on.terminal.until(lambda: on.terminal.lines[-1] == "edit >")
        on.terminal.send("echo changed > mark\n")
        on.terminal.until(lambda: "Done with" in on.terminal.text and idle(on))
        assert (on.command.project / "mark").read_text() == "changed\n"
        leave(on)


def test_ctrl_c_interrupts_and_gives_back(tmp_path: Path) -> None:
    """What was typed and not sent is kept: Enter alone sends it; Ctrl-C twice at the prompt leaves with 130."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("forever\n")
        on.terminal.until("A paragraph")
        on.terminal.send("later on\n")
        on.terminal.until("queued: later on")
        on.terminal.send("\x03")
        on.terminal.until("interrupted")
        on.terminal.until("kept for you, Enter alone sends it:\nlater on")
        on.terminal.until(lambda: idle(on))
        on.terminal.rest(1.1)
        say(on, "", wanted="You said later.")
        assert on.asked()[-1] == "later on"
        on.terminal.send("half a li\x03")
        on.terminal.until("Ctrl-C again to leave")
        on.terminal.send("\x03")
        assert on.terminal.ended() == 130
        assert "resume: agent -r " in on.terminal.text


def test_lines_pasted_at_once_are_one_prompt(tmp_path: Path) -> None:
    """However many lines come in one go, one turn gets them all; control characters in them are nothing."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("one\n\ttwo\nthree\n")
        on.terminal.until(lambda: "You said one." in on.terminal.text and idle(on))
        assert on.asked() == ["one\n\ttwo\nthree"]
        leave(on)


def test_a_prompt_on_the_command_line(tmp_path: Path) -> None:
    """It is the first turn, and shown; what follows goes on."""
    with lines(tmp_path, "hello", term="unknown") as on:
        on.terminal.until(lambda: "You said hello." in on.terminal.text and idle(on))
        assert on.terminal.text.count("> hello") == 1
        say(on, "again", wanted="You said again.")
        leave(on)


def test_what_waited_comes_back_after_a_crash(tmp_path: Path) -> None:
    """kill -9 while something is kept: `-c` keeps it for you again."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("forever\n")
        on.terminal.until("A paragraph")
        on.terminal.send("not yet\n")
        on.terminal.until("queued: not yet")
        on.terminal.send("\x03")
        on.terminal.until("kept for you")
        on.terminal.until(lambda: idle(on))
        on.terminal.rest(0.3)
        os.kill(on.terminal.pid, signal.SIGKILL)
        on.terminal.ended()
    with lines(tmp_path, "-c") as on:
        on.terminal.until("kept for you, Enter alone sends it:\nnot yet")
        on.terminal.until(lambda: on.terminal.lines[-1] == ">")
        say(on, "", wanted="You said not.")
        leave(on)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 0)]
)
def test_signals_in_mid_turn(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """SIGTERM and SIGHUP end it with their code, SIGINT the turn alone; the command is gone, the log is whole."""
    with lines(tmp_path, "--permission-mode", "bypass") as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("sleep\n")
        mark = on.command.project / "mark"
        on.terminal.until(lambda: mark.exists() and mark.read_text().endswith("\n"))
        os.kill(on.terminal.pid, number)
        if not code:
            on.terminal.until(lambda: "interrupted" in on.terminal.text and idle(on))
            on.terminal.send("\x04")
        assert on.terminal.ended() == code
        assert not Path(f"/proc/{int(mark.read_text())}").exists()
        assert on.records()[-1]["type"] == "end"


def test_the_window_is_closed_in_mid_turn(tmp_path: Path) -> None:
    """The program goes with its terminal, and with what it had started; the log is whole."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", more={"TERM": "dumb"}) as on:
        on.terminal.until(lambda: idle(on))
        on.terminal.send("sleep\n")
        mark = on.command.project / "mark"
        on.terminal.until(lambda: mark.exists() and mark.read_text().endswith("\n"))
        program = on.terminal.pid
        on.terminal.hang_up()
        give_up_at = time.monotonic() + WAIT_S
        while Path(f"/proc/{program}/cmdline").exists() and Path(f"/proc/{program}/cmdline").read_bytes():
            assert time.monotonic() < give_up_at
            time.sleep(0.05)
        assert not Path(f"/proc/{int(mark.read_text())}").exists()
        assert on.records()[-1]["type"] == "end"


def test_ascii_alone(tmp_path: Path) -> None:
    """With --ascii no byte is above 0x7f."""
    with lines(tmp_path, "--ascii", "--permission-mode", "bypass") as on:
        on.terminal.until(lambda: READY in on.terminal.text and on.terminal.lines[-1] == ">")
        say(on, "tools", wanted="Done with tools.")
        leave(on)
        assert bytes(on.terminal.raw).isascii()


def test_settings_that_cannot_be_used_are_one_line(tmp_path: Path) -> None:
    """-c where there is nothing, and -r without an id, end with 2 and what to do."""
    for args, wanted in ((("-c",), "no session to continue"), (("-r",), "-r needs the id of a session")):
        with lines(tmp_path, *args) as on:
            assert on.terminal.ended() == 2
            assert wanted in on.terminal.text
            assert len(on.terminal.lines) == 1


def test_ctrl_z_and_back(tmp_path: Path) -> None:
    """Ctrl-Z stops it as every program, and it goes on: the terminal's settings were never touched."""
    with lines(tmp_path) as on:
        on.terminal.until(lambda: idle(on))
        assert on.terminal.flags == on.terminal.flags_before
        on.terminal.rest(1.0)  # git is asked at first: a stop between vfork and exec holds its parent up
        on.terminal.until(lambda: not children(on))
        on.terminal.send("\x1a")
        on.terminal.until(lambda: state(on) == "T")
        os.kill(on.terminal.pid, signal.SIGCONT)
        say(on, "hello", wanted="You said hello.")
        leave(on)


def children(on: OnScreen) -> str:
    """Return the ids of the processes that the program has started and that run."""
    return Path(f"/proc/{on.terminal.pid}/task/{on.terminal.pid}/children").read_text()


def state(on: OnScreen) -> str:
    """Return the state of the program as the kernel has it."""
    return Path(f"/proc/{on.terminal.pid}/stat").read_text().rpartition(")")[2].split()[0]
