"""A terminal that shows ASCII alone."""

from pathlib import Path

import pytest

from agent.offline import Request, Script, always, calls, last_text_starts, says, when
from agent.offline.script import Answer
from compaction.summary import OPENING
from tests.support.screen_agent import READY, SUMMARY, OnScreen, agent_on_screen, an_edit, answer

LONG = "echo " + "long " * 80
THEIRS = "theirs: → · … ● é 日本"
BAR = "sonnet-5.5 | .......... "


def reply(request: Request) -> Answer:
    """Run a long command, say what others may say, or do as usual."""
    match request.last_text.split()[:1]:
        case ["edit"] if not request.results:
            return calls("read", file_path="ledger.py") + an_edit()
        case ["long"] if not request.results:
            return calls("bash", command=LONG) + calls("bash", command=f"echo '{THEIRS}'; false")
        case ["theirs"] if not request.results:
            return says(f"- {THEIRS}\n\n> quoted\n")
        case _:
            return answer(request)


SCRIPT = Script(always(reply), routes=[when(last_text_starts(OPENING), always(says(SUMMARY)))])


def see_done(on: OnScreen, prompt: str, sign: str) -> None:
    """Send a prompt and allow what it wants, until ``sign`` is there."""
    on.prompt(prompt)
    while sign not in on.terminal.history:
        if "[y] once" in on.terminal.text:
            on.terminal.rest(0.5)
            on.terminal.send("y")
        on.terminal.rest(0.2)


def see_command(on: OnScreen, command: str) -> None:
    """Send a command and wait until it is done."""
    on.prompt(command)
    on.terminal.until(lambda: f"> {command}" in on.terminal.history and on.terminal.lines[-2] == ">")


def see_everything(on: OnScreen) -> None:
    """Have all drawn that there is: cards, a diff, a question, a list, a menu, a compaction, lines of commands."""
    for word in ("tools", "edit", "long"):
        see_done(on, word, f"Done with {word}.")
    for command in ("/help", "/context", "/cost", "/status", "/todos", "/rewind", "/compact preview"):
        see_command(on, command)
    on.terminal.send("\x0f")
    on.terminal.until(lambda: on.terminal.history.count("echo long") > 1)
    on.prompt("/compact")
    on.terminal.until("@ summary")
    see_command(on, "/compact receipt")
    on.prompt("/clear")
    on.terminal.until("now in session")
    on.terminal.send("/")
    on.terminal.until("in all")
    on.terminal.send("\x1b[B")
    on.terminal.until(
        lambda: any(line.startswith("> /help ") and "list" in line for line in on.terminal.lines)
    )
    on.terminal.send("\x15")
    on.prompt("/resume")
    on.terminal.until("search:")
    on.terminal.until("> now ")
    on.terminal.send("\x1b")
    on.terminal.until(lambda: "search:" not in on.terminal.text)
    on.terminal.send("\x04")
    assert on.terminal.ended() == 0


def test_nothing_of_ours_is_beyond_ascii(tmp_path: Path) -> None:
    """--ascii: of all bytes that reach the terminal only those are above 0x7f that a tool wrote."""
    with agent_on_screen(tmp_path, "--ascii", script=SCRIPT) as on:
        on.terminal.until(READY)
        on.terminal.until(BAR)
        see_everything(on)
        text = bytes(on.terminal.raw).decode()
        for foreign in set(THEIRS):
            text = text.replace(foreign, "") if not foreign.isascii() else text
        assert [char for char in text if not char.isascii()] == []
        assert "* bash  echo long" in on.terminal.history
        assert "..." in on.terminal.history


def test_the_words_of_others_stay(tmp_path: Path) -> None:
    """With --ascii the model's answer and a tool's output are shown letter by letter; a bullet of ours is none."""
    with agent_on_screen(tmp_path, "--ascii", "--permission-mode", "bypass", script=SCRIPT) as on:
        on.terminal.until(READY)
        on.prompt("theirs")
        on.terminal.until(f" * {THEIRS}".replace("日本", "日"))
        on.terminal.until("| quoted")
        on.prompt("long")
        on.terminal.until("Done with long.")
        assert f"    {THEIRS}"[:20] in on.terminal.history
        assert f"* bash  echo '{THEIRS}"[:30] in on.terminal.history
        on.terminal.send("… typed")
        on.terminal.until("> … typed")


@pytest.mark.parametrize(
    "more", [{"LANG": "C"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}], ids=lambda more: next(iter(more))
)
def test_a_locale_without_them_gets_ascii_unasked(tmp_path: Path, more: dict[str, str]) -> None:
    """`LANG=C`, `LC_ALL=C`, and an output encoding of ASCII."""
    with agent_on_screen(tmp_path, more=more) as on:
        on.terminal.until(READY)
        on.terminal.until(BAR)
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0
        assert bytes(on.terminal.raw).isascii()
