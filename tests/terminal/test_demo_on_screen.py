"""`agent demo` in a terminal: the real screen, and a model that follows the tour."""

import os
from pathlib import Path

from tests.support.forked import Loaded
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY


def test_the_tour_is_played_on_go(tmp_path: Path) -> None:
    """Asked, allowed, fixed; other words are answered honestly; afterwards nothing is left and nothing is promised."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    with Terminal(Loaded(("demo",)), cwd=tmp_path, env=env, rows=50) as terminal:
        terminal.until(READY)
        assert "Type `go`" in terminal.text
        prompt(terminal, "who are you")
        terminal.until("I am not a language model")
        prompt(terminal, "go")
        terminal.answer("bash wants to run", "n")
        terminal.until("⟲ summary")
        terminal.until("Fixed in ledger/money.py")
        terminal.until(lambda: "◐" not in terminal.text)
        assert "refused" in terminal.history
        prompt(terminal, "go")
        terminal.until("The bug is fixed already")
        terminal.send("\x15\x04")
        assert terminal.ended() == 0
        assert "resume:" not in terminal.history
        assert "That was a scripted model" in terminal.text
        assert terminal.is_restored()
    assert list(tmp_path.glob("agent-demo-*")) == []


def prompt(terminal: Terminal, words: str) -> None:
    """Type a line and send it."""
    terminal.send(words)
    terminal.until(f"> {words}")
    terminal.send("\r")
