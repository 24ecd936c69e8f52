"""Ctrl-L in a real terminal, while all moves."""

from functools import partial
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
FIRST = PARAGRAPH.split("**")[0].strip()
PROMPTS = (("tools please", "Done with tools.", 1), ("stream please", FIRST, 8))
"""Each with what its answer ends in, and how often that stands there by then."""


def stands(tmux: Tmux, text: str, times: int) -> bool:
    """Return whether ``text`` stands there so often."""
    return words(tmux).count(text) == times


def words(tmux: Tmux) -> str:
    """Return all that stands on the screen and above it, on one line."""
    return " ".join(tmux.history.split())


def test_ctrl_l_while_an_answer_streams(tmp_path: Path) -> None:
    """Pressed a dozen times, and after: each line stands once, also what stood above; no mark of work is left."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        ours = agent_command("--permission-mode", "bypass")
        shown = ["bash", "-c", f'echo {EARLIER}; exec "$0" "$@"', *ours]
        with Tmux(shown, cwd=command.project, env=env, columns=90, rows=24) as tmux:
            tmux.until(READY)
            for prompt, last, times in PROMPTS:
                tmux.type(prompt)
                tmux.until(f"> {prompt}")
                tmux.press("Enter")
                tmux.until("◐")
                for _ in range(PRESSES):
                    tmux.press("C-l")
                tmux.until(partial(stands, tmux, last, times))
                tmux.until(lambda: "◐" not in tmux.text and "step" not in tmux.text)
            tmux.type(DRAFT)
            tmux.press("C-l")
            tmux.until(f"> {DRAFT}")
            history = words(tmux)
            for once in (READY, EARLIER, DRAFT, "> tools please", "> stream please", "Done with tools."):
                assert history.count(once) == 1
            assert history.count(FIRST) == 8
            assert "◐" not in history
            tmux.press("C-u", "C-d")
            tmux.until("ended with 0")
