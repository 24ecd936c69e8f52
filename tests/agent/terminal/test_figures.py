"""Numbers as a person uses them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.terminal.figures import age, dollars, seconds, short_path, times, tokens


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (812, "812"),
        (999, "999"),
        (1_000, "1k"),
        (4_149, "4.1k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (164_300, "164k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (1_949_999, "1.9M"),
    ],
)
def test_tokens(number: int, shown: str) -> None:
    """Three digits at most say it."""
    assert tokens(number) == shown


@given(st.integers(min_value=0, max_value=99_000_000))
def test_tokens_are_short_and_near(number: int) -> None:
    """Five characters at most, within 6 % of the number."""
    shown = tokens(number)
    factor = {"k": 1_000, "M": 1_000_000}.get(shown[-1], 1)
    assert len(shown) <= 5
    assert abs(float(shown.rstrip("kM")) * factor - number) <= max(1, number * 0.06)


@pytest.mark.parametrize(
    ("duration_s", "shown"),
    [(0.04, "0.0 s"), (3.21, "3.2 s"), (9.96, "10 s"), (59, "59 s"), (61, "1 min"), (4_320, "1 h 12 min")],
)
def test_seconds(duration_s: float, shown: str) -> None:
    """A unit that fits the length."""
    assert seconds(duration_s) == shown


@pytest.mark.parametrize(
    ("duration_s", "shown"), [(5, "now"), (120, "2m ago"), (7_300, "2h ago"), (200_000, "2d ago")]
)
def test_age(duration_s: float, shown: str) -> None:
    """How long ago, in one unit."""
    assert age(duration_s) == shown


def test_dollars_and_times() -> None:
    """A cost that is not all known says so; one is not a plural."""
    assert dollars(0.424, is_known=True) == "$0.42"
    assert dollars(1, is_known=False) == "$1.00+?"
    assert [times(1, "turn"), times(0, "turn"), times(2, "turn")] == ["1 turn", "0 turns", "2 turns"]


@pytest.mark.parametrize(
    ("path", "home", "shown"),
    [
        ("/home/u/code", "/home/u", "~/code"),
        ("/home/u", "/home/u", "~"),
        ("/home/user", "/home/u", "/home/user"),
        ("/x", "", "/x"),
    ],
)
def test_short_path(path: str, home: str, shown: str) -> None:
    """`~` stands for the home folder, and for nothing else."""
    assert short_path(Path(path), {"HOME": home}) == shown
