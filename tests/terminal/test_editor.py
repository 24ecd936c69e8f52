"""Ctrl-X Ctrl-E: the draft in the user's own editor, which is a script here, with the terminal to itself."""

import os
import shlex
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, always
from tests.support.command import Command
from tests.support.forked import Loaded
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, OnScreen, agent_command, agent_on_screen, answer
from tests.support.tmux import Tmux, is_missing

OPEN = "\x18\x05"
WAITS = "echo $$ > pid; stty raw -echo; printf '\\033[?1049hEDITOR'; until test -e go; do sleep 0.05; done; "
"""Of an editor that has taken the screen and waits."""


@contextmanager
def editing(root: Path, script: str, *args: str, name: str = "EDITOR") -> Generator[OnScreen]:
    """Run an agent whose editor is a shell script: `$1` is --wait, `$2` the file."""
    editor = root / "my editor"
    editor.write_text(f"#!/bin/sh\n{script}\n")
    editor.chmod(0o755)
    more = {"VISUAL": "", "EDITOR": "false", name: f"'{editor}' --wait"}
    with agent_on_screen(root, *args, more=more) as on_screen:
        on_screen.terminal.until(READY)
        yield on_screen


def draft(on_screen: OnScreen) -> list[str]:
    """Return the rows of the input."""
    rows = on_screen.terminal.lines
    start = max((number for number, row in enumerate(rows) if row.startswith(">")), default=len(rows))
    return rows[start:-1]


def folders(on_screen: OnScreen) -> list[Path]:
    """Return the folders in which drafts lie."""
    return list((on_screen.command.project / ".transcripts").glob("*/editing-*"))


@pytest.mark.parametrize("name", ["EDITOR", "VISUAL"])
def test_the_editors_text_is_the_draft(tmp_path: Path, name: str) -> None:
    """VISUAL before EDITOR, with arguments; the file is private and removed; the last line end is no text."""
    script = 'stat -c %a "$2" "$(dirname "$2")" > modes; cat "$2" > was; printf "one\\ntw\\001o\\n" > "$2"'
    with editing(tmp_path, script, name=name) as on_screen:
        terminal, project = on_screen.terminal, on_screen.command.project
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send(OPEN)
        terminal.until(lambda: draft(on_screen) == ["> one", "two"])
        assert (project / "modes").read_text().split() == ["600", "700"]
        assert (project / "was").read_text() == "my draft\n"
        on_screen.terminal.until(lambda: folders(on_screen) == [])
        terminal.send("!\r")
        terminal.until("You said one")
        assert on_screen.asked() == ["one\ntwo!"]


def test_a_turn_goes_on_and_shows_itself_afterwards(tmp_path: Path) -> None:
    """While the editor has the terminal nothing else is drawn; all that came meanwhile is there then, once."""
    with editing(tmp_path, f'{WAITS} stty sane; printf "\\033[?1049l"; echo edited > "$2"') as on_screen:
        terminal, project = on_screen.terminal, on_screen.command.project
        settings = terminal.flags
        on_screen.prompt("stream")
        terminal.until("answering")
        terminal.send(OPEN)
        terminal.until("EDITOR")
        before = terminal.text.strip()
        terminal.until(lambda: [one for one in on_screen.records() if one["type"] == "end"])
        terminal.resize(90, 38)
        terminal.rest(0.3)
        assert before.endswith(terminal.text.strip()), "the emulator itself drops rows at the top"
        (project / "go").touch()
        terminal.until(lambda: draft(on_screen) == ["> edited"])
        assert terminal.history.count("A paragraph of the answer") == 8
        assert terminal.flags == settings


def test_ctrl_c_is_the_editors(tmp_path: Path) -> None:
    """It ends the editor, where that lets it: not the turn, and not the program."""
    with editing(tmp_path, "echo EDITOR; exec sleep 60") as on_screen:
        terminal = on_screen.terminal
        on_screen.prompt("sleep")
        terminal.answer("wants to run", "y")
        terminal.until((on_screen.command.project / "mark").exists)
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send(OPEN)
        terminal.until("EDITOR")
        terminal.send("\x03")
        terminal.until("the editor was ended by SIGINT; the draft stays as it was")
        assert draft(on_screen) == ["> my draft"]
        assert "interrupted" not in terminal.text


