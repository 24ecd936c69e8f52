"""The list to choose from: what a search finds, what moves, and how it is drawn at any size."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.terminal.picker import PREVIEW_ROWS, ROWS_FOR_PREVIEW, Choice, Column, Look, Picker, picker_lines
from agent.terminal.sessions import LOOK

SGR = re.compile("\x1b\\[[0-9;]*m")
CELLS = ("2h ago", "48 turns", "~61k", "1.3 MB", "⟲ 3", "main")
SMALL = Look(title="files", hints=("Enter takes",), columns=(Column(rank=0),), nothing="no files")


def choice(number: int, name: str = "", **about: object) -> Choice:
    """One choice with the cells of a session."""
    return Choice(**{"id": f"id{number}", "name": name or f"name {number}", "cells": CELLS, **about})  # type: ignore[arg-type]


def filled(*names: str) -> Picker:
    """A picker with these choices, and no others to come."""
    picker = Picker(is_complete=True)
    picker.put(choice(number, name) for number, name in enumerate(names))
    return picker


def shown(
    picker: Picker, look: Look = LOOK, *, width: int = 100, rows: int = 20, notice: str = "", about: str = ""
) -> list[str]:
    """The list without colours."""
    preview = [about] if about else []
    lines = picker_lines(picker, look, preview=preview, notice=notice, size=(width, rows))
    return [SGR.sub("", line) for line in lines]


def selected(picker: Picker) -> str:
    """Name of the selected choice; empty when there is none."""
    one = picker.selected
    return one.name if one is not None else ""


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Fix totals", "reverse charge", "totals of the fix", "résumé"]),
        ("fix TOTALS", ["Fix totals", "totals of the fix"]),
        ("totals fix", ["Fix totals", "totals of the fix"]),
        ("  charge ", ["reverse charge"]),
        ("rvchg", ["reverse charge"]),
        ("RÉS", ["résumé"]),
        ("id3", ["résumé"]),
        ("zz", []),
    ],
)
def test_a_search(query: str, names: list[str]) -> None:
    """Words in any order, the whole query first; letters alone only where no words fit; also what is not the name."""
    picker = Picker()
    for number, name in enumerate(["Fix totals", "reverse charge", "totals of the fix", "résumé"]):
        picker.put([choice(number, name, searched=f"id{number}")])
    picker.search(query)
    assert [one.name for one in picker.matches] == names


def test_the_name_comes_first() -> None:
    """What fits elsewhere stands below, also when it came before."""
    picker = Picker()
    picker.put([choice(0, "other", searched="title 12"), choice(1, "12 of a title"), choice(2, "Title 12")])
    picker.search("title 12")
    assert [one.id for one in picker.matches] == ["id2", "id1", "id0"]


def test_moving() -> None:
    """It stops at the ends; a search selects the first; what comes meanwhile moves nothing."""
    picker = filled("a", "b", "c")
    picker.move(-1)
    assert picker.at == 0
    picker.move(1)
    picker.put([choice(9, "d")])
    assert (picker.at, selected(picker)) == (1, "b")
    picker.move(1_000)
    assert selected(picker) == "d"
    picker.search("a")
    assert selected(picker) == "a"
    picker.search("nothing like it")
    picker.move(1)
    assert picker.selected is None


def test_the_first_that_is_offered_is_selected() -> None:
    """Not what one has already, unless the user goes there, or there is nothing else."""
    picker = Picker()
    picker.put([choice(0, "open", is_offered=False)])
    assert picker.at == 0
    picker.put([choice(1, "other")])
    assert picker.at == 1
    picker.move(-1)
    assert picker.at == 0


def test_dropping() -> None:
    """The one below is selected, at the end the one above; another that is dropped moves nothing."""
    picker = filled("a", "b", "c")
    picker.move(1)
    picker.drop("id1")
    assert selected(picker) == "c"
    picker.drop("id0")
    picker.put([choice(7, "d")])
    picker.move(1)
    picker.drop("id7")
    assert selected(picker) == "c"
    picker.drop("id2")
    assert picker.selected is None


def test_what_is_drawn() -> None:
    """Title, number, keys; the selected line has a mark, the open one its word."""
    picker = Picker(is_complete=True)
    picker.put([choice(0, "open", note="this one", is_offered=False), choice(1, "\x1b[31mx\n[bold]y")])
    head, first, second, *rest = shown(picker)
    assert head.startswith("resume a session · 2  ")
    assert head.endswith("  type to search · Enter opens · Ctrl-D deletes (asks) · Esc leaves")
    assert first == "  2h ago  48 turns  ~61k  1.3 MB  ⟲ 3  main  (this one) open"
    assert second == "▸ 2h ago  48 turns  ~61k  1.3 MB  ⟲ 3  main  \\x1b[31mx [bold]y"
    assert rest == [""] * PREVIEW_ROWS
    picker.is_complete = False
    picker.search("x")
    assert shown(picker)[0].startswith("resume a session · 1 of 2 …  ")
    assert shown(picker, notice="[y] yes")[0] == "◐ [y] yes"
    assert shown(picker, notice="[y] yes", rows=1) == ["◐ [y] yes"]
    assert shown(picker, rows=1) == [second]


def test_nothing_to_choose() -> None:
    """Three different words: nobody has looked, nothing fits, there is nothing."""
    picker = Picker()
    assert shown(picker)[1] == "  looking …"
    picker.search("x")
    assert shown(picker)[1] == "  nothing fits"
    picker.is_complete = True
    assert shown(picker, SMALL)[1] == "  no files"


def test_a_narrow_screen_drops_columns() -> None:
    """In their order, until the name has room; a column that is empty takes none."""
    picker = filled("the invoice totals are off by a cent sometimes, find out why")
    seen = {width: shown(picker, width=width)[1] for width in range(40, 201)}
    assert seen[40].startswith("▸ 2h ago  the invoice")
    assert seen[48].startswith("▸ 2h ago  48 turns  the invoice")
    assert seen[200].endswith("⟲ 3  main  the invoice totals are off by a cent sometimes, find out why")
    counts = [sum(cell in line for cell in CELLS) for line in seen.values()]
    assert counts == sorted(counts)
    bare = Picker()
    bare.put([choice(0, "x", cells=("", "", "", "", "", ""))])
    assert shown(bare)[1] == "▸ x"


@given(
    names=st.lists(st.text(max_size=60), max_size=40),
    query=st.text(max_size=4),
    by=st.integers(-50, 50),
    width=st.integers(40, 200),
    rows=st.integers(1, 50),
)
def test_it_fits_at_any_size(names: list[str], query: str, by: int, width: int, rows: int) -> None:
    """No line is wider than the screen; the selected line is seen; the height is that of all, whatever is searched."""
    picker = filled(*names)
    height = len(shown(picker, width=width, rows=rows))
    picker.search(query)
    picker.move(by)
    lines = shown(picker, width=width, rows=rows, about="about it")
    assert len(lines) == height <= rows
    assert all(cell_len(line) <= width for line in lines)
    assert sum(line.startswith("▸ ") for line in lines) == bool(picker.matches)
    assert ("about it" in lines) == (rows >= ROWS_FOR_PREVIEW)
