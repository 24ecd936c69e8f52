"""Going back in a terminal: across two compactions, and a file that somebody else changed meanwhile."""

from pathlib import Path

from agent.offline import Script, calls, last_text_starts, says, when
from agent.offline.script import always
from compaction.summary import OPENING
from tests.support.rewinding import hashes
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

SUMMARISED = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))
QUESTION = "put these back, too?"


def script() -> Script:
    """Three turns, each of which writes two files and then talks at length; a fourth that answers."""
    turns = []
    for number in range(1, 4):
        reads = [calls("read", file_path=name) for name in ("a.txt", "b.txt")]
        write = calls("write", file_path="a.txt", content=f"a{number}")
        turns += [reads[0] + reads[1] + write + calls("write", file_path="b.txt", content=f"b{number}")]
        turns += [says("word " * 800 + f"\n\nFinished {number}.")]
    return Script(*turns, says("Finished 4."), routes=[SUMMARISED])


def turn(on: OnScreen, number: int) -> dict[str, str]:
    """Run a turn and summarise; return the hashes of the files before it."""
    before = hashes(on.command.project)
    on.prompt(f"turn {number}")
    on.terminal.until(f"Finished {number}.")
    on.prompt("/compact")
    on.terminal.until(lambda: on.terminal.history.count("⟲ summary ·") == number)
    return before


def texts(on: OnScreen) -> str:
    return str(on.server.queries[-1].body["messages"])


def test_across_two_compactions(tmp_path: Path) -> None:
    """Files and conversation are as they were; what somebody else changed is asked about and left alone after a no."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", script=script()) as on:
        on.terminal.until(READY)
        project = on.command.project
        stood = [turn(on, number) for number in (1, 2, 3)]
        (project / "b.txt").write_text("mine", "ascii")
        on.prompt("/rewind 1")
        on.terminal.until("changed by something else since: `b.txt`")
        assert (project / "a.txt").read_text("ascii") == "a3"
        on.terminal.answer(QUESTION, "n")
        on.terminal.until("files put back: `a.txt`")
        assert not (project / "a.txt").exists()
        assert (project / "b.txt").read_text("ascii") == "mine"
        on.terminal.until("> turn 1")
        on.terminal.send("\x03")
        on.prompt("/rewind undo")
        on.terminal.until((project / "a.txt").exists)
        assert (project / "a.txt").read_text("ascii") == "a3"
        on.prompt("/rewind 2")
        on.terminal.answer(QUESTION, "y")
        on.terminal.until("files put back: `a.txt`, `b.txt`")
        assert hashes(project) == stood[1]
        on.terminal.send("\r")
        on.terminal.until("Finished 4.")
        assert "turn 1" in texts(on)
        assert "turn 3" not in texts(on)
        assert on.server.refusals == []