def test_an_editor_that_fails_costs_nothing(tmp_path: Path) -> None:
    """It says that the draft is not wanted, or it is killed and leaves the terminal as it had it."""
    script = f'echo rubbish > "$2"; test -e second || {{ touch second; exit 3; }}; {WAITS}'
    with editing(tmp_path, script) as on_screen:
        terminal, project = on_screen.terminal, on_screen.command.project
        settings = terminal.flags
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send(OPEN)
        terminal.until("the editor ended with exit 3; the draft stays as it was")
        assert draft(on_screen) == ["> my draft"]
        terminal.send(OPEN)
        terminal.until("EDITOR")
        assert terminal.flags != settings
        os.kill(int((project / "pid").read_text()), signal.SIGKILL)
        terminal.until("the editor was ended by SIGKILL; the draft stays as it was")
        assert terminal.flags == settings
        assert draft(on_screen) == ["> my draft"]
        on_screen.terminal.until(lambda: folders(on_screen) == [])


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        (
            "no-such-editor -f",
            "`no-such-editor` cannot be run (No such file or directory): VISUAL or EDITOR names",
        ),
        ("'half", "the draft cannot be edited: EDITOR is no command: No closing quotation"),
    ],
)
def test_an_editor_that_there_is_not(tmp_path: Path, editor: str, said: str) -> None:
    """One line says so; the draft is kept."""
    with agent_on_screen(tmp_path, more={"VISUAL": "", "EDITOR": editor}) as on_screen:
        terminal = on_screen.terminal
        terminal.until(READY)
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send(OPEN)
        terminal.until(said)
        assert draft(on_screen) == ["> my draft"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_what_was_saved_outlives_the_program(tmp_path: Path, number: signal.Signals) -> None:
    """Killed while the editor is open, or asked to leave: what it had saved is in the input of the next one."""
    with editing(tmp_path, f'echo saved >> "$2"; {WAITS}') as on_screen:
        terminal, command = on_screen.terminal, on_screen.command
        on_screen.prompt("hello")
        terminal.until("You said hello.")
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send(OPEN)
        terminal.until("EDITOR")
        os.kill(terminal.pid, number)
        terminal.ended()
        (command.project / "go").touch()
        with Terminal(Loaded(("-c",)), cwd=command.project, env=command.env) as again:
            again.until(READY)
            again.until("saved")
            assert "> my draft\nsaved\n" in again.text
            on_screen.terminal.until(lambda: folders(on_screen) == [])


@pytest.mark.skipif(is_missing(), reason="tmux is not installed")
def test_ctrl_z_stops_the_editor_and_the_program(tmp_path: Path) -> None:
    """The shell is back; `fg` brings the editor back, and its end the input."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho EDITOR; until test -e go; do sleep 0.05; done; echo edited > "$1"\n')
    editor.chmod(0o755)
    with MessagesServer(Script(always(answer))) as server:
        command = Command(
            root=tmp_path, url=server.url, more={"VISUAL": "", "EDITOR": str(editor), "PS1": "$ "}
        )
        with Tmux(["bash", "--norc", "--noprofile", "-i"], cwd=command.project, env=command.env) as tmux:
            tmux.type(shlex.join(agent_command()))
            tmux.press("Enter")
            tmux.until(READY)
            tmux.type("my draft")
            tmux.until("> my draft")
            tmux.press("C-x", "C-e")
            tmux.until("EDITOR")
            tmux.press("C-z")
            tmux.until("Stopped")
            (command.project / "go").touch()
            tmux.type("fg")
            tmux.press("Enter")
            tmux.until("> edited")
            tmux.until(READY)
            assert "my draft" not in tmux.text
