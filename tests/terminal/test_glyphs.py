"""Glyphs of several characters in an answer that streams, in a terminal that draws them as one."""

from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, always, says
from agent.terminal.frames import steady
from tests.support.command import Command
from tests.support.screen_agent import READY, agent_command
from tests.support.tmux import Tmux, is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="there is no tmux here")
FAMILY, FLAG, HEART = (
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\u2764\ufe0f",
)
TEXT = f"{FAMILY} family {FLAG} flag {HEART} 日本語 e\u0301 שלום مرحبا " * 12
LOOKS = 12


def test_the_tail_holds_only_what_was_said(tmp_path: Path) -> None:
    """At every look, each row of the unfinished answer is a part of it; the finished one is whole, joiners too."""
    with MessagesServer(Script(always(says(TEXT, pace_s=0.02, chunk_chars=5)))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        with Tmux(agent_command(), cwd=command.project, env=env, columns=70) as tmux:
            tmux.until(READY)
            tmux.type("go")
            tmux.until("> go")
            tmux.press("Enter")
            tmux.until("◐ answering")
            said = "".join(steady(TEXT).split())
            for _ in range(LOOKS):
                _, _, rows = tmux.text.rpartition("> go\n")
                rows, is_streaming, _ = rows.partition("◐")
                if is_streaming:
                    assert all("".join(row.split()) in said for row in rows.splitlines())
            tmux.until(lambda: "answering" not in tmux.text)
            assert "".join(tmux.text.split()).count(FAMILY) >= LOOKS
            tmux.press("C-d")
            tmux.until("ended with 0")
