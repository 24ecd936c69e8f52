"""Ctrl-L in a real terminal, while all moves."""

from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, always
from tests.support.command import Command
from tests.support.screen_agent import PARAGRAPH, READY, agent_command, answer
from tests.support.tmux import Tmux, is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="there is no tmux here")
PRESSES = 12
DRAFT = "a draft"
EARLIER = "what stood there before"


def test_ctrl_l_while_an_answer_streams(tmp_path: Path) -> None:
    """Pressed a dozen times, and after: each line stands once, also what stood above; no mark of work is left."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        shown = [
            "bash",
            "-c",
            f'echo {EARLIER}; exec "$0" "$@"',
            *agent_command("--permission-mode", "bypass"),
        ]
        with Tmux(shown, cwd=command.project, env=env, columns=90, rows=24) as tmux:
            tmux.until(READY)
            for prompt in ("tools please", "stream please"):
                tmux.type(prompt)
                tmux.until(f"> {prompt}")
                tmux.press("Enter")
                tmux.until("◐")
                for _ in range(PRESSES):
                    tmux.press("C-l")
                tmux.until(lambda: "◐" not in tmux.text and "step" not in tmux.text)
            tmux.type(DRAFT)
            tmux.press("C-l")
            tmux.until(f"> {DRAFT}")
            history = " ".join(tmux.history.split())
            for once in (READY, EARLIER, DRAFT, "> tools please", "> stream please", "Done with tools."):
                assert history.count(once) == 1
            assert history.count(PARAGRAPH.split("**")[0].strip()) == 8
            assert "◐" not in history
            tmux.press("C-u", "C-d")
            tmux.until("ended with 0")
