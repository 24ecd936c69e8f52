"""Another size of the window, in a terminal that wraps what it shows anew."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Reply, Request, Script, always, says
from agent.offline.script import Always
from tests.support.command import Command
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import PARAGRAPH, READY, agent_command, agent_on_screen, answer
from tests.support.tmux import Tmux, is_missing

in_tmux = pytest.mark.skipif(is_missing(), reason="there is no tmux here")
WIDTHS = (70, 100, 60, 90, 50, 110)
DRAFT = "a draft that is long enough to be wrapped when the window is made as narrow as it will be"


@in_tmux
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


STILL_S = 0.8
PICKED_FROM = 12
"""Sessions in the list: with its preview it is 21 rows high."""
SIZES = ((100, 6), (100, 36), (47, 10), (110, 30), (66, 5), (90, 23), (58, 12), (100, 90))
"""Columns and rows; the last so many that all that was pushed out of the window is in it again."""


@in_tmux
def test_a_high_list_leaves_no_ghosts(tmp_path: Path) -> None:
    """A window far lower than the list of sessions, and high again: the list is there once, what was said as well."""
    with tmux_agent(tmp_path, always(answer)) as tmux:
        for number in range(PICKED_FROM):
            say(tmux, f"hello{number} there", f"You said hello{number}.")
            say(tmux, "/clear", "back with /resume", times=number + 1)
        before = squeezed(tmux.history).rpartition(">")[0]
        tmux.type("/resume")
        tmux.until("> /resume")
        tmux.press("Enter")
        until_still(tmux, "type to search")
        for columns, rows in SIZES:
            tmux.resize(columns, rows)
            until_still(tmux, "Esc")
        history = squeezed(tmux.history)
        once = (f"{before}>/resumeresumeasession", "resumeasession", "search:", READY)
        tmux.press("Escape")
        tmux.until(lambda: "search:" not in tmux.text)
        closed = squeezed(tmux.history).count(f"{before}>/resume>sonnet")
        tmux.press("C-d")
        tmux.until("ended with 0")
        counts = {text: history.count(text) for text in once} | {"closed": closed}
        assert set(counts.values()) == {1}, counts


STORM = (72, 24), (110, 40), (95, 16), (48, 30), (120, 20), (63, 36), (101, 14), (55, 28), (88, 45), (70, 18)
ROUNDS = 2
PARTS = 9


LOW = (
    ((40, 10), (30, 7)),
    ((40, 10), (24, 6)),
    ((60, 12), (20, 12)),
    ((40, 10), (30, 7), (160, 40), (30, 7)),
)
"""Sizes in which the rows of the menu wrap, and push the field out of the window."""


@in_tmux
@pytest.mark.parametrize("sizes", LOW)
def test_a_menu_that_wraps_leaves_no_ghosts(tmp_path: Path, sizes: Sequence[tuple[int, int]]) -> None:
    """Of the field in the scrollback nothing is left once the window is large: menu, field and what was said are there once."""
    with MessagesServer(Script(always(answer))) as server:
        command = Command(root=tmp_path, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        with Tmux(agent_command(), cwd=command.project, env=env, columns=100) as tmux:
            tmux.until(READY)
            tmux.type("!seq 3")
            tmux.until("> !seq 3")
            tmux.press("Enter")
            tmux.until("1\n2\n3\n\n>")
            tmux.type("/")
            tmux.until("in all")
            for columns, rows in (*sizes, (120, 40)):
                tmux.resize(columns, rows)
                time.sleep(STILL_S)
                tmux.until(lambda: "> /" in tmux.text and READY in tmux.text.splitlines()[-1])
            tmux.until("in all")
            counted = {
                word: tmux.history.count(word)
                for word in ("/help [com", "/compact [", "in all", "> /\n", "\n2\n")
            }
            assert set(counted.values()) == {1}, counted


@in_tmux
def test_a_storm_of_sizes_while_an_answer_streams(tmp_path: Path) -> None:
    """Each paragraph stands there once and whole, no frame's rest anywhere; what was typed meanwhile is the draft."""
    draft = "".join(f"k{number}" for number in range(len(STORM) * ROUNDS))
    once = (
        READY,
        draft,
        ">streamplease",
        *(f"{mark}{n}." for mark in ("begin", "end") for n in range(PARTS)),
    )
    history = after_storm(tmp_path, draft)
    assert {text: count for text in once if (count := history.count(text)) != 1} == {}


