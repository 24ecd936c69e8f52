"""The interactive program from its arguments to its exit code, in this process, on a pseudo-terminal."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.errors import SessionError, UsageError
from agent.exits import Exit
from agent.flags import Flags
from agent.interactive import run
from agent.offline import MessagesServer, Reply, Script, calls, says
from tests.support.command import Command

WAIT_S = 20.0
READY = "/200k"


class Driver(threading.Thread):
    """Sits at the other end: for each (text, keys) it waits for the text in what comes, then types the keys."""

    def __init__(self, master: int, acts: Sequence[tuple[str, str]]) -> None:
        super().__init__(daemon=True)
        self.seen = ""
        self.problem = ""
        self._master = master
        self._acts = acts
        self.is_over = threading.Event()

    def run(self) -> None:
        """Do all acts, then read on until it is over."""
        at = 0
        for wanted, keys in self._acts:
            give_up_at = time.monotonic() + WAIT_S
            while (found := self.seen.find(wanted, at)) < 0:
                if time.monotonic() > give_up_at:
                    self.problem = f"{wanted!r} did not come in {self.seen[at:]!r}"
                    os.kill(os.getpid(), signal.SIGTERM)  # the program's own way out
                    return
                self._read()
            at = found + len(wanted)
            for key in keys.split("|"):
                os.write(self._master, key.encode())
                time.sleep(0.05)  # a key of its own, no paste
        while self._read() or not self.is_over.is_set():
            continue

    def _read(self) -> bool:
        readable, _, _ = select.select([self._master], [], [], 0.05)
        if readable:
            self.seen += os.read(self._master, 65_536).decode("utf-8", "replace")
        return bool(readable)


def driven(
    command: Command, flags: Flags, *acts: tuple[str, str], env: dict[str, str] | None = None
) -> tuple[Exit, str]:
    """Run the program; return its exit code and what it wrote."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    driver = Driver(master, acts)
    before = termios.tcgetattr(slave)
    with os.fdopen(slave, "w", encoding="utf-8") as terminal:
        driver.start()
        try:
            code = run(flags, stdin=terminal, stdout=terminal, env=command.env if env is None else env)
        finally:
            driver.is_over.set()
            driver.join(WAIT_S)
            after = termios.tcgetattr(terminal.fileno())
    os.close(master)
    assert driver.problem == ""
    assert after == before
    return code, driver.seen


def served(tmp_path: Path, *replies: Reply) -> tuple[MessagesServer, Command, Flags]:
    server = MessagesServer(Script(*replies))
    command = Command(root=tmp_path, url=server.url)
    return server, command, Flags(cwd=command.project)


def test_a_session_from_start_to_end(tmp_path: Path) -> None:
    """A prompt, its answer, the bar, `/quit`; the line that resumes is the last word."""
    server, command, flags = served(tmp_path, says("Hello there."))
    with server:
        code, seen = driven(command, flags, (READY, "hi|\r"), ("Hello there.", ""), ("ask", "/quit|\r"))
    assert code == Exit.DONE
    assert "resume: " in seen
    assert len(server.queries) == 1


def test_the_prompt_of_the_command_line_and_a_question(tmp_path: Path) -> None:
    """It is sent at once; a question takes its key; Ctrl-C twice leaves with 130."""
    server, command, _ = served(tmp_path, calls("bash", command="expr ran"), says("Done."))
    flags = Flags(cwd=command.project, prompt="go")
    with server:
        code, seen = driven(
            command,
            flags,
            ("Esc stop", patiently("y")),
            ("Done.", patiently("\x03")),
            ("again to leave", "\x03"),
        )
    assert code == Exit.INTERRUPTED
    assert "expr ran" in seen


def patiently(key: str) -> str:
    """Return keys of which the last is typed once things have stood still for a moment."""
    return "|" * 20 + key


def test_a_signal_before_the_session_is_open(tmp_path: Path) -> None:
    """It ends with that signal's code, and leaves no session behind."""
    server, command, flags = served(tmp_path)
    with server:
        code, seen = driven(command, flags, ("starting", "\x03"))
    assert code == Exit.INTERRUPTED
    assert "resume:" not in seen


def test_what_cannot_be_opened_is_raised(tmp_path: Path) -> None:
    """After the screen is gone."""
    server, command, _ = served(tmp_path)
    with server, pytest.raises(SessionError, match="no session to continue"):
        driven(command, Flags(cwd=command.project, is_continue=True))


def test_without_any_way_to_a_model_nothing_is_shown(tmp_path: Path) -> None:
    """The error comes before the first frame."""
    command = Command(root=tmp_path)
    with pytest.raises(UsageError, match="no API key"):
        driven(command, Flags(cwd=command.project), env={"HOME": str(tmp_path)})
