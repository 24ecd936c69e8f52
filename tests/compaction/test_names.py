"""The names that stay when a result leaves."""

from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import Block
from compaction.names import CHARS_A_NAME, HEADING, MOST, NAME, names_line, names_said


def padded(words: str) -> str:
    """Long enough for a name for each of its words."""
    return words + " -" * CHARS_A_NAME * len(words.split())


def test_the_most_frequent_names_stay() -> None:
    """In order of how often they stand; equal ones by the alphabet; short words are no names."""
    text = padded("parse_line other_name parse_line x = 12 zeta_name")
    assert names_line(text, ()) == f"{HEADING}parse_line other_name zeta_name"


def test_known_names_are_left_out() -> None:
    """What the model wrote itself stands in the view anyway."""
    text = padded("parse_line other_name")
    assert names_line(text, {"parse_line"}) == f"{HEADING}other_name"
    assert names_line(text, {"parse_line", "other_name"}) == ""


def test_a_line_that_stands_is_kept() -> None:
    """A placeholder that leaves in its turn hands its names on."""
    assert names_line(f"[[kept: 1-0-bash]]\n{HEADING}a_name_of_old", ()) == f"{HEADING}a_name_of_old"


def test_data_is_no_name() -> None:
    """A run of letters as long as a line is data."""
    assert names_line("z" * 20_000, ()) == ""


@given(st.text(alphabet="abcdefg_ \n1", max_size=9_000))
def test_a_line_is_short(text: str) -> None:
    """At most so many names, and one for so many characters; all of them stand in the text."""
    names = names_line(text, ()).removeprefix(HEADING).split()
    assert len(names) <= min(MOST, len(text) // CHARS_A_NAME)
    assert set(names) <= set(NAME.findall(text))


def test_names_are_said_in_words_and_inputs() -> None:
    """Of the model and the user; results say nothing."""
    use: Block = {
        "type": "tool_use",
        "id": "a",
        "name": "bash",
        "input": {"command": "\nmake_all now", "n": 3},
    }
    words: Block = {"type": "text", "text": "Look at parse_line."}
    shown: Block = {"type": "tool_result", "tool_use_id": "a", "content": "found_name"}
    assert [names_said(block) for block in (use, words, shown)] == [{"make_all"}, {"parse_line"}, set()]
