"""What an edit that found no place says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.miss import explain_miss

TEXT = """import os

def total(lines):
\treturn sum(lines)

def mean(lines):
\treturn total(lines) / len(lines)
"""

TAB_REASON = """Lines 3-4 of the file: the same except for whitespace.
line 4:     \\treturn sum(lines)
old_string:     return sum(lines)
column 1: the file has U+0009 TAB, old_string has U+0020 SPACE"""
LETTER_REASON = """Nearest: lines 3-6, where 2 of 4 lines agree.
line 4:     \\treturn sum(lines)
old_string: \\treturn sum(line)
column 17: the file has U+0073 LATIN SMALL LETTER S, old_string has U+0029 RIGHT PARENTHESIS"""


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("3\tdef total(lines):\n4\t\treturn sum(lines)", "carries the line-number prefix"),
        ("3\tdef totals(lines):", "carries the line-number prefix"),
        ("    return sum(lines)", "Line 4 of the file: the same except for whitespace."),
        ("def total(lines):\n    return sum(lines)", TAB_REASON),
        ("\n\ndef total(lines):\n  return sum(lines)\n\n\n", "Lines 3-4 of the file: the same"),
        ("def total(lines):\n\treturn sum(line)\n\ndef mean(lines):", LETTER_REASON),
        ("def totl(lines):", "Nearest: line 3.\nline 3:     def total(lines):"),
        ("\treturn total(lines) / len(lines)\n\nend", "Nearest: lines 7-9, where 1 of 3 lines agree."),
        ("start\nstart\nimport os\n\ndef x", "The file begins later."),
        ("quite another thing", "Nothing in the file is like it"),
        ("   ", "Nothing in the file is like it"),
        ("\n\n\n", "Nothing in the file is like it"),
    ],
)
def test_a_miss_is_explained(old: str, words: str) -> None:
    """Each usual reason is told in its own words, with the lines it is about."""
    assert words in explain_miss(TEXT, old, "")


def test_the_file_may_end_too_early() -> None:
    """Where the nearest place runs over the end, that is the reason."""
    assert "The file ends at line 2." in explain_miss("a\nbcd", "bcd\nefg", "")


def test_an_edit_made_before_is_recognised() -> None:
    """The new text stands already."""
    assert "`new_string` already stands at line 3" in explain_miss(TEXT, "def tot():", "def total(lines):")


def test_an_empty_file_is_said() -> None:
    """There is nothing to be near to."""
    assert explain_miss("", "a", "b") == "The file is empty; use write to fill it."


def test_the_differing_code_point_is_named() -> None:
    """Characters that look the same are told apart by number and name."""
    reason = explain_miss("say “hi” twice “hi”\n", 'say "hi" thrice', "")

    assert "U+201C LEFT DOUBLE QUOTATION MARK, old_string has U+0022 QUOTATION MARK" in reason


def test_a_line_that_goes_on_is_said() -> None:
    """The end of a line is where two lines can differ too."""
    assert "the file has the end of the line, old_string has U+003A" in explain_miss(
        "def a()\nx\n", "def a():\nx", ""
    )


def test_long_lines_are_cut() -> None:
    """The reason stays short."""
    reason = explain_miss("word " * 100 + "end\n", "word " * 100 + "and", "")

    assert reason.startswith("Nearest: line 1.")
    assert max(map(len, reason.split("\n"))) < 200


def test_what_cannot_be_shown_is_escaped() -> None:
    """Undecodable bytes and carriage returns in the named line are written out."""
    assert "line 1:     abc\\xffdef\\r" in explain_miss("abc\udcffdef\r\nx\n", "abcXdef", "")


@given(st.text(alphabet="ab \t\n", max_size=30), st.text(alphabet="ab \t\n1", min_size=1, max_size=15))
def test_any_miss_has_a_reason(text: str, old: str) -> None:
    """There is always something to say, and it can be sent."""
    assert explain_miss(text, old, "new").strip()