def after_storm(root: Path, draft: str) -> str:
    """Let an answer stream and type while the sizes change; return all that stands there afterwards, squeezed."""
    with tmux_agent(root, always(parts), columns=110) as tmux:
        tmux.type("stream please")
        tmux.until("> stream please")
        tmux.press("Enter")
        tmux.until("answering")
        for number, (columns, rows) in enumerate(STORM * ROUNDS):
            tmux.resize(columns, rows)
            tmux.type(f"k{number} ")
        tmux.resize(110, 90)
        tmux.until(lambda: f"end{PARTS - 1}." in tmux.history and READY in tmux.text)
        tmux.until(lambda: "answering" not in tmux.text and draft in squeezed(tmux.text))
        until_still(tmux, READY)
        history = squeezed(tmux.history)
        tmux.press("C-u")
        tmux.press("C-d")
        tmux.until("ended with 0")
        return history


def until_still(tmux: Tmux, wanted: str) -> None:
    """Wait until ``wanted`` stands there and nothing moves any more."""
    before = ""

    def is_still() -> bool:
        nonlocal before
        time.sleep(STILL_S)
        last, before = before, tmux.text
        return wanted in before and last == before

    tmux.until(is_still)


@pytest.mark.parametrize("is_deaf", [False, True])
def test_the_terminal_is_asked(tmp_path: Path, is_deaf: bool) -> None:
    """After a resize it is asked where the cursor is; one that gives no answer is drawn on all the same, and one that
    does gets nothing typed by it.
    """
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        on.terminal.is_deaf = is_deaf
        for number, columns in enumerate((60, 90, 70)):
            on.terminal.resize(columns, 30)
            on.terminal.send(f"w{number}")
            draft = "> " + "".join(f"w{typed}" for typed in range(number + 1))
            on.terminal.until(partial(is_shown, on.terminal, draft))
        assert b"\x1b[6n" in on.terminal.raw
        assert on.terminal.lines[-2] == "> w0w1w2"
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        assert on.terminal.is_restored()


def is_shown(terminal: Terminal, draft: str) -> bool:
    """Tell whether the last rows are the draft and the bar."""
    return terminal.lines[-2:-1] == [draft] and READY in terminal.lines[-1]


def parts(_: Request) -> Reply:
    """Answer in paragraphs that can be told apart."""
    text = "".join(f"Begin{number}. {PARAGRAPH.strip()} End{number}.\n\n".lower() for number in range(PARTS))
    return says(text, pace_s=0.04, chunk_chars=5)


@contextmanager
def tmux_agent(root: Path, turn: Always, *, columns: int = 100) -> Generator[Tmux]:
    """Start `agent` in tmux against a model that takes this turn again and again."""
    with MessagesServer(Script(turn)) as server:
        command = Command(root=root, url=server.url)
        env = {**command.env, "TERM": "xterm-256color"}
        with Tmux(agent_command(), cwd=command.project, env=env, columns=columns, rows=36) as tmux:
            tmux.until(READY)
            yield tmux


def say(tmux: Tmux, line: str, wanted: str, times: int = 1) -> None:
    """Send a line and wait until ``wanted`` stands there so many times."""
    tmux.type(line)
    tmux.until(f"> {line}")
    tmux.press("Enter")
    tmux.until(lambda: tmux.history.count(wanted) == times)


def squeezed(text: str) -> str:
    """Return a text without blanks and line ends: wherever it is wrapped, it is the same."""
    return "".join(text.split())


def until_shown(tmux: Tmux, draft: str) -> None:
    """Wait until the last rows are the draft and the bar."""

    def is_shown() -> bool:
        *rows, bar = tmux.text.splitlines()
        return READY in bar and "".join("".join(rows).split()).endswith("".join(draft.split()))

    tmux.until(is_shown)
