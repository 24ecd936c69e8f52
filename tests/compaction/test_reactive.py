"""What goes when a server refuses: the rest stays valid, its end stays as it was, images are kept on disk whole."""

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import is_thinking, merged
from compaction.pairs import broken_pairs
from compaction.reactive import LEFT_OUT, Lessening, has_images, images_out, lessened
from compaction.view import Placed, View
from tests.compaction.test_layers import applied, situation
from tests.support.histories import IMAGE, MODEL, TINY_PNG, Said, count, histories, view_of

lessenings = st.builds(
    Lessening,
    is_without_images=st.booleans(),
    has_previews=st.booleans(),
    fits=st.integers(0, 3_000).map(lambda most: lambda tokens: tokens <= most) | st.none(),
    drops_thinking=st.booleans(),
)


def sent(view: View) -> list[Placed]:
    return view.sendable("kept", MODEL)


@given(histories(max_rounds=6), lessenings)
def test_less_is_valid_and_never_more(said: list[Said], less: Lessening) -> None:
    """Pairs stand, the first message is the user's, the newest round's calls and results are all still there."""
    blocks = sent(view_of(said))
    left = lessened(blocks, less, count)
    messages = merged([(placed.role, placed.block) for placed in left])

    assert broken_pairs(messages) == []
    assert messages[0]["role"] == "user"
    assert sum(placed.tokens for placed in left) <= sum(
        placed.tokens for placed in blocks
    ) + 40 * less.is_without_images * len(blocks)
    assert left[-1].id == blocks[-1].id
    assert not (less.is_without_images and has_images(left))


@given(histories(max_rounds=6), st.integers(0, 3_000))
def test_the_head_goes_round_by_round(said: list[Said], most: int) -> None:
    """As much goes as is needed and no more; a note says so; no thinking stays behind a prefix that is gone."""
    blocks = sent(view_of(said))
    left = lessened(blocks, Lessening(fits=lambda tokens: tokens <= most), count)
    ids = [placed.id for placed in left]

    if sum(placed.tokens for placed in blocks) <= most:
        assert ids == [placed.id for placed in blocks if placed.id in ids]
        return
    is_cut = "left-out.0" in ids
    assert is_cut == (left[0].block == {"type": "text", "text": LEFT_OUT})
    newest = next((placed.record for placed in reversed(blocks) if placed.role == "assistant"), "")
    if is_cut:
        assert all(placed.record == newest for placed in left if is_thinking(placed.block))


@given(histories(max_rounds=6))
def test_images_go_to_disk(said: list[Said]) -> None:
    """Each is in a file byte for byte, whose path stands in its place; texts beside it stay; a second time nothing."""
    view = view_of(said)
    plan = images_out(view, situation(view))
    assert (plan is None) == (not has_images(list(view)))
    if plan is None:
        return
    after = applied(view, plan)
    shown = json.dumps(after.messages("kept", MODEL), ensure_ascii=False)
    number = json.dumps([placed.block for placed in view]).count('"type": "image"')

    assert [file.data for file in plan.files] == [TINY_PNG] * number
    assert all(f"read {file.path}]]" in shown for file in plan.files)
    assert len({file.path for file in plan.files}) == number
    assert broken_pairs(after.messages("kept", MODEL)) == []
    assert images_out(after, situation(after)) is None


def test_an_image_of_the_users_own() -> None:
    """It is kept under its block's id."""
    view = view_of([Said(role="user", blocks=[IMAGE])])  # type: ignore[list-item]
    plan = images_out(view, situation(view))

    assert plan is not None
    assert [(file.path, file.data) for file in plan.files] == [(".task_outputs/s/r1.0.png", TINY_PNG)]
    assert base64.b64decode(IMAGE["source"]["data"]) == TINY_PNG
