"""Halves of surrogate pairs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.surrogates import is_encodable, joined, repaired, repaired_text

ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("Grüße 🙂", "Grüße 🙂"),
        ("\ud83d\ude42", "🙂"),
        ("\ud83d", "\ufffd"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude42\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude42", "\ufffd🙂"),
        ("caf\udce9", "caf\ufffd"),
    ],
)
def test_repaired_text(text: str, expected: str) -> None:
    """Pairs become characters, lone halves U+FFFD, one for each."""
    assert repaired_text(text) == expected


@given(ANY_TEXT)
def test_what_is_repaired_is_utf8(text: str) -> None:
    """For every text; one that was sound is not touched, and a second run changes nothing."""
    fixed = repaired_text(text)
    assert is_encodable(fixed)
    assert repaired_text(fixed) == fixed
    if is_encodable(text):
        assert fixed == joined(text) == text


def test_joined_keeps_lone_halves() -> None:
    """Only pairs are joined."""
    assert joined("\ud83d\ude42\ud83d") == "🙂\ud83d"


def test_repaired_goes_deep_and_leaves_its_input() -> None:
    """Keys and values, in lists and dictionaries; other values are passed through."""
    value = {"a\ud83d": ["\ud83d\ude42", {"b": "\ude42"}, 1, None, True]}
    assert repaired(value) == {"a\ufffd": ["🙂", {"b": "\ufffd"}, 1, None, True]}
    assert value == {"a\ud83d": ["\ud83d\ude42", {"b": "\ude42"}, 1, None, True]}
