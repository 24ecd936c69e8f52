"""Where what was drawn stands after the terminal has got another size."""

from agent.terminal.reflow import Reflow, is_wrapping

LIST = (0, 40, 40, 40, 40, 40, 8)
"""Columns used by an empty row, five of a list, and the field with the cursor."""
SMALL = (0, 40, 8)
FIELD = 8
FAR = 1_000
"""More rows above the cursor than are ours."""


def test_rows_that_become_too_wide_count_more() -> None:
    """A row of 40 columns is two rows at 39; at the same width, or a greater one, all are where they were."""
    assert Reflow().follow(LIST, FIELD, columns=39, on_screen=FAR) == 11
    assert Reflow().follow(LIST, FIELD, columns=90, on_screen=FAR) == 6


def test_a_terminal_that_cuts_moves_nothing() -> None:
    """xterm shows less of a row that is too wide; counted as wrapped, rows would be erased that are not ours."""
    assert Reflow(is_wrapping=False).follow(LIST, FIELD, columns=20, on_screen=FAR) == 6


def test_what_went_into_the_scrollback_is_gone_over_again() -> None:
    """Of six rows above the cursor three are left on the screen; when it grows, the other three are over the new ones."""
    reflow = Reflow()
    assert reflow.follow(LIST, FIELD, columns=50, on_screen=3) == 3
    assert reflow.follow(SMALL, FIELD, columns=50, on_screen=FAR) == 2 + 3
    assert reflow.follow(LIST, FIELD, columns=50, on_screen=FAR) == 6


def test_part_of_it_may_stay_there() -> None:
    """One row comes back, the other two later; a terminal that takes nothing back has none above the first of ours."""
    reflow = Reflow()
    reflow.follow(LIST, FIELD, columns=50, on_screen=3)
    assert reflow.follow(SMALL, FIELD, columns=50, on_screen=2) == 2
    assert reflow.follow(SMALL, FIELD, columns=50, on_screen=3) == 3
    assert reflow.follow(SMALL, FIELD, columns=50, on_screen=FAR) == 2 + 2


def test_a_row_may_be_cut_by_the_upper_edge() -> None:
    """Two rows of 40 columns are six at 15; what is left of the second in the scrollback is joined with what follows."""
    reflow = Reflow()
    assert reflow.follow((40, 40, 8), FIELD, columns=15, on_screen=2) == 2
    assert reflow.follow((10, 8), FIELD, columns=80, on_screen=FAR) == 2  # 40, 15 + 10, the field


def test_the_row_of_the_cursor_may_go_as_well() -> None:
    """Rows below it that become two each push it out: it comes back with half of the first of them."""
    reflow = Reflow()
    reflow.lose((0, 8, 40, 40, 40, 5), 4, columns=20, rows=6)
    assert (reflow.pushed, reflow.is_cut) == ([0, 8, 20], True)
    assert reflow.follow((0, 8), FIELD, columns=80, on_screen=FAR) == 4
    reflow.lose((0, 8, 40, 40), 2, columns=20, rows=6)
    assert (reflow.pushed, reflow.is_cut) == ([0, 8], False), "it has gone, wherever the rows below have"


def test_what_is_written_above_buries_it() -> None:
    """Once there is text of the session below what is in the scrollback, that text is never erased."""
    reflow = Reflow()
    reflow.follow(LIST, FIELD, columns=50, on_screen=3)
    reflow.forget()
    assert reflow.follow((0, 8), FIELD, columns=50, on_screen=FAR) == 1


def test_who_wraps() -> None:
    """Told by the environment; within tmux it is tmux that wraps, wherever it runs."""
    assert is_wrapping({"TERM": "xterm-256color"})
    assert is_wrapping({"TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "XTERM_VERSION": "XTerm(390)"})
    assert not is_wrapping({"TERM": "xterm", "XTERM_VERSION": "XTerm(390)"})
    assert not is_wrapping({"TERM": "screen", "STY": "1.pts"})
    assert not is_wrapping({"TERM": "linux"})
