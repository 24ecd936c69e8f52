"""Which files are warm: by touch and mention, fewer of them while one new file after the other is read."""

from hypothesis import given
from hypothesis import strategies as st

from compaction.working_set import Warmth, working_set
from tests.support.telling import edit, history, read

WARMTH = Warmth()
BIG = 9_000
"""Lines: more tokens than a scan leaves warm."""


def warm(*calls: tuple[str, dict[str, object], str]) -> set[str]:
    """The files that are warm after these calls, one a step."""
    past = history(*calls)
    return set(working_set(past, 2 * len(calls) + 1, WARMTH, is_cold=False))


def test_a_scan_leaves_little_warm() -> None:
    """The fourth new file in a row makes it one: only what fits, the newest first; fewer files all stay."""
    files = [read(f"{name}.py", end=BIG) for name in "abcd"]

    assert warm(*files[:3]) == {"a.py", "b.py", "c.py"}
    assert warm(*files) == {"d.py"}


def test_a_changed_file_stays_in_a_scan() -> None:
    """What was edited is no look in passing."""
    files = [read(f"{name}.py", end=BIG) for name in "abcd"]

    assert warm(read("e.py", end=BIG), edit("e.py", 1), *files) == {"d.py", "e.py"}


def test_a_second_look_ends_the_scan() -> None:
    """Coming back to a file shows that the files are worked with."""
    files = [read(f"{name}.py", end=BIG) for name in "abcd"]

    assert warm(*files, read("a.py", end=BIG)) == {"a.py", "b.py", "c.py", "d.py"}


calls = st.lists(
    st.one_of(
        st.sampled_from("abcdefgh").map(lambda name: read(name, end=40)),
        st.sampled_from("abcdefgh").map(lambda name: edit(name, 3)),
    ),
    max_size=60,
)


@given(calls, st.booleans())
def test_the_newest_file_is_always_warm(
    made: list[tuple[str, dict[str, object], str]], is_cold: bool
) -> None:
    """At most so many, all of them touched, and what was touched last among them."""
    past = history(*made)
    found = working_set(past, 2 * len(made) + 1, WARMTH, is_cold=is_cold)

    assert len(found) <= WARMTH.most
    assert set(found) <= set(past.touched)
    if made:
        assert made[-1][1]["file_path"] in found
