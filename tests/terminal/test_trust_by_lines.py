"""The question of trust on a terminal that knows no escapes."""

from pathlib import Path

from agent.trust import standing_of
from tests.support.trusting import HOSTILE, put
from tests.terminal.test_lines import BAR, lines

ASKED = "the letter and Enter:"
MODEST = {"model": "claude-haiku-4-5"}


def project_with(root: Path, value: object) -> None:
    project = root.resolve() / "project"
    project.mkdir(parents=True, exist_ok=True)
    put(project, ".agent/settings.json", value)


def test_yes_is_a_letter_and_enter(tmp_path: Path) -> None:
    """`y` trusts it; what comes into force stands above."""
    project_with(tmp_path, MODEST)
    with lines(tmp_path) as on:
        on.terminal.until(ASKED)
        assert "    model: claude-haiku-4-5" in on.terminal.lines
        on.terminal.rest(0.5)
        on.terminal.send("y\n")
        on.terminal.until("haiku-4.5 · ")
        assert "? this project: trusted" in on.terminal.lines
        assert standing_of(on.command.project, on.command.home).is_on
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0


def test_enter_alone_and_other_lines_are_no_answer(tmp_path: Path) -> None:
    """They are asked again; words are kept for later. `n` leaves it off, and the session opens."""
    project_with(tmp_path, HOSTILE)
    with lines(tmp_path) as on:
        on.terminal.until(ASKED)
        on.terminal.rest(0.5)
        on.terminal.send("\n")
        on.terminal.send("yes please\n")
        on.terminal.until("kept for you, Enter alone sends it later: yes please")
        on.terminal.rest(0.2)
        assert on.terminal.lines[-1].endswith(ASKED)
        on.terminal.send("n\n")
        on.terminal.until(BAR)
        on.terminal.until(lambda: on.terminal.lines[-1] == ">")
        assert not standing_of(on.command.project, on.command.home).is_on
        on.terminal.send("\n")
        on.terminal.until("You said yes.")
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0


def test_ctrl_d_leaves(tmp_path: Path) -> None:
    """At the question, too: nothing is trusted."""
    project_with(tmp_path, HOSTILE)
    with lines(tmp_path) as on:
        on.terminal.until(ASKED)
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0
        assert not standing_of(on.command.project, on.command.home).is_on
