"""Vi keys on a real screen: Esc leaves insert mode first, and all else that the input does works on."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.screen_agent import READY, OnScreen, agent_on_screen


@contextmanager
def with_vi(root: Path) -> Generator[OnScreen]:
    """Run an agent whose settings say vi."""
    (root / "agent-home").mkdir()
    (root / "agent-home" / "settings.json").write_text('{"editing": "vi"}')
    with agent_on_screen(root) as on_screen:
        on_screen.terminal.until(READY)
        on_screen.terminal.until("vi insert")
        yield on_screen


def escape(on_screen: OnScreen) -> None:
    """Press Esc in insert mode."""
    on_screen.terminal.send("\x1b")
    on_screen.terminal.until("vi normal")


def test_a_line_is_edited_and_sent(tmp_path: Path) -> None:
    """Keys of normal mode are no text, also those that mean nothing; Enter sends in both modes, and insert mode is next."""
    with with_vi(tmp_path) as on_screen:
        terminal = on_screen.terminal
        terminal.send("one two three")
        terminal.until("> one two three")
        escape(on_screen)
        terminal.send("Qg!")
        terminal.rest(0.3)
        terminal.send("0dw")
        terminal.until("\n> two three\n")
        terminal.send("\r")
        terminal.until("You said two.")
        terminal.until("vi insert")
        terminal.send("a\x1b\rb")
        terminal.until("\n> a\nb\n")
        escape(on_screen)
        terminal.send("k")
        terminal.send("A\x12tw")
        terminal.until("(reverse-i-search)`tw': two three")
        terminal.send("\r!")
        terminal.until("> !two three")
        terminal.until("vi insert")


def test_the_second_esc_interrupts(tmp_path: Path) -> None:
    """The first leaves insert mode, or an operator that waits; the draft stays; Alt-Q and Up still queue."""
    with with_vi(tmp_path) as on_screen:
        terminal = on_screen.terminal
        on_screen.prompt("forever")
        terminal.until("answering")
        terminal.send("later\x1bq")
        terminal.until("queued 1: later")
        terminal.send("\x1b[A")
        terminal.until("\n> later\n")
        escape(on_screen)
        terminal.send("d")
        terminal.rest(0.2)
        terminal.send("\x1b")
        terminal.rest(0.5)
        assert "interrupted" not in terminal.text
        terminal.send("\x1b")
        terminal.until("interrupted")
        assert "\n> later\n" in terminal.text


@pytest.mark.parametrize("is_normal", [True, False])
def test_a_question_is_answered_in_both_modes(tmp_path: Path, *, is_normal: bool) -> None:
    """`y` is the answer, not the beginning of a copy."""
    with with_vi(tmp_path) as on_screen:
        terminal = on_screen.terminal
        on_screen.prompt("tools")
        if is_normal:
            escape(on_screen)
        terminal.answer("wants to run", "y")
        terminal.until("Done with tools.")


def test_switched_by_a_command(tmp_path: Path) -> None:
    """On and off, and what holds is said; without vi keys Esc interrupts at once."""
    with agent_on_screen(tmp_path) as on_screen:
        terminal = on_screen.terminal
        terminal.until(READY)
        assert "vi insert" not in terminal.text
        on_screen.prompt("/vi")
        terminal.until("emacs keys; /vi on: vi keys")
        on_screen.prompt("/vi maybe")
        terminal.until("/vi on or /vi off, not `maybe`")
        on_screen.prompt("/vi on")
        terminal.until("vi insert")
        on_screen.prompt("/vi off")
        terminal.until(lambda: "vi insert" not in terminal.text)
        on_screen.prompt("forever")
        terminal.until("answering")
        terminal.send("\x1b")
        terminal.until("interrupted")
