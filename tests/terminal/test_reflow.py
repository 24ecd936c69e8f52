"""Another size of the window, in a terminal that wraps what it shows anew."""

from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, always
from tests.support.command import Command
from tests.support.screen_agent import PARAGRAPH, READY, agent_command, answer
from tests.support.tmux import Tmux, is_missing

pytestmark = pytest.mark.skipif(is_missing(), reason="there is no tmux here")
WIDTHS = (70, 100, 60, 90, 50, 110)
DRAFT = "a draft that is long enough to be wrapped when the window is made as narrow as it will be"


def test_no_ghosts_are_left(tmp_path: Path) -> None:
    """Whatever the widths, idle and while an answer streams: one bar, one input with the draft, each line once."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        with Tmux(agent_command(), cwd=command.project, env=env, columns=110) as tmux:
            tmux.until(READY)
            tmux.type("stream please")
            tmux.until("> stream please")
            tmux.press("Enter")
            tmux.until("answering")
            tmux.until(lambda: "answering" not in tmux.text and READY in tmux.text)
            tmux.type(DRAFT)
            for number in range(1, len(WIDTHS) + 1):
                widths = WIDTHS[:number]
                tmux.resize(widths[-1])
                tmux.type(f" w{widths[-1]}")
                until_shown(tmux, DRAFT + "".join(f" w{width}" for width in widths))
            history = " ".join(tmux.history.split())
            assert history.count(READY) == 1
            assert history.count(DRAFT[:20]) == 1
            assert history.count(PARAGRAPH.split("**")[0].strip()) == 8
            assert history.count("bold and code.") == 8
            assert history.count("> stream please") == 1
            tmux.press("C-u")
            tmux.press("C-d")
            tmux.until("ended with 0")


def until_shown(tmux: Tmux, draft: str) -> None:
    """Wait until the last rows are the draft and the bar."""

    def is_shown() -> bool:
        *rows, bar = tmux.text.splitlines()
        return READY in bar and "".join("".join(rows).split()).endswith("".join(draft.split()))

    tmux.until(is_shown)
