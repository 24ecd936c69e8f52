"""What of a text is told where there is not room for all of it."""

from hypothesis import given
from hypothesis import strategies as st

from agent.instructions.budget import LEAST_BYTES, beginning

TEXTS = st.text(st.sampled_from("ab é漢🙂\n"), max_size=3 * LEAST_BYTES)


@given(text=TEXTS, room=st.integers(0, 4 * LEAST_BYTES))
def test_a_part_is_a_beginning_that_fits(text: str, room: int) -> None:
    """Never more bytes than there is room for, no character in halves, all of it where all of it fits."""
    part = beginning(text, room)
    assert text.startswith(part)
    assert len(part.encode()) <= room
    assert (part == text) == (len(text.encode()) <= room)


@given(text=TEXTS, room=st.integers(LEAST_BYTES, 4 * LEAST_BYTES))
def test_a_cut_falls_on_a_lines_end_and_wastes_little(text: str, room: int) -> None:
    """It ends after a line, unless that would leave more than half of the room unused."""
    part = beginning(text, room)
    if part != text:
        assert part.endswith("\n") or "\n" not in part[len(part) // 2 + 1 :]
        assert len(part) > len(text.encode()[:room].decode(errors="ignore")) // 2


def test_a_few_words_are_no_use() -> None:
    """Where next to nothing would fit, nothing is told: the file's name, and how to read it, must do."""
    assert beginning("x" * 1_000, LEAST_BYTES - 1) == ""
    assert beginning("x" * 1_000, LEAST_BYTES) == "x" * LEAST_BYTES
