"""How many turns are left: from the growth of the newest turns."""

from hypothesis import given
from hypothesis import strategies as st

from compaction.pace import TURNS, Pace


def after(*sizes: int) -> Pace:
    """A pace after turns that ended with these sizes."""
    pace = Pace()
    for size in sizes:
        pace = pace.ended(size)
    return pace


def test_blank_before_the_third_turn() -> None:
    """One turn tells nothing, two have one growth."""
    assert [after(*sizes).turns_left(900) for sizes in ((), (100,), (100, 200), (100, 200, 400))] == [
        None,
        None,
        9,
        6,
    ]


def test_blank_when_nothing_grows() -> None:
    """A context that stands still or falls will not fill up."""
    assert after(100, 100, 100).turns_left(900) is None
    assert after(300, 200, 100).turns_left(900) is None


def test_none_are_left_over_the_threshold() -> None:
    """0, not a negative number."""
    assert after(100, 200, 300).turns_left(-5) == 0


def test_only_the_newest_turns_count() -> None:
    """The mean of five."""
    assert after(0, 50_000, *range(50_100, 50_600, 100)).turns_left(1_000) == 10
    assert len(after(*range(20)).growths) == TURNS


def test_a_summary_is_no_growth() -> None:
    """The turn in which the history was summarised says nothing; what was learnt before stays."""
    assert after(100, 200, 300).broken().ended(50).ended(150).growths == (100, 100, 100)


@given(st.lists(st.integers(0, 10_000), max_size=12), st.integers(-1_000, 100_000))
def test_never_negative(sizes: list[int], room: int) -> None:
    """Whatever the sizes were."""
    left = after(*sizes).turns_left(room)

    assert left is None or left >= 0
