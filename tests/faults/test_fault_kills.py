"""The loops over kills and failed writes, a few of each; the whole by `python -m tests.faults.kills`."""

import pytest

from tests.faults.kills import at_random, at_writes, is_clean


def test_killed_at_random_moments() -> None:
    """Each session goes on, no request is refused, nothing committed is lost."""
    tally = at_random(2, seed=7)
    assert (tally.kills, tally.resumes) == (2, 2)
    assert is_clean(tally), tally


@pytest.mark.parametrize("way", ["cut", "half"])
def test_some_writes(way: str) -> None:
    """Died in the middle of a write, or refused there: the same."""
    tally = at_writes(way, 97, most=130)
    assert tally.kills == 2
    assert is_clean(tally), tally
