"""What only reads changes nothing when it is run: a part of `python -m tests.faults.reading`."""

import random
from pathlib import Path

from tests.faults.reading import Watched, changing, commands

SOME = 150


def test_what_runs_unasked_changes_nothing(tmp_path: Path) -> None:
    """Options and words of the read-only list, run by the real programs: the project stays as it is."""
    some = random.Random(7).sample(list(commands()), SOME)
    allowed, found = changing(some, tmp_path)
    assert found == []
    assert allowed > 10


def test_a_change_is_seen(tmp_path: Path) -> None:
    """The witness does not overlook a file, a branch, a setting."""
    for command in ("echo a > F", "echo a >> a.txt", "git branch new", "git config user.name a"):
        watched = Watched.made(tmp_path)
        before = watched.state()
        watched.run(command)
        assert watched.state() != before
