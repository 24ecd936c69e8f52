"""Long pastes folded: what they stand for, whatever is done with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.surrogates import is_encodable
from agent.terminal.paste_folds import FIRST, HUGE_CHARS, LAST, MOST_CHARS, MOST_LINES, Folds

LONG = "".join(f"line {number}\n" for number in range(120))
SENDABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
PASTES = st.one_of(
    SENDABLE,
    st.builds(lambda text, times: f"{text}\n" * times, SENDABLE, st.integers(min_value=6, max_value=9)),
)


@pytest.mark.parametrize(
    ("pasted", "is_folded"),
    [
        ("\n".join(["x"] * MOST_LINES), False),
        ("x\n" * MOST_LINES, False),
        ("\n".join(["x"] * (MOST_LINES + 1)), True),
        ("x" * MOST_CHARS, False),
        ("x" * (MOST_CHARS + 1), True),
    ],
)
def test_what_is_folded(pasted: str, *, is_folded: bool) -> None:
    """Six lines or more, or over a thousand characters: then it is one character, and stands for the paste."""
    folds = Folds()
    found = folds.folded(pasted)
    assert (len(found) == 1) == is_folded
    assert folds.expanded(found) == pasted


def test_marks() -> None:
    """Each says how much it stands for: lines, or characters when the lines are few; numbered when there are several."""
    folds = Folds()
    one, other = folds.folded(LONG), folds.folded("x" * 4_200)
    assert folds.marks(f"see {one}") == ["[pasted 120 lines]"]
    assert folds.marks(f"{one} and {other}") == ["[paste 1: 120 lines]", "[paste 2: 4,200 characters]"]
    assert folds.shown(f"a {LONG} b") == "a [pasted 120 lines] b"


def test_what_is_shown_follows_the_pastes() -> None:
    """A text that was shown in full, as after a restart, is shown folded from the moment on that its paste is known."""
    folds = Folds()
    assert folds.shown(f"see {LONG}") == f"see {LONG}"
    folds.folded(LONG)
    assert folds.shown(f"see {LONG}") == "see [pasted 120 lines]"
    assert folds.shown(f"see {LONG}") == "see [pasted 120 lines]"


def test_what_looks_like_a_mark_is_text() -> None:
    """Typed or pasted, also beside a real one."""
    folds = Folds()
    text = f"[pasted 120 lines] {folds.folded(LONG)}"
    assert folds.expanded(text) == f"[pasted 120 lines] {LONG}"


@pytest.mark.parametrize("begin", ["/quit\n", "!rm -r .\n"])
def test_a_folded_paste_is_no_command(begin: str) -> None:
    """Nobody sees how it begins: at the start of the input an empty line before it makes it words, also once it is back."""
    folds = Folds()
    sent = folds.expanded(folds.folded(begin + LONG))
    assert sent == f"\n{begin}{LONG}"
    assert folds.expanded(folds.folded_again(sent)) == sent
    assert folds.expanded(f"look: {folds.folded(begin + LONG)}") == f"look: {begin}{LONG}"


@given(parts=st.lists(st.tuples(SENDABLE, PASTES), max_size=5), others=st.lists(PASTES, max_size=3))
def test_there_and_back(parts: list[tuple[str, str]], others: list[str]) -> None:
    """What was expanded and is folded again expands to the same, whatever else was pasted meanwhile."""
    folds = Folds()
    text = "".join(typed + folds.folded(pasted) for typed, pasted in parts)
    full = folds.expanded(text)
    assert is_encodable(full)
    assert full.removeprefix("\n") == "".join(typed + pasted for typed, pasted in parts).removeprefix("\n")
    for other in others:
        folds.folded(other)
    assert folds.expanded(folds.folded_again(full)) == full


def test_what_comes_back_huge_is_folded() -> None:
    """A text that no paste is known of, as after a restart: drawn whole it would slow every key."""
    folds = Folds()
    text = "word " * HUGE_CHARS
    assert len(folds.folded_again(text)) == 1
    assert folds.expanded(folds.folded_again(text)) == text


def test_too_many_pastes() -> None:
    """When no character is left, a paste stands unfolded; the others still expand."""
    folds = Folds()
    pastes = [f"{number}\n" * 6 for number in range(LAST - FIRST + 2)]
    found = [folds.folded(paste) for paste in pastes]
    assert [len(one) for one in found[-2:]] == [1, len(pastes[-1])]
    assert [folds.expanded(one) for one in found] == pastes
