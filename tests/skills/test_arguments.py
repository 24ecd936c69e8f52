"""Placeholders of skills: what was said behind their names stands where their text wants it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.arguments import filled


@pytest.mark.parametrize(
    ("body", "said", "made"),
    [
        pytest.param("Fix $ARGUMENTS.", "issue 12", "Fix issue 12.", id="all"),
        pytest.param("Fix [$ARGUMENTS]", "", "Fix []", id="all of nothing"),
        pytest.param("$ARGUMENTS", 'a "b c"', 'a "b c"', id="all as it was typed"),
        pytest.param("$ARGUMENTS[0] to $ARGUMENTS[1]", "a b", "a to b", id="indexed from 0"),
        pytest.param("$0 to $1", "a b", "a to b", id="counted from $0"),
        pytest.param("$1 to $2", "a b", "a to b", id="counted from $1"),
        pytest.param(
            "$1 in `$2.tsx`", "'my app' Box", "my app in `Box.tsx`", id="quotes hold words together"
        ),
        pytest.param("move $topic", "x", "move x", id="named"),
        pytest.param("move $topics", "x", "move $topics", id="another name"),
        pytest.param("awk '{print $1}'", "", "awk '{print $1}'", id="a shell's, nothing given"),
        pytest.param("$1 and $3", "a b", "a and $3", id="no such word"),
        pytest.param(r"\$1 and $1", "a", "$1 and a", id="escaped"),
        pytest.param(r"\$HOME and $HOME", "a", r"\$HOME and $HOME", id="a shell's variable"),
        pytest.param("$1.50, $100, $1,000", "a b", "$1.50, $100, $1,000", id="money"),
        pytest.param("$ARGUMENTSX", "a", "$ARGUMENTSX", id="a longer name"),
        pytest.param("$ARGUMENTS", "$1 \\1", "$1 \\1", id="what is put is not looked at again"),
        pytest.param("say $1", "it's so", "say it's", id="an apostrophe opens nothing"),
    ],
)
def test_what_stands_for_what(body: str, said: str, made: str) -> None:
    """As the agents document it that skills in public repositories were written for."""
    assert filled(body, said, ("topic",))[0] == made


@pytest.mark.parametrize(
    ("body", "said", "is_used"),
    [
        ("no place", "a", False),
        ("$ARGUMENTS", "", True),
        ("$1", "a", True),
        ("$1", "", False),
        (r"\$1", "a", False),
    ],
)
def test_it_is_told_whether_there_was_a_place(body: str, said: str, *, is_used: bool) -> None:
    """Without one the words must follow the text, or they would be lost."""
    assert filled(body, said)[1] == is_used


@given(st.text(st.sampled_from("ab $10\\[]AGRUMENTS\"' \n"), max_size=60), st.text(max_size=30))
def test_a_text_without_a_dollar_is_left_as_it_is(body: str, said: str) -> None:
    """Whatever is given, only placeholders change; and nothing that can be typed breaks it."""
    bare = body.replace("$", "")
    assert filled(bare, said) == (bare, False)
    made, is_used = filled(body, said)
    assert is_used or made.replace("\\", "") == body.replace("\\", "")
