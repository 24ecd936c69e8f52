"""The first seconds, and terminals that can do less."""

import re
import subprocess
import sys
from pathlib import Path

from agent.offline import Script, always
from tests.support.command import ROOT, Command
from tests.support.forked import Loaded
from tests.support.pty_screen import BEGIN, Terminal
from tests.support.screen_agent import READY, agent_command, agent_on_screen, answer

SGR = re.compile(rb"\x1b\[([0-9;]*)m")
FIRST_COLOUR = 30
HEAVY = {"rich", "tiktoken", "anthropic", "httpx", "httpx2", "markdown_it", "json5", "compaction"}
"""Not pydantic: the command line's own library brings it."""


def test_nothing_heavy_before_the_first_paint(tmp_path: Path) -> None:
    """What is imported before the first frame, as the interpreter tells it, holds none of the slow packages."""
    command = Command(root=tmp_path)
    timed = [sys.executable, "-X", "importtime", *agent_command()[1:]]
    with Terminal(timed, cwd=command.project, env=command.env) as terminal:
        terminal.until(lambda: BEGIN in terminal.raw)
        before = bytes(terminal.raw).split(BEGIN)[0].decode()
    imported = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in before.splitlines() if "|" in line
    }
    assert "prompt_toolkit" in imported
    assert imported & HEAVY == set()


def test_what_is_typed_before_the_session_is_open_is_kept(tmp_path: Path) -> None:
    """A whole line is sent once it can be; a half one stands in the input."""
    with agent_on_screen(tmp_path, script=Script(always(answer)), program=agent_command()) as on:
        on.terminal.until("starting")
        on.terminal.send("early")
        on.terminal.send("\r")
        on.terminal.rest(0.1)
        on.terminal.send("and more")
        on.terminal.until("You said early.")
        on.terminal.until("> and more")
        assert on.asked() == ["early"]


def test_without_a_key_nothing_is_painted(tmp_path: Path) -> None:
    """Two lines that say how to set one and that `agent demo` needs none, exit 2, an untouched terminal."""
    command = Command(root=tmp_path, more={"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""})
    with Terminal(Loaded(()), cwd=command.project, env=command.env, columns=140) as terminal:
        assert terminal.ended() == 2
        assert b"\x1b" not in terminal.raw
        assert "set ANTHROPIC_API_KEY" in terminal.lines[0]
        assert "`agent demo` needs none" in terminal.lines[1]
        assert len(terminal.lines) == 2


def test_a_session_that_cannot_be_opened_leaves_no_screen(tmp_path: Path) -> None:
    """-c where there is none: one line, exit 2."""
    with agent_on_screen(tmp_path, "-c", columns=200) as on:
        assert on.terminal.ended() == 2
        assert on.terminal.lines == [
            f"agent: no session to continue in {on.command.project}; start one with `agent`"
        ]
        assert on.terminal.is_restored()


def test_f54_e_no_colour_and_no_term(tmp_path: Path) -> None:
    """NO_COLOR: no colour in a terminal; TERM unset: it works; both together here."""
    with agent_on_screen(tmp_path, more={"NO_COLOR": "1", "TERM": ""}) as on:
        on.terminal.until(READY)
        on.prompt("tools please")
        on.terminal.answer("bash wants to run", "y")
        on.terminal.until("Done with tools.")
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        styles = {code for group in SGR.findall(on.terminal.raw) for code in group.split(b";")}
        assert b"1" in styles  # bold stays
        assert not {code for code in styles if code and int(code) >= FIRST_COLOUR}


def test_f54_e_a_dumb_terminal_gets_no_escapes(tmp_path: Path) -> None:
    """TERM=dumb and -p: the prompt comes from the command line, and the answer is plain text."""
    with agent_on_screen(tmp_path, "-p", "hello", more={"TERM": "dumb"}, script=Script(always(answer))) as on:
        assert on.terminal.ended() == 0
        assert b"\x1b" not in on.terminal.raw
        assert "You said hello." in on.terminal.text


def test_f54_a_e_piped_text_is_one_turn(tmp_path: Path) -> None:
    """`echo hello | agent`: a turn, its answer alone on stdout, whatever TERM and NO_COLOR are."""
    with agent_on_screen(tmp_path, script=Script(always(answer))) as on:
        command = f"echo hello | {sys.executable} -P {ROOT}/palimpsest_agent.py"
        for more in ({"NO_COLOR": "1", "TERM": "dumb"}, {}):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=on.command.project,
                env={**on.command.env, **more},
                capture_output=True,
                check=True,
            )
            assert done.stdout == b"You said hello.\n"
            assert b"\x1b" not in done.stderr


def test_f54_a_stdout_that_is_a_pipe_gets_the_answer_alone(tmp_path: Path) -> None:
    """`agent hello | cat > file` at a terminal: one turn, nothing but text in the file, no escapes on the terminal."""
    command = f'"{sys.executable}" -P "{ROOT}/palimpsest_agent.py" hello | cat > file'
    with agent_on_screen(tmp_path, script=Script(always(answer)), program=["bash", "-c", command]) as on:
        assert on.terminal.ended() == 0
        assert (on.command.project / "file").read_bytes() == b"You said hello.\n"
        assert b"\x1b" not in on.terminal.raw
        assert on.terminal.lines[-1].startswith("resume: agent -r ")
