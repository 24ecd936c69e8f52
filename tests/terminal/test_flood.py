"""A command of the user's own that never stops talking."""

import time
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, always
from tests.support.command import Command
from tests.support.screen_agent import READY, agent_command, answer
from tests.support.tmux import Tmux, is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="there is no tmux here")


def test_esc_is_heard_in_a_flood(tmp_path: Path) -> None:
    """So are the keys of the next prompt; the bar is there again."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        with Tmux(agent_command(), cwd=command.project, env=env, columns=80) as tmux:
            tmux.until(READY)
            tmux.type("!yes")
            tmux.until("> !yes")
            tmux.press("Enter")
            tmux.until("y\ny\ny")
            began = time.monotonic()
            tmux.press("Escape")
            tmux.until("\nstopped")
            assert time.monotonic() - began < 5
            tmux.type("hello there")
            tmux.until("> hello there")
            tmux.press("Enter")
            tmux.until("You said hello.")
            assert READY in tmux.text.splitlines()[-1]
            tmux.press("C-d")
            tmux.until("ended with 0")
