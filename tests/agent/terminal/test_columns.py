"""Text that flows in a given width."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.glyphs import choose, settled
from agent.terminal.columns import flowed, labelled, one_line

WORDS = st.text(st.sampled_from("ab/é漢界·x"), min_size=1, max_size=40)


def test_lines_end_between_parts() -> None:
    """Only a part that is longer than a line is broken: between words, a longer word where the line ends."""
    assert flowed(["one 1", "two 2", "three 3"], 14) == ["one 1 · two 2", "three 3"]
    assert flowed(["a longer part than that", "b"], 14) == ["a longer part", "than that · b"]
    assert flowed(["x/" * 10], 14) == ["x/" * 7, "x/" * 3]


def test_labels_stand_beside_or_above() -> None:
    """From 60 columns on they have a column of their own; what says nothing has no label either."""
    assert labelled("stays", ["pins 3", "files 4"], 60) == ["  stays           pins 3 · files 4"]
    assert labelled("stays", ["pins 3", "files 4"], 40) == ["  stays", "    pins 3 · files 4"]
    assert [labelled("stays", ["", ""], width) for width in (40, 60)] == [[], []]


@given(st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=9), st.integers(12, 120))
def test_nothing_is_lost_and_nothing_is_wider(parts: list[str], width: int) -> None:
    """All characters stand in their order; no line is wider than it may be."""
    lines = flowed(parts, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "").replace("·", "") == (
        "".join(parts).replace(" ", "").replace("·", "")
    )


@given(st.text(max_size=60))
def test_text_from_outside_is_never_obeyed(text: str) -> None:
    """Control characters are escapes; a line stays one."""
    assert all(
        line.isprintable() or not set(line) & set("\x00\x07\x1b\n\r\x9b") for line in flowed([text], 30)
    )


def test_glyphs_where_there_is_ascii_alone() -> None:
    """Ours are replaced before a line is broken; those in text from outside stay what they are, and no wider."""
    choose(is_ascii=True)
    assert flowed(["20k → 10k", f"in {one_line('a→b')}"], 40) == ["20k -> 10k | in " + one_line("a→b")]
    assert settled(flowed([one_line("a→b")], 40)[0]) == "a→b"
    assert flowed(["20k → 10k", "x"], 12) == ["20k -> 10k", "x"]
