"""No thrash: making room that gets nowhere is noticed before it is tried once more, whatever the sizes."""

from hypothesis import given
from hypothesis import strategies as st

from compaction.plan import Cause, Receipt
from compaction.thrash import Progress

CAUSES: tuple[Cause, ...] = ("price", "wish", "refusal", "batch", "age")


def receipt(before: int, after: int, layer: str = "summary", cause: Cause = "size") -> Receipt:
    return Receipt(layer=layer, cause=cause, before=before, after=after)


def after(*fired: tuple[int, int, int], layer: str = "summary") -> Progress:
    """(before step, tokens before, tokens after) of each."""
    progress = Progress()
    for step, before, left in fired:
        progress = progress.with_receipt(receipt(before, left, layer), step)
    return progress


def test_refilled_at_once() -> None:
    """Freed under a quarter and over the threshold again within three steps, twice in a row; later it is not."""
    progress = after((10, 1000, 800), (13, 1000, 800))

    assert after((10, 1000, 800)).is_in_vain(13)
    assert not after((10, 1000, 800)).is_stuck(13)
    assert progress.is_stuck(16)
    assert not progress.is_stuck(17)


def test_what_freed_a_quarter_was_not_in_vain() -> None:
    """Steps that fill a small window again and again are the work's own size: it goes on for ever."""
    assert not after((10, 1000, 750), (11, 1000, 750), (12, 1000, 750)).is_in_vain(13)


def test_freed_next_to_nothing() -> None:
    """Under a tenth of the context size counts as nothing, however long it lasts."""
    assert after((10, 1000, 950), (60, 1000, 950)).is_stuck(100)
    assert not after((10, 1000, 950), (60, 1000, 800)).is_stuck(100)


def test_a_layer_in_vain_is_not_stuck() -> None:
    """The summary has not been tried."""
    progress = after((10, 1000, 950), (11, 1000, 950), layer="micro")

    assert progress.is_in_vain(12)
    assert not progress.is_stuck(12)
    assert not progress.with_receipt(receipt(1000, 950), 12).is_stuck(13)


def test_what_is_done_before_one_step_counts_as_one() -> None:
    """A layer and the summary after it make room together."""
    assert not after((10, 1000, 990), (10, 990, 300), (50, 1000, 990), (50, 990, 300)).is_in_vain(90)


def test_a_good_one_between_starts_anew() -> None:
    """Two in vain must follow one another."""
    assert not after((10, 1000, 800), (12, 1000, 800), (50, 1000, 800)).is_stuck(52)


fired_at = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 10**6), st.integers(0, 10**6)), max_size=12)


@given(fired_at)
def test_only_size_counts(fired: list[tuple[int, int, int]]) -> None:
    """What pays, was asked for or was refused never makes it stuck."""
    progress = Progress()
    for step, before, left in sorted(fired):
        for cause in CAUSES:
            progress = progress.with_receipt(receipt(before, left, cause=cause), step)

    assert progress == Progress()
    assert not any(progress.is_stuck(step) for step in range(210))


@given(fired_at)
def test_stuck_only_after_two_in_vain(fired: list[tuple[int, int, int]]) -> None:
    """Whatever happened: stuck means in vain, and that fewer than two summaries are never enough."""
    progress = after(*sorted(fired))
    for step in range(210):
        if progress.is_stuck(step):
            assert progress.is_in_vain(step)
            assert len({number for number, _, _ in fired}) >= 2
