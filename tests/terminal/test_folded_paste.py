"""Long pastes on a real screen: folded where they are shown, whole where they are read."""

import json
import time
from collections.abc import Iterator

import pytest

from agent.offline import Script, always
from tests.support.screen_agent import READY, OnScreen, agent_on_screen, answer

BEGIN, END = "\x1b[200~", "\x1b[201~"
LONG = "".join(f"line {number}\n" for number in range(120))
MARK = "[pasted 120 lines]"
EMPTY = "\n>\nsonnet"


@pytest.fixture(scope="module")
def on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnScreen]:
    """One agent for all of these, which leave it idle with an empty input."""
    root = tmp_path_factory.mktemp("folded")
    with agent_on_screen(root, script=Script(always(answer))) as on:
        on.terminal.until(READY)
        yield on
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        assert on.server.refusals == []


def asked_by_enter(on: OnScreen) -> str:
    """Send the input; return the prompt that the model heard."""
    before = len(on.asked())
    on.terminal.send("\r")
    on.terminal.until(lambda: len(on.asked()) > before and "◐" not in on.terminal.text)
    on.terminal.until(EMPTY)
    return on.asked()[before]


def test_between_words(on: OnScreen) -> None:
    """It stands as a mark above as in the input; the model gets every line of it; Ctrl-O shows it whole."""
    on.terminal.send("look")
    on.terminal.until("> look")
    on.terminal.send(f"{BEGIN}{LONG}{END}")
    on.terminal.until(f"> look{MARK}")
    on.terminal.send("!")
    on.terminal.until(f"{MARK}!")
    assert asked_by_enter(on) == f"look{LONG}!"
    assert on.terminal.history.count(f"> look{MARK}!") == 1
    assert "line 7" not in on.terminal.history
    on.terminal.send("\x0f")
    on.terminal.until("line 119\n")
    assert "lookline 0\n" in on.terminal.history


def test_backspace_takes_it_whole(on: OnScreen) -> None:
    """Its text goes with the mark."""
    on.terminal.send("look at")
    on.terminal.until("> look at")
    on.terminal.send(f"{BEGIN}{LONG}{END}")
    on.terminal.until(MARK)
    on.terminal.send("\x7f")
    on.terminal.until(lambda: MARK not in on.terminal.text.rpartition("\n> ")[2])
    assert asked_by_enter(on) == "look at"


def test_an_interrupt_gives_it_back_folded(on: OnScreen) -> None:
    """Queued while a reply streams and given back, it is a mark again, and on disk the whole of it."""
    on.prompt("forever stream")
    on.terminal.until("◐ answering")
    on.terminal.send(f"{BEGIN}{LONG}{END}")
    on.terminal.until(f"> {MARK}")
    on.terminal.send("\x1bq")
    on.terminal.until(f"queued 1: {MARK}")
    on.terminal.send("\x1b")
    on.terminal.until(f"\n> {MARK}")
    on.terminal.until(lambda: "◐" not in on.terminal.text)
    (kept,) = (on.command.project / ".transcripts").glob("*/typed.json")
    on.terminal.until(lambda: json.loads(kept.read_bytes())["draft"] == LONG)
    assert asked_by_enter(on) == LONG
    on.terminal.send("\x1b[A")
    on.terminal.until(f"\n> {MARK}\nsonnet")
    on.terminal.rest(1.0)  # right behind an interrupt a Ctrl-C is swallowed
    on.terminal.send("\x03")
    on.terminal.until(EMPTY)


def test_a_folded_command_is_words(on: OnScreen) -> None:
    """A long paste that begins like a shell command runs nothing."""
    on.terminal.send(f"{BEGIN}!touch ran\n{LONG}{END}")
    on.terminal.until("[pasted 121 lines]")
    assert asked_by_enter(on) == f"\n!touch ran\n{LONG}"
    assert "> [pasted 121 lines]\n" in on.terminal.history
    assert not (on.command.project / "ran").exists()


def test_rubbish(on: OnScreen) -> None:
    """NULs, escapes, halves of characters, line ends of Windows: cleaned, sent by nothing but Enter."""
    before = len(on.asked())
    rubbish = b"\x00\x1b]0;owned\x07\xff\xc3(\x1b[?1049h one\r\n\x9b\x07\x08two \xe2\x80\xae\r/quit\r"
    on.terminal.send(BEGIN.encode() + rubbish + END.encode())
    on.terminal.until("/quit")
    assert len(on.asked()) == before
    sent = asked_by_enter(on)
    assert sent == "\ufffd\ufffd( one\n\ufffdtwo \u202e\n/quit\n"
    assert b"1049h" not in on.terminal.raw
    assert "\u202e".encode() not in on.terminal.raw


def test_five_megabytes(on: OnScreen) -> None:
    """They are folded, and keys are taken on the way to sending them."""
    text = "0123456789 abcdef\n" * 280_000
    began = time.monotonic()
    on.terminal.send(f"{BEGIN}{text}{END}")
    on.terminal.until("[pasted 280,000 lines]", wait_s=60)
    assert time.monotonic() - began < 30
    on.terminal.send("\x7f")
    on.terminal.until(EMPTY)


def test_the_end_mark_never_comes(on: OnScreen) -> None:
    """What has come is shown after a while, and keys are keys again."""
    on.terminal.send(f"{BEGIN}one\ntwo")
    on.terminal.until("> one\ntwo")
    on.terminal.send("!")
    on.terminal.until("two!")
    assert asked_by_enter(on) == "one\ntwo!"


def test_a_question_is_not_answered(on: OnScreen) -> None:
    """A folded paste of `y` lines lands in the input; the question stands."""
    on.prompt("edit this")
    on.terminal.until("edit wants to run")
    on.terminal.rest(0.5)
    on.terminal.send(BEGIN + "y\n" * 9 + END)
    on.terminal.until("> [pasted 9 lines]")
    on.terminal.rest(0.3)
    assert "edit wants to run" in on.terminal.text
    on.terminal.send("\x7f")
    on.terminal.answer("edit wants to run", "n")
    on.terminal.until("Done with edit.")
    assert (on.command.project / "ledger.py").read_text().endswith("return 1\n")
