"""The view: grows by messages, changes only by recorded compactions, sends only the thinking that may go."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import Block, is_thinking, text
from compaction.pairs import broken_pairs
from compaction.view import Change, Origin, View
from tests.support.histories import HEAD, MODEL, Said, count, histories, view_of, words


def thinking(words: str) -> Block:
    return {"type": "thinking", "thinking": words, "signature": f"of {words}"}


def bound_view() -> View:
    """Two replies with thinking, as made by the view itself."""
    return view_of(
        [
            Said(role="user", blocks=[text("go")]),
            Said(role="assistant", blocks=[thinking("one"), text("first")]),
            Said(role="user", blocks=[text("more")]),
            Said(role="assistant", blocks=[thinking("two"), text("second")]),
            Said(role="user", blocks=[text("and more")]),
        ]
    )


def thoughts(view: View, rule: Any, model: str = MODEL) -> list[str]:
    return [cast("Any", p.block)["thinking"] for p in view.sendable(rule, model) if is_thinking(p.block)]


@given(histories())
def test_appended_blocks_are_sent_as_they_were_appended(said: list[Said]) -> None:
    """Without a compaction the messages are the appended ones, adjacent ones of one role merged."""
    view = view_of(said)

    sent = [
        (message["role"], block) for message in view.messages("kept", MODEL) for block in message["content"]
    ]

    assert sent == [(message.role, block) for message in said for block in message.blocks]
    assert broken_pairs(view.messages("kept", MODEL)) == []


@given(histories())
def test_roles_alternate_and_the_total_is_the_sum(said: list[Said]) -> None:
    """Messages alternate between user and assistant, the first is the user's, tokens add up."""
    view = view_of(said)

    roles = [message["role"] for message in view.messages("kept", MODEL)]

    assert roles == [("user", "assistant")[index % 2] for index in range(len(roles))]
    assert view.tokens == sum(count(placed.block) for placed in view)


@given(histories(), words, st.data())
def test_a_change_takes_effect_only_where_it_says(said: list[Said], word: str, data: st.DataObject) -> None:
    """Blocks that no change names keep id, place and content; new ones get ids of the compaction."""
    view = view_of(said)
    before = list(view)
    start = data.draw(st.integers(0, len(before) - 1))
    stop = data.draw(st.integers(start + 1, len(before)))
    gone = before[start:stop]

    view.apply("r99", [Change(ids=[p.id for p in gone], role="user", blocks=[text(word)])])

    after = list(view)
    assert after[:start] == before[:start]
    assert after[start + 1 :] == before[stop:]
    assert (after[start].id, after[start].block) == ("r99.0", text(word))
    assert view.tokens == sum(placed.tokens for placed in view)


@given(histories(), words)
def test_the_prefix_hash_names_the_content(said: list[Said], word: str) -> None:
    """Equal views have equal hashes; a copy is equal and changes alone; a change of content changes it."""
    view = view_of(said)
    twin = view.copy()
    assert twin.prefix_sha == view.prefix_sha == view_of(said).prefix_sha

    twin.append("r99", "user", [text(word)])

    assert twin.prefix_sha != view.prefix_sha
    assert len(twin) == len(view) + 1


def test_changing_a_block_that_does_not_stand_is_refused() -> None:
    """A compaction record that does not fit the view is a damaged log, not a silent no-op."""
    view = bound_view()

    with pytest.raises(ValueError, match=r"r9\.0"):
        view.apply("r99", [Change(ids=["r9.0"], role="user", blocks=[])])


def test_bound_thinking_follows_its_prefix() -> None:
    """Bound thinking is sent while the prefix that made it stands; `none` sends no thinking at all."""
    view = bound_view()

    assert thoughts(view, "bound") == ["one", "two"]
    assert thoughts(view, "kept") == ["one", "two"]
    assert thoughts(view, "manual") == ["one", "two"]
    assert thoughts(view, "none") == []


def test_bound_thinking_is_left_out_behind_a_change() -> None:
    """A changed prefix takes its thinking and all thinking after it out, but for the last assistant message."""
    view = bound_view()
    view.append(
        "r6",
        "assistant",
        [thinking("three"), text("third")],
        origin=Origin(model=MODEL, prefix_sha=view.prefix_sha),
    )

    view.apply("r7", [Change(ids=["r1.0"], role="user", blocks=[text("changed")])])

    assert thoughts(view, "bound") == ["three"]
    assert thoughts(view, "kept") == ["one", "two", "three"]


def test_a_change_between_replies_keeps_the_thinking_before_it() -> None:
    """What was made before the first changed block is still valid."""
    view = bound_view()
    view.append(
        "r6",
        "assistant",
        [thinking("three"), text("third")],
        origin=Origin(model=MODEL, prefix_sha=view.prefix_sha),
    )

    view.apply("r7", [Change(ids=["r3.0"], role="user", blocks=[text("changed")])])

    assert thoughts(view, "bound") == ["one", "three"]


def test_a_reply_without_thinking_breaks_no_chain() -> None:
    """Only thinking is bound: a changed prefix before a reply without any leaves later thinking to its own check."""
    view = view_of([Said(role="user", blocks=[text("go")])])
    view.append("r2", "assistant", [text("plain")], origin=Origin(model=MODEL, prefix_sha="another"))
    view.append("r3", "user", [text("more")])
    view.append("r4", "assistant", [thinking("one")], origin=Origin(model=MODEL, prefix_sha=view.prefix_sha))
    view.append("r5", "user", [text("more")])
    view.append("r6", "assistant", [thinking("two")], origin=Origin(model=MODEL, prefix_sha=view.prefix_sha))

    assert thoughts(view, "bound") == ["one", "two"]


def test_thinking_of_another_model_is_left_out() -> None:
    """A model gets only its own thinking back."""
    assert thoughts(bound_view(), "kept", model="claude-opus-5-5") == []


def test_thinking_is_no_part_of_the_prefix() -> None:
    """Leaving thinking out is not a change of the prefix: the hash does not see it."""
    with_thinking = view_of([Said(role="assistant", blocks=[thinking("x"), text("a")])])
    without = view_of([Said(role="assistant", blocks=[text("a")])])

    assert with_thinking.prefix_sha == without.prefix_sha


def test_a_result_is_whole_until_a_compaction_changes_it() -> None:
    """`is_whole` is true for a result as it was appended, false once a compaction put something in its place."""
    view = View(HEAD, count)
    view.append("r1", "user", [{"type": "tool_result", "tool_use_id": "a", "content": "long"}])
    view.append("r2", "user", [{"type": "tool_result", "tool_use_id": "b", "content": "long"}])
    short: Block = {"type": "tool_result", "tool_use_id": "a", "content": "short"}

    view.apply("r3", [Change(ids=["r1.0"], role="user", blocks=[short])])
    view.apply("r4", [])

    assert (view.is_whole("a"), view.is_whole("b"), view.is_whole("c")) == (False, True, False)
    assert (view.copy().is_whole("a"), view.copy().is_whole("b")) == (False, True)
