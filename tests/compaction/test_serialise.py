"""The history as one text: bounded, its end kept rather than its beginning, and without what only a server reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compaction.messages import Message, as_blocks, text
from compaction.serialise import ANSWER_TOKENS, MAX_CHARS, plan_serialised, serialised
from compaction.summary import OPENING, accepted
from tests.support.histories import IMAGE, MODEL, Said, histories, view_of
from tests.support.layers import answered, called


@settings(max_examples=40)
@given(histories(max_rounds=6), st.integers(100, 4_000))
def test_it_never_takes_more_than_its_room(said: list[Said], room: int) -> None:
    """A quarter of the beginning and three of the end; what fits stands whole."""
    messages = view_of(said).messages("kept", MODEL)
    whole, cut = serialised(messages, 10**9), serialised(messages, room)
    assert len(cut) <= max(room, 60)
    if len(whole) <= room:
        assert cut == whole
        return
    head, _, rest = cut.partition("\n\n[")
    tail = rest.partition("left out here]\n\n")[2]
    assert whole.startswith(head)
    assert whole.endswith(tail)


def test_the_end_counts_three_times_as_much() -> None:
    """80,000 characters at most, and a note between the parts."""
    cut = serialised([{"role": "user", "content": [text("a" * 100_000 + "b" * 100_000)]}])
    assert len(cut) == MAX_CHARS == 80_000
    assert cut.count("a") == pytest.approx(20_000, abs=30)
    assert cut.count("b") == pytest.approx(60_000, abs=60)
    assert "[120006 characters or more are left out here]" in cut


def test_each_kind_of_block_has_its_line() -> None:
    """Calls by tool and input, failed results as such, images by name only, thinking not at all."""
    thinking = {"type": "thinking", "thinking": "secret", "signature": "s"}
    history: list[Message] = [
        {"role": "user", "content": as_blocks([text("Fix it."), IMAGE])},
        {
            "role": "assistant",
            "content": as_blocks([thinking, text("Yes."), called("c", "read", file_path="ü")]),
        },
        {
            "role": "user",
            "content": as_blocks([answered("c", [text("found"), IMAGE]), answered("d", "no", is_error=True)]),
        },
    ]
    assert serialised(history).split("\n\n") == [
        "user: Fix it.",
        "user: [an image]",
        "assistant: Yes.",
        'assistant: [call of read] {"file_path": "ü"}',
        "user: [result] found\n[an image]",
        "user: [failed] no",
    ]


def test_the_request_says_what_to_write_and_what_is_only_a_record() -> None:
    """It opens as every request for a summary does, has the focus, and two thousand tokens of room."""
    words, limit = plan_serialised([{"role": "user", "content": [text("Fix it.")]}], "the parser")
    assert limit == ANSWER_TOKENS == 2_000
    assert words.startswith(OPENING)
    assert "Above all keep what concerns: the parser" in words
    assert words.endswith("<conversation>\nuser: Fix it.\n</conversation>")
    assert "keep what concerns" not in plan_serialised([], " ")[0]
    assert accepted("1. Pending work\nnone", "end_turn")
