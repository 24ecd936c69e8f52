"""F51: what is pasted is text, whenever it is pasted."""

import time
from collections.abc import Iterator

import pytest

from agent.offline import Script, always
from tests.support.screen_agent import READY, OnScreen, agent_on_screen, answer

LINES = "one\ntwo\n/exit\n"
BEGIN, END = "\x1b[200~", "\x1b[201~"


@pytest.fixture(scope="module")
def on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnScreen]:
    """One agent for all of these, which leave it idle with an empty input."""
    root = tmp_path_factory.mktemp("paste")
    with agent_on_screen(root, script=Script(always(answer))) as on:
        on.terminal.until(READY)
        yield on
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        assert on.server.refusals == []


def sent_by_enter(on: OnScreen, wanted: str) -> list[str]:
    """Send the input, wait for the answer; return what the requests since then said."""
    before, answers = len(on.asked()), on.terminal.history.count(wanted)
    on.terminal.rest(0.2)
    assert len(on.asked()) == before, "something was sent before Enter"
    on.terminal.send("\r")
    on.terminal.until(lambda: on.terminal.history.count(wanted) > answers and is_idle(on))
    return on.asked()[before:]


def is_idle(on: OnScreen) -> bool:
    """True when nothing moves."""
    return "◐" not in on.terminal.text


def test_f51_a_at_the_prompt(on: OnScreen) -> None:
    """One message of three lines, after the user's own Enter; `/exit` in it is text."""
    on.terminal.send(BEGIN + LINES + END)
    on.terminal.until("/exit")
    assert sent_by_enter(on, "You said one.") == [LINES]


def test_f51_b_while_a_reply_streams(on: OnScreen) -> None:
    """It stays in the input and is not sent."""
    on.prompt("forever b")
    on.terminal.until("◐ answering")
    before = len(on.asked())
    on.terminal.send(BEGIN + LINES + END)
    on.terminal.until("> one")
    assert len(on.asked()) == before
    on.terminal.send("\x1b")
    on.terminal.until("interrupted")
    on.terminal.until(lambda: is_idle(on))
    assert "> one" in on.terminal.text
    assert sent_by_enter(on, "You said one.") == [LINES]


def test_f51_c_without_brackets(on: OnScreen) -> None:
    """In one write: one message; the last line end, with nothing behind it, is Enter."""
    before = len(on.asked())
    on.terminal.send(LINES)
    on.terminal.until(lambda: len(on.asked()) > before)
    on.terminal.until(lambda: is_idle(on))
    assert on.asked()[before:] == [LINES.removesuffix("\n")]


def test_f51_d_odd_characters(on: OnScreen) -> None:
    """Line ends become one kind, tabs stay, Esc and NUL go; an end mark inside ends the paste, another one is nothing."""
    on.terminal.send(f"{BEGIN}a\r\nb\tc\x1bd\x00e{END}f{END}")
    on.terminal.until("cde")
    (sent,) = sent_by_enter(on, "You said a")
    assert sent == "a\nb\tcdef"


def test_f51_e_five_thousand_lines(on: OnScreen) -> None:
    """Taken within seconds, shown as a mark, sent whole."""
    text = "".join(f"line {number}\n" for number in range(5_000))
    began = time.monotonic()
    on.terminal.send(f"{BEGIN}{text}{END}")
    on.terminal.until("> [pasted 5,000 lines]")
    assert time.monotonic() - began < 3
    assert sent_by_enter(on, "You said line.") == [text]
    assert on.terminal.history.count("[pasted 5,000 lines]") == 1
    assert "line 4" not in on.terminal.history


def test_f51_f_the_end_mark_comes_late(on: OnScreen) -> None:
    """Nothing is sent meanwhile."""
    on.terminal.send(BEGIN + LINES)
    before = len(on.asked())
    on.terminal.rest(0.5)
    assert len(on.asked()) == before
    on.terminal.send(END)
    on.terminal.until("/exit")
    assert sent_by_enter(on, "You said one.") == [LINES]


def test_f51_g_during_a_question(on: OnScreen) -> None:
    """The paste `y` answers nothing: it lands in the input."""
    on.prompt("edit g")
    on.terminal.until("edit wants to run")
    on.terminal.rest(0.5)
    on.terminal.send(f"{BEGIN}y\n{END}")
    on.terminal.until("> y")
    on.terminal.rest(0.3)
    assert "edit wants to run" in on.terminal.text
    on.terminal.send("\x15\x08\x15")
    on.terminal.answer("edit wants to run", "n")
    on.terminal.until("Done with edit.")
    assert (on.command.project / "ledger.py").read_text().endswith("return 1\n")
