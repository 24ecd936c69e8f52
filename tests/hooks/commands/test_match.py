"""Matchers: whole names, lists of them, regular expressions; capitals never count."""

import pytest

from hooks.commands.match import Matcher, MatcherError
from hooks.commands.spelling import names_of

CASES: list[tuple[str, str, bool]] = [
    ("", "bash", True),
    ("*", "bash", True),
    (".*", "bash", True),
    ("Bash", "bash", True),
    ("bash", "bash", True),
    ("BASH", "bash", True),
    ("Bash", "read", False),
    ("edit", "todo_write", False),
    ("edit", "todo_edit", False),
    ("todo", "todo_write", False),
    ("TodoWrite", "todo_write", True),
    ("write|edit", "edit", True),
    ("Write|Edit", "write", True),
    ("Edit, Write", "write", True),
    (" Edit | Write ", "write", True),
    ("write|edit", "todo_write", False),
    ("MultiEdit", "edit", True),
    ("Task", "task", True),
    ("Agent", "task", True),
    ("Skill", "load_skill", True),
    ("Glob", "glob", True),
    ("^Edit$", "edit", True),
    ("Todo.*", "todo_write", True),
    ("^write$", "todo_write", False),
    ("mcp__.*", "bash", False),
    ("compact", "compact", True),
]


@pytest.mark.parametrize(("matcher", "tool", "expected"), CASES)
def test_matchers_of_tools(matcher: str, tool: str, expected: bool) -> None:
    """Names go by ours and by those there; a plain name is a whole name, and never a part of another."""
    assert Matcher(matcher).matches(names_of(tool)) is expected


@pytest.mark.parametrize("matcher", ["[", "*bash", "(", "a{99999999999999}"])
def test_what_is_no_regular_expression(matcher: str) -> None:
    """Is an error, and never a hook that does not fire."""
    with pytest.raises(MatcherError, match="is no regular expression"):
        Matcher(matcher)
