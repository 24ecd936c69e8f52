"""Bounded rows of texts of any length."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.terminal.excerpt import (
    HALF_BYTES,
    HEAD_ROWS,
    TAIL_ROWS,
    Source,
    excerpt,
    file_source,
    folded,
    text_source,
)
from agent.terminal.render import plain

TEXTS = st.lists(st.text(max_size=90), max_size=400).map("\n".join) | st.text(min_size=5_000, max_size=30_000)


def rows(source: Source, width: int) -> list[str]:
    found = excerpt(source, width)
    return [row for row, _ in (*found.head, *found.tail)]


@given(TEXTS, st.integers(2, 250))
def test_no_text_takes_more_rows_or_columns_than_there_are(text: str, width: int) -> None:
    """The rows are those of the whole text, from its start and to its end; only what is missing makes a gap."""
    source = text_source(text)
    whole = [row for line in text.removesuffix("\n").split("\n") for row in folded(line, width)]
    found = excerpt(source, width)
    assert all(cell_len(row) <= width for row in rows(source, width))
    if len(whole) <= HEAD_ROWS + TAIL_ROWS:
        assert ([row for row, _ in found.head], found.tail, found.left_out) == (whole, (), 0)
    else:
        assert (len(found.head), len(found.tail)) == (HEAD_ROWS, TAIL_ROWS)
        assert 1 <= found.left_out <= source.count
        assert [row for row, _ in found.head] == whole[:HEAD_ROWS]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])), st.integers(2, 30))
def test_a_folded_line_loses_nothing(line: str, width: int) -> None:
    """Its rows, one after the other, are the line."""
    assert "".join(folded(line, width)) == plain(line)


@pytest.mark.parametrize("lines", [10, 300, 400_000])
def test_a_file_is_shown_as_its_text_would_be(tmp_path: Path, lines: int) -> None:
    """Also a large one, of which only the two ends are read; its lines are counted."""
    text = "".join(f"line {number}\n" for number in range(lines))
    path = tmp_path / "out.txt"
    path.write_text(text)
    source = file_source(path)
    assert source is not None
    assert source.count == lines
    assert excerpt(source, 60) == excerpt(text_source(text), 60)
    assert (len(text) > 2 * HALF_BYTES) == bool(source.tail)


def test_a_line_as_long_as_a_file(tmp_path: Path) -> None:
    """Its two ends are shown, and that something is missing."""
    path = tmp_path / "out.txt"
    path.write_text("a" * HALF_BYTES * 3 + "z")
    source = file_source(path)
    assert source is not None
    found = excerpt(source, 40)
    assert (len(found.head), len(found.tail), found.left_out) == (HEAD_ROWS, TAIL_ROWS, 1)
    assert found.tail[-1][0].endswith("az")


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe, a folder, nothing at all."""
    os.mkfifo(tmp_path / "pipe")
    assert [file_source(tmp_path / name) for name in ("pipe", ".", "gone")] == [None] * 3
