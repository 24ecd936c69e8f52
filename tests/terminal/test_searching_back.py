"""Ctrl-R: the history searched in the input's place."""

import os
import signal
from pathlib import Path

import pytest

from tests.support.forked import Loaded
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, OnScreen, agent_on_screen


def said(on_screen: OnScreen, *lines: str) -> None:
    """Say lines, each after the answer to the one before."""
    on_screen.terminal.until(READY)
    for line in lines:
        on_screen.prompt(line)
        on_screen.terminal.until(f"You said {line.split()[0]}.")


def test_what_was_found_is_taken_and_not_sent(tmp_path: Path) -> None:
    """Any case; Ctrl-R goes on to older ones; Enter takes it into the input, a second one sends it."""
    with agent_on_screen(tmp_path) as on_screen:
        terminal = on_screen.terminal
        said(on_screen, "alpha Beta one", "gamma", "delta beta two")
        terminal.send("\x12")
        terminal.until("(reverse-i-search)`':")
        terminal.send("beta")
        terminal.until("(reverse-i-search)`beta': delta beta two")
        terminal.send("\x12")
        terminal.until("(reverse-i-search)`beta': alpha Beta one")
        terminal.send("\r")
        terminal.until("\n> alpha Beta one\n")
        terminal.rest(0.3)
        assert len(on_screen.asked()) == 3
        terminal.send("\r")
        terminal.until(lambda: on_screen.asked()[3:] == ["alpha Beta one"])


@pytest.mark.parametrize("key", ["\x1b", "\x07", "\x03"], ids=["Esc", "Ctrl-G", "Ctrl-C"])
def test_leaving_brings_the_draft_back(tmp_path: Path, key: str) -> None:
    """With its cursor, whatever was found and gone on to; also while a turn runs, which goes on."""
    with agent_on_screen(tmp_path) as on_screen:
        terminal = on_screen.terminal
        said(on_screen, "one alpha", "two alpha")
        on_screen.prompt("forever")
        terminal.until("answering")
        terminal.send("my draft\x1b[D\x1b[D")
        terminal.until("> my draft")
        terminal.send("\x12alpha")
        terminal.until("(reverse-i-search)`alpha': two alpha")
        terminal.send("\x12")
        terminal.until("(reverse-i-search)`alpha': one alpha")
        terminal.send(key)
        terminal.until("> my draft")
        terminal.send("X")
        terminal.until("> my draXft")
        assert "interrupted" not in terminal.text
        terminal.send("\x03")
        terminal.until("interrupted")


def test_nothing_found_is_said(tmp_path: Path) -> None:
    """As bash says it; Enter then leaves the draft as it was; a paste is searched on one line."""
    with agent_on_screen(tmp_path) as on_screen:
        terminal = on_screen.terminal
        said(on_screen, "alpha one")
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send("\x12")
        terminal.until("(reverse-i-search)`':")
        terminal.send("\x1b[200~no\nsuch\x1b[201~")
        terminal.until("(failed reverse-i-search)`no such': my draft")
        terminal.send("\x04")
        terminal.until("\n> my draft\n")
        terminal.send("\x12\r!")
        terminal.until("\n> my draft!\n")


def test_the_history_of_another_run_is_found(tmp_path: Path) -> None:
    """It is the project's; what begins with a space is not in it."""
    with agent_on_screen(tmp_path) as first:
        said(first, "one alpha")
        first.prompt(" alpha secret")
        first.terminal.until("You said alpha.")
    with agent_on_screen(tmp_path) as second:
        second.terminal.until(READY)
        second.terminal.send("\x12")
        second.terminal.until("(reverse-i-search)`':")
        second.terminal.send("alpha")
        second.terminal.until("(reverse-i-search)`alpha': one alpha")
        second.terminal.send("\x12")
        second.terminal.rest(0.3)
        assert "secret" not in second.terminal.text
        second.terminal.send("\x1b")
        second.terminal.until("\n>\n")
        second.terminal.send("\x1b[A")
        second.terminal.until("\n> one alpha\n")


@pytest.mark.parametrize("way", ["\x1b[A", "\x12alpha\r"], ids=["Up", "Ctrl-R"])
def test_the_draft_behind_what_was_taken_is_not_lost(tmp_path: Path, way: str) -> None:
    """Sent from the history, a line leaves the draft in the input; killed meanwhile, the draft is there again."""
    with agent_on_screen(tmp_path) as on_screen:
        terminal, command = on_screen.terminal, on_screen.command
        said(on_screen, "one alpha")
        terminal.send("my draft")
        terminal.until("> my draft")
        terminal.send(way.rstrip("\r"))
        if way.endswith("\r"):
            terminal.until("alpha': one alpha")
            terminal.send("\r")
        terminal.until("\n> one alpha\nsonnet")
        terminal.send("\r")
        terminal.until("\n> my draft\n")
        terminal.until(lambda: on_screen.asked() == ["one alpha"] * 2)
        terminal.send("\x1b[A")
        terminal.until("\n> one alpha\nsonnet")
        terminal.rest(0.2)
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.ended()
        with Terminal(Loaded(("-c",)), cwd=command.project, env=command.env) as again:
            again.until(READY)
            again.until("\n> my draft\nsonnet")
