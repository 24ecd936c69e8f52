"""Up and Down in a draft whose lines take several rows of the screen."""

from functools import partial
from pathlib import Path

from tests.support.screen_agent import READY, OnScreen, agent_on_screen

WORDS = " ".join(f"word{number:02}" for number in range(24))
"""167 characters: three rows and a bit of 50 columns."""


def drafted(on: OnScreen) -> str:
    """Return the rows of the input, as one text."""
    rows = on.terminal.lines
    first = max(at for at, row in enumerate(rows) if row.startswith("> "))
    return "\n".join(rows[first:-1])


def test_up_goes_a_row_up_before_it_goes_to_the_history(tmp_path: Path) -> None:
    """In a long line Up moves row by row, to the same column; only from the first row to what was typed before."""
    with agent_on_screen(tmp_path, columns=50, rows=20) as on:
        on.terminal.until(READY.rstrip("k"))
        on.prompt("earlier")
        on.terminal.until("You said earlier.")
        on.terminal.send(WORDS)
        on.terminal.until("word23")
        rows = len(drafted(on).split("\n"))
        assert rows > 3
        for row in range(rows - 1):
            on.terminal.send("\x1b[A")
            on.terminal.until(partial(is_in_row, on, bottom(on) - 1 - row))
        on.terminal.send("HERE")
        on.terminal.until(lambda: "HERE" in drafted(on).split("\n")[0])
        on.terminal.send("\x1b[B")
        on.terminal.until(partial(is_in_row, on, bottom(on) - rows + 2))
        on.terminal.send("\x1b[A\x1b[A")
        on.terminal.rest(0.3)
        on.terminal.send("\x1b[A")
        on.terminal.until(lambda: drafted(on) == "> earlier")
        on.terminal.send("\x1b[B")
        on.terminal.until(lambda: "HERE" in drafted(on))


def test_rows_that_are_scrolled_away_are_gone_to_as_well(tmp_path: Path) -> None:
    """A line of more rows than the input shows: so many Ups lead to its first row, and not to what was typed before."""
    with agent_on_screen(tmp_path, columns=50, rows=20) as on:
        on.terminal.until(READY.rstrip("k"))
        on.prompt("earlier")
        on.terminal.until("You said earlier.")
        on.terminal.send("first " + WORDS * 5)
        on.terminal.until("word23")
        for _ in range(40):
            on.terminal.send("\x1b[A")
            on.terminal.rest(0.05)
            if "> first" in drafted(on).split("\n")[0]:
                break
        on.terminal.until(lambda: drafted(on).startswith("> first word00"))


def is_in_row(on: OnScreen, row: int) -> bool:
    """Return whether the cursor stands in that row of the screen."""
    return on.terminal.cursor_row == row


def bottom(on: OnScreen) -> int:
    """Return the row of the screen that the input ends in."""
    return max(at for at, row in enumerate(on.terminal.screen.display) if row.strip()) - 1
