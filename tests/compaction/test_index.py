"""The index of a view tells what a look at all blocks would, after any appends, changes and copies."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from compaction.index import TAKEABLE, is_marker
from compaction.messages import chars_of, is_thinking, text
from compaction.view import Change, View
from tests.support.histories import Said, histories, view_of


def changed(view: View, at: int, width: int, words: str) -> View:
    """The view with a stretch of it in one text."""
    ids = [placed.id for placed in list(view)[at : at + width]]
    after = view.copy()
    after.apply("r900", [Change(ids=ids, role="user", blocks=[text(words)])])
    return after


views = st.builds(
    changed,
    histories(max_rounds=5).map(view_of),
    st.just(0),
    st.integers(1, 4),
    st.sampled_from(
        ["[[archived: 1-2 · 3 calls · read a/b.md]]\n- x", "[[archived: 1-2 · 3 calls · in b]]", "words"]
    ),
)


@given(views)
def test_it_is_what_a_look_at_all_blocks_says(view: View) -> None:
    """Calls with their places, sums of any stretch, replies, messages and markers."""
    blocks = list(view)
    index = view.index
    marks = [view.is_changed(placed) and is_marker(placed) for placed in blocks]
    kinds = ["marker" if mark else placed.role for mark, placed in zip(marks, blocks, strict=True)]

    assert index.calls == [(at, one) for at, one in enumerate(blocks) if one.block["type"] in TAKEABLE]
    assert index.markers == sum(marks)
    starts = [kind for before, kind in pairwise(["", *kinds]) if kind != before]
    assert index.messages == sum(kind != "marker" for kind in starts)
    for start in range(len(blocks) + 1):
        rest = blocks[start:]
        assert index.tokens(start, len(blocks)) == sum(one.tokens for one in rest)
        assert index.thinking(start, len(blocks)) == sum(one.tokens for one in rest if is_thinking(one.block))
        assert [one for _, one in index.calls_before(start)] == [
            one for one in blocks[:start] if one.block["type"] in TAKEABLE
        ]
    assert view.totals.chars == sum(chars_of(one.block) for one in blocks)


@given(histories(max_rounds=5).map(view_of))
def test_a_call_knows_its_reply(view: View) -> None:
    """All blocks of the message it stands in, and no others."""
    for _, placed in view.index.calls:
        if placed.role == "assistant":
            reply = view.index.reply_of(placed)
            assert placed in reply
            assert {one.record for one in reply} == {placed.record}


@given(histories(max_rounds=4), st.integers(1, 3))
def test_a_copy_grows_on_its_own(said: list[Said], width: int) -> None:
    """What is tried on a copy leaves the view as it was."""
    view = view_of(said)
    before = (list(view), list(view.index.calls), view.tokens, view.totals.chars, view.prefix_sha)
    after = changed(view, 0, width, "words")

    assert (list(view), list(view.index.calls), view.tokens, view.totals.chars, view.prefix_sha) == before
    assert list(after) != before[0]
