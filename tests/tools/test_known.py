"""What is known of a file: merging and asking."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.base import KnownFile, ToolError
from tools.known import is_covered, merge, require, shift, union

LINES = 12


def entry(
    ranges: list[list[int]], *, sha256: str = "a", is_whole: bool = False, lines: int = LINES
) -> KnownFile:
    return {"sha256": sha256, "ranges": ranges, "is_whole": is_whole, "lines": lines}


RANGES = st.lists(st.tuples(st.integers(1, LINES), st.integers(1, LINES)).map(sorted), max_size=5)
ENTRIES = st.builds(
    lambda ranges, sha256, is_whole: entry(ranges, sha256=sha256, is_whole=is_whole),
    RANGES,
    st.sampled_from("ab"),
    st.booleans(),
)
SAME = st.builds(lambda ranges, is_whole: entry(ranges, is_whole=is_whole), RANGES, st.booleans())


def numbers(ranges: list[list[int]]) -> set[int]:
    return {line for first, last in ranges for line in range(first, last + 1)}


@given(RANGES)
def test_union_keeps_the_lines_and_is_minimal(ranges: list[list[int]]) -> None:
    """The union holds the same lines, sorted, with a gap between any two ranges."""
    merged = union(ranges)

    assert numbers(merged) == numbers(ranges)
    assert all(one[1] + 1 < other[0] for one, other in pairwise(merged))


@given(SAME, SAME)
def test_merge_of_one_hash_does_not_depend_on_the_order(one: KnownFile, other: KnownFile) -> None:
    """Two results of the same content give the same knowledge in either order."""
    assert merge(one, other) == merge(other, one) or not (one["ranges"] or other["ranges"])


@given(SAME, SAME, SAME)
def test_merge_of_one_hash_is_associative(a: KnownFile, b: KnownFile, c: KnownFile) -> None:
    """How results are grouped makes no difference."""
    assert merge(merge(a, b), c) == merge(a, merge(b, c))


@given(st.none() | ENTRIES, ENTRIES)
def test_merge_is_idempotent(old: KnownFile | None, new: KnownFile) -> None:
    """Learning the same thing twice changes nothing."""
    once = merge(old, new)

    assert merge(once, new) == once


@given(ENTRIES, ENTRIES)
def test_merge_with_another_hash_replaces(old: KnownFile, new: KnownFile) -> None:
    """What was known of other content is forgotten; of the same content nothing is."""
    merged = merge(old, new)
    kept = numbers(old["ranges"]) if old["sha256"] == new["sha256"] else set()

    assert merged["sha256"] == new["sha256"]
    assert numbers(merged["ranges"]) == numbers(new["ranges"]) | kept


def test_ranges_that_cover_every_line_make_the_file_whole() -> None:
    """Reading the second half after the first is reading it to the end."""
    merged = merge(entry([[1, 6]]), entry([[7, 12]]))

    assert merged == entry([[1, 12]], is_whole=True)


def test_no_lines_are_never_covered() -> None:
    """A file whose lines were not counted does not become whole by its ranges."""
    assert not is_covered([], 0)
    assert not merge(None, entry([], lines=0))["is_whole"]


def test_the_break_inside_a_line_is_that_of_the_newest_page() -> None:
    """`cut_at` comes from the newer entry alone."""
    cut = entry([[1, 2]])
    cut["cut_at"] = "3+2000"

    assert merge(None, cut)["cut_at"] == "3+2000"
    assert "cut_at" not in merge(cut, entry([[3, 3]]))


@given(RANGES, st.integers(1, LINES), st.integers(0, 4), st.integers(0, 4))
def test_shift_follows_the_lines_through_an_edit(
    ranges: list[list[int]], at: int, removed: int, added: int
) -> None:
    """Lines before stay, lines after move, the new ones are known."""
    shifted = numbers(shift(ranges, at=at, removed=removed, added=added))
    known = numbers(ranges)
    expected = {line for line in known if line < at}
    expected |= {line + added - removed for line in known if line >= at + removed}
    expected |= set(range(at, at + added))

    assert shifted == expected


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (None, "not read in this session"),
        (entry([[1, 12]], sha256="b", is_whole=True), "changed on disk since it was read; read it again"),
        (entry([[1, 3], [5, 6]]), "only lines 1-3, 5-6 of 12 were read"),
        (entry([]), "only parts were read"),
    ],
)
def test_a_change_of_the_whole_needs_the_whole(known: KnownFile | None, words: str) -> None:
    """Unread, changed and partly read files are refused, each with its own way out."""
    with pytest.raises(ToolError, match=words):
        require(known, "a", shown="f", whole=True)


def test_a_partial_read_is_enough_for_an_edit() -> None:
    """Without `whole` only the hash counts."""
    known = entry([[1, 3]])

    assert require(known, "a", shown="f", whole=False) is known
