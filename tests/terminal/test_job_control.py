"""Ctrl-Z in a shell with job control: it stops as every job does, and comes back clean."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, always
from tests.support.command import Command
from tests.support.screen_agent import READY, agent_command, answer
from tests.support.tmux import Tmux, is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="there is no tmux here")
SHELL = "shell$ "


def idle(_: Tmux) -> str:
    """Nothing runs; return what must stand there whenever it is back."""
    return READY


def in_a_turn(tmux: Tmux) -> str:
    """An answer streams."""
    tmux.type("forever please")
    tmux.until("> forever please")
    tmux.press("Enter")
    tmux.until("answering")
    return "answering"


def with_a_question(tmux: Tmux) -> str:
    """A call waits for an answer."""
    tmux.type("sleep please")
    tmux.until("> sleep please")
    tmux.press("Enter")
    tmux.until("[y] once")
    return "[y] once"


def is_stopped(tmux: Tmux, times: int) -> bool:
    """Tell whether the shell has said so many times that its job is stopped."""
    return tmux.history.count("Stopped") == times


def stop_and_continue(tmux: Tmux, number: int, wanted: str) -> None:
    """Stop it, use the shell, bring it back for the ``number``th time, and type into it."""
    tmux.press("C-z")
    tmux.until(partial(is_stopped, tmux, number))
    tmux.type(f"echo heard-{number}")
    tmux.press("Enter")
    tmux.until(f"\nheard-{number}")
    tmux.type("fg")
    tmux.press("Enter")
    tmux.until(lambda: READY in tmux.text.splitlines()[-1] and wanted in tmux.text)
    tmux.type(f"draft{number}")
    tmux.until("> " + "".join(f"draft{typed}" for typed in range(1, number + 1)))


@pytest.mark.parametrize("situation", [idle, in_a_turn, with_a_question])
def test_stopped_and_continued_twice(tmp_path: Path, situation: Callable[[Tmux], str]) -> None:
    """Each time the shell has the terminal as it was, also its echo; back again, all stands there once, and keys are heard."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        with Tmux(
            ["env", f"PS1={SHELL}", "bash", "--norc", "-i"], cwd=command.project, env=env, rows=40
        ) as tmux:
            tmux.until(SHELL.strip())
            tmux.type(shlex.join(agent_command()))
            tmux.press("Enter")
            tmux.until(READY)
            wanted = situation(tmux)
            for number in (1, 2):
                stop_and_continue(tmux, number, wanted)
            tmux.press("C-c")
            tmux.until(lambda: wanted not in tmux.text.split("fg")[-1] or wanted == READY)
            tmux.press("C-u")
            tmux.press("C-d")
            tmux.until(lambda: tmux.text.endswith(SHELL.strip()))  # what is typed before is thrown away
            tmux.type("exit")
            tmux.press("Enter")
            tmux.until("ended with")
