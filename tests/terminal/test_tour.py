"""A whole session as a person has it, at 80 and at 120 columns."""

from pathlib import Path

import pytest

from tests.support.screen_agent import READY, OnScreen, agent_on_screen


@pytest.mark.parametrize("columns", [80, 120])
def test_the_tour(tmp_path: Path, columns: int) -> None:
    """Start, stream, three cards, an edit, a refusal, steering, an interrupt, commands, the way out and back."""
    with agent_on_screen(tmp_path, columns=columns) as on:
        see_the_start(on)
        see_a_stream(on)
        see_three_cards(on)
        see_an_edit_and_a_refusal(on)
        see_steering_and_an_interrupt(on)
        see_commands(on)
        leave(on)
    with agent_on_screen(tmp_path, "-c", columns=columns) as on:
        come_back(on)


def see_the_start(on: OnScreen) -> None:
    """The banner in one place, an empty line, the prompt, the bar."""
    on.terminal.until("main")
    on.terminal.until(READY)
    banner, about, prompt, bar = on.terminal.lines[0], *on.terminal.lines[1:2], *on.terminal.lines[-2:]
    assert banner == "palimpsest 0.1.0 · claude-sonnet-5-5 · ~/project (main)"
    assert about.startswith("AGENTS.md ")
    assert "permissions: ask · /help" in " ".join(on.terminal.lines)
    assert prompt == ">"
    assert bar.startswith("sonnet-5.5 · ░")
    above = on.terminal.text.split("\n")
    assert above[above.index(">") - 1] == ""


def see_a_stream(on: OnScreen) -> None:
    """What was typed stands above; the answer grows below it; the bar says that its number is an estimate."""
    on.prompt("stream please")
    on.terminal.until("◐ answering")
    assert "> stream please" in on.terminal.text
    assert "~/200k" in on.terminal.lines[-1]
    on.terminal.until(lambda: on.terminal.history.count("A paragraph of the answer") == 8)
    on.terminal.until(lambda: "answering" not in on.terminal.text)
    assert "**" not in on.terminal.history


def see_three_cards(on: OnScreen) -> None:
    """A card a call, in call order; the running one moves with its last line of output."""
    on.prompt("tools please")
    on.terminal.answer("bash wants to run", "y")
    on.terminal.until("started")
    on.terminal.until("Done with tools.")
    cards = [line for line in on.terminal.history.split("\n") if line.startswith("● ")]
    assert [card.split()[1] for card in cards[-3:]] == ["read", "glob", "bash"]
    assert "ledger.py  2 lines" in cards[-3]


def see_an_edit_and_a_refusal(on: OnScreen) -> None:
    """The diff is in the question and in the card; a refusal carries its reason to the model."""
    on.prompt("edit please")
    on.terminal.until("edit wants to run")
    assert "2 -     return 1" in on.terminal.text
    on.terminal.answer("edit wants to run", "y")
    on.terminal.until("Done with edit.")
    assert "● edit  ledger.py" in on.terminal.history
    assert (on.command.project / "ledger.py").read_text() == "def total():\n    return 2\n"
    on.prompt("sleep please")
    on.terminal.answer("[r] no", "r")
    on.terminal.until("why not?")
    on.prompt("not now")
    on.terminal.until("Done with sleep.")
    assert "Refused: the user said no: not now" in on.terminal.history


def see_steering_and_an_interrupt(on: OnScreen) -> None:
    """What is typed meanwhile is shown as queued and reaches the model; Esc gives the prompt back."""
    on.prompt("tools again")
    on.terminal.answer("bash wants to run", "y")
    on.prompt("and the credit notes")
    on.terminal.until("Done with and.")
    assert "and the credit notes" in on.asked()
    on.prompt("forever please")
    on.terminal.until("◐ answering")
    on.terminal.send("\x1b")
    on.terminal.until("interrupted")
    assert on.terminal.lines[-2] == ">"


def see_commands(on: OnScreen) -> None:
    """/compact says what it did in a line; /context tells what is in it."""
    on.prompt("/compact the totals")
    on.terminal.until("⟲ summary · ")
    assert "⟲ 1" in on.terminal.lines[-1]
    on.prompt("/context")
    on.terminal.until("largest")
    assert "S system" in on.terminal.history


def leave(on: OnScreen) -> None:
    """/quit says what it came to and how to go on; the terminal is as it was."""
    on.prompt("/quit")
    assert on.terminal.ended() == 0
    session = on.records()[0]["session"]
    assert f"resume: agent -r {session}" in on.terminal.text
    assert "1 compaction" in " ".join(on.terminal.text.split())
    assert on.terminal.is_restored()
    assert on.server.refusals == []


def come_back(on: OnScreen) -> None:
    """-c goes on where it was left: same session, same size."""
    on.terminal.until("resumed ")
    assert "1 compaction" in on.terminal.text
    on.prompt("hello again")
    on.terminal.until("You said hello.")
    on.terminal.send("\x15\x04")
    assert on.terminal.ended() == 0
    assert on.server.refusals == []
