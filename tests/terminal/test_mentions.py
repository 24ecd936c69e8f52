"""`@path` and `/command` completed on a real screen, live while keys are typed."""

from collections.abc import Iterator

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
    """Type keys one by one."""
    for key in keys:
        on.terminal.send(key)
        on.terminal.rest(0.08)


def test_letters_of_a_path(on: OnScreen) -> None:
    """The menu follows each key, Backspace too; Tab takes a choice, and the prompt says the path as it reads."""
    typed(on, "explain @bill")
    on.terminal.until("  src/billing/\n")
    typed(on, "vt")
    on.terminal.until(
        lambda: "  src/billing/vat.py\n" in on.terminal.text and "invoice" not in on.terminal.text
    )
    typed(on, "\x7f\x7fvoi")
    on.terminal.until("  src/billing/invoice.py\n")
    typed(on, "\t")
    on.terminal.until("> explain @src/billing/invoice.py\n")
    typed(on, " now")
    before = len(on.asked())
    on.terminal.send("\r")
    on.terminal.until(lambda: len(on.asked()) > before and EMPTY in on.terminal.text)
    assert on.asked()[before] == "explain @src/billing/invoice.py now"


def test_a_file_that_was_just_made(on: OnScreen) -> None:
    """It is offered though the list is older; a name with a blank is put in quotes."""
    typed(on, "@late")
    on.terminal.rest(1.2)
    (on.command.project / "notes/late news.md").touch()
    typed(on, "n\x7f")
    on.terminal.until("  notes/late news.md\n")
    typed(on, "n\t")
    on.terminal.until('> @"notes/late news.md"\n')
    on.terminal.send("\x03")
    on.terminal.until(EMPTY)


def test_commands_with_what_they_do(on: OnScreen) -> None:
    """At the start of the input, each with its description."""
    typed(on, "/co")
    on.terminal.until("  /compact  ")
    on.terminal.until("  /context  what fills the context\n")
    on.terminal.send("\x03")
    on.terminal.until(EMPTY)
