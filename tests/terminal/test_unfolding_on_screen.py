"""Ctrl-O in a real terminal."""

import re
from pathlib import Path

from tests.support.screen_agent import READY, agent_on_screen

CTRL_O = "\x0f"


def test_while_a_turn_runs_the_draft_stays(tmp_path: Path) -> None:
    """What was folded comes above, into the scrollback; the answer goes on, each of its words once."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", rows=24) as on:
        on.terminal.until(READY)
        on.prompt("tools")
        on.terminal.until("Done with tools.")
        on.prompt("stream")
        on.terminal.until("A paragraph of the answer")
        on.terminal.send("my draft")
        on.terminal.until("> my draft")
        on.terminal.send(CTRL_O)
        on.terminal.until(lambda: "▸ bash  echo started" in on.terminal.history)
        on.terminal.until(
            lambda: on.terminal.history.count("bold and code.") == 8 and "◐" not in on.terminal.text
        )
        assert "> my draft" in on.terminal.text
        assert re.search("▸ bash  echo started.*\n    started\n    counted\n", on.terminal.history)
        assert on.terminal.history.count("▸ ") == 1


def test_after_a_resume(tmp_path: Path) -> None:
    """What an earlier process showed; pressed again, what was before."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", "tools") as on:
        on.terminal.until("Done with tools.")
        on.terminal.send("\x04")
        on.terminal.ended()
    with agent_on_screen(tmp_path, "-c") as on:
        on.terminal.until(READY)
        on.terminal.send(CTRL_O)
        on.terminal.until("▸ bash  echo started")
        on.terminal.send(CTRL_O)
        on.terminal.until("▸ glob  **/*.py")
        on.terminal.send(CTRL_O)
        on.terminal.until("▸ read  ledger.py")
