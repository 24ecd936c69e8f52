"""`@path` and `/command` completed on a real screen, live while keys are typed."""

from collections.abc import Iterator
from functools import partial

import pytest

from agent.offline import Script, always
from tests.support.screen_agent import READY, OnScreen, agent_on_screen, answer

EMPTY = "\n>\nsonnet"


@pytest.fixture(scope="module")
def on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnScreen]:
    """One agent for all of these, which leave it idle with an empty input."""
    root = tmp_path_factory.mktemp("mentions")
    with agent_on_screen(root, script=Script(always(answer))) as on:
        for name in ("src/billing/invoice.py", "src/billing/vat.py", "notes/last year.md"):
            (on.command.project / name).parent.mkdir(parents=True, exist_ok=True)
            (on.command.project / name).touch()
        on.terminal.until(READY)
        yield on
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        assert on.server.refusals == []


def typed(on: OnScreen, keys: str) -> None:
    """Type keys one by one, each when the one before stands in the input."""
    so_far = in_the_input(on)
    for key in keys:
        so_far = so_far[:-1] if key == "\x7f" else so_far + key
        on.terminal.send(key)
        on.terminal.until(partial(stands, on, so_far))


def stands(on: OnScreen, wanted: str) -> bool:
    """True when that stands in the input; blanks at its end are not seen."""
    return in_the_input(on) == wanted.rstrip()


def in_the_input(on: OnScreen) -> str:
    """Return what stands in the input, which is one line here."""
    line = next(line for line in reversed(on.terminal.lines) if line.startswith(">"))
    return line.removeprefix(">").removeprefix(" ")


def test_letters_of_a_path(on: OnScreen) -> None:
    """The menu follows each key, Backspace too; Tab takes a choice, and the prompt says the path as it reads."""
    typed(on, "explain @bill")
    on.terminal.until("  src/billing/\n")
    typed(on, "vt")
    on.terminal.until(
        lambda: "  src/billing/vat.py\n" in on.terminal.text and "invoice" not in on.terminal.text
    )
    typed(on, "\x7f\x7fvoi")
    on.terminal.until(
        lambda: "  src/billing/invoice.py\n" in on.terminal.text and "vat" not in on.terminal.text
    )
    on.terminal.send("\t")
    on.terminal.until("> explain @src/billing/invoice.py\n")
    typed(on, " now!")
    before = len(on.asked())
    on.terminal.send("\r")
    on.terminal.until(lambda: len(on.asked()) > before and EMPTY in on.terminal.text)
    assert on.asked()[before] == "explain @src/billing/invoice.py now!"


def test_a_file_that_was_just_made(on: OnScreen) -> None:
    """It is offered though the list is older; a name with a blank is put in quotes."""
    typed(on, "@late")
    (on.command.project / "notes/late news.md").touch()
    for _ in range(20):
        on.terminal.rest(1.1)
        typed(on, "n\x7f")
        if "  notes/late news.md\n" in on.terminal.text:
            break
    typed(on, "new")
    on.terminal.until("  notes/late news.md\n")
    on.terminal.send("\t")
    on.terminal.until('> @"notes/late news.md"\n')
    on.terminal.send("\x03")
    on.terminal.until(EMPTY)


def test_commands_with_what_they_do(on: OnScreen) -> None:
    """At the start of the input, each with its description."""
    typed(on, "/co")
    on.terminal.until("  /compact [focus]                  summarise now")
    on.terminal.until("  /context                          what fills the context")
    on.terminal.until("  /commit [what to commit, or how]  built in: ")
    typed(on, "mp")
    on.terminal.until(lambda: "  /compact [focus]  " in on.terminal.text and "/cost" not in on.terminal.text)
    on.terminal.send("\t")
    on.terminal.until("  preview  what would leave the context, without doing it\n")
    on.terminal.send("u")
    on.terminal.until("> /compact u\n")
    typed(on, "n")
    on.terminal.until(lambda: "  undo  " in on.terminal.text and "  preview  " not in on.terminal.text)
    on.terminal.send("\t")
    on.terminal.until("> /compact undo\n")
    assert on.terminal.history.count("/compact undo") == 1
    on.terminal.send("\x03")
    on.terminal.until(EMPTY)
