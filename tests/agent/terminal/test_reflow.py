"""Where what was drawn stands after the terminal has got another size."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agent.terminal.reflow import Reflow, is_wrapping

LIST = (0, 40, 40, 40, 40, 40, 8)
"""Columns used by an empty row, which the cursor rests in, five of a list, and the field."""
SMALL = (0, 8)
FAR = 1_000
"""More rows above the cursor than are ours."""


def after(used: Sequence[int], *, columns: int, rows: int) -> Reflow:
    """Return one whose rows have become more than the screen has: the terminal has its cursor in the corner."""
    reflow = Reflow()
    assert reflow.follow(used, columns=columns, rows=rows, above=0) == 0
    return reflow


@given(st.lists(st.integers(0, 200), min_size=1), st.integers(1, 250), st.integers(1, 90), st.integers(1, 90))
def test_a_row_that_is_not_ours_is_never_touched(
    used: list[int], columns: int, rows: int, above: int
) -> None:
    """As long as nothing of ours went into the scrollback, nothing above the cursor is, whatever sizes follow each other."""
    reflow = Reflow()
    assert reflow.follow(used, columns=columns, rows=rows, above=above) == 0
    assert reflow.follow(used, columns=columns, rows=rows, above=None) == 0
    assert reflow.pushed == []


def test_rows_that_fit_stay() -> None:
    """At the top of the screen too: the cursor is in the corner because we began there."""
    assert after(LIST, columns=40, rows=7).pushed == []


def test_a_terminal_that_cuts_pushes_nothing() -> None:
    """xterm shows less of a row that is too wide; counted as wrapped, rows would be erased that are not ours."""
    reflow = Reflow(is_wrapping=False)
    reflow.follow(LIST, columns=20, rows=7, above=0)
    assert reflow.pushed == []


def test_what_went_into_the_scrollback_is_gone_over_again() -> None:
    """Seven rows become twelve, of which five are pushed out; wide again they are three, above the ones drawn since."""
    reflow = after(LIST, columns=20, rows=7)
    assert reflow.pushed == [0, 40, 40]
    assert reflow.follow(SMALL, columns=40, rows=30, above=FAR) == 3
    assert reflow.follow(SMALL, columns=40, rows=30, above=FAR) == 0


def test_part_of_it_may_stay_there() -> None:
    """One row comes back, the others later; a terminal that takes nothing back has none above the first of ours."""
    reflow = after(LIST, columns=20, rows=7)
    assert reflow.follow(SMALL, columns=40, rows=7, above=0) == 0
    assert reflow.follow(SMALL, columns=40, rows=8, above=1) == 1
    assert reflow.follow(SMALL, columns=40, rows=30, above=FAR) == 2


def test_while_nobody_knows_where_it_stands_it_is_left() -> None:
    """A terminal that does not answer, or is being resized still: rather a ghost than a row that is lost."""
    reflow = after(LIST, columns=20, rows=7)
    assert reflow.follow(SMALL, columns=40, rows=30, above=None) == 0
    assert reflow.follow(SMALL, columns=40, rows=30, above=FAR) == 3


def test_a_row_may_be_cut_by_the_upper_edge() -> None:
    """Of a row of 40 columns, three at 15, the first is pushed out: a row of 15 from then on."""
    reflow = after((0, 40, 40, 8), columns=15, rows=6)
    assert reflow.pushed == [0, 15]
    assert reflow.follow(SMALL, columns=80, rows=30, above=FAR) == 2


def test_what_is_written_above_buries_it() -> None:
    """Once there is text of the session below what is in the scrollback, that text is never erased."""
    reflow = after(LIST, columns=20, rows=7)
    reflow.forget()
    assert reflow.follow(SMALL, columns=40, rows=30, above=FAR) == 0


def test_who_wraps() -> None:
    """Told by the environment; within tmux it is tmux that wraps, wherever it runs."""
    assert is_wrapping({"TERM": "xterm-256color"})
    assert is_wrapping({"TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "XTERM_VERSION": "XTerm(390)"})
    assert not is_wrapping({"TERM": "xterm", "XTERM_VERSION": "XTerm(390)"})
    assert not is_wrapping({"TERM": "screen", "STY": "1.pts"})
    assert not is_wrapping({"TERM": "linux"})
