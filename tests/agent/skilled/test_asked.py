"""Which words ask for a skill."""

import pytest

from agent.skilled.asked import Asked, asked, named, nearest
from agent.skilled.taken import COMMANDS
from agent.terminal import commands

SKILLS = ("commit", "cost", "pdf.tools")


@pytest.mark.parametrize(
    ("words", "name", "given"),
    [
        ("/commit", "commit", ""),
        ("/commit only the tests", "commit", "only the tests"),
        ("  /commit\tthis ", "commit", "this"),
        ("/commit\nthe tests\n\nand more", "commit", "the tests\n\nand more"),
        ("/skill:commit x", "commit", "x"),
        ("/skill:cost", "cost", ""),
        ("/pdf.tools a", "pdf.tools", "a"),
    ],
)
def test_words_that_ask(words: str, name: str, given: str) -> None:
    """A slash and the name of a skill; `/skill:` where a command has that name."""
    assert asked(words, SKILLS, COMMANDS) == Asked(name=name, given=given)


@pytest.mark.parametrize(
    "words",
    [
        "/cost",
        "/Commit",
        "/commits",
        "/commit/x",
        "/ commit",
        "commit",
        "say /commit",
        "",
        "/",
        "/skill:",
        "/skill:nope",
    ],
)
def test_words_that_do_not(words: str) -> None:
    """A command wins; a path, another spelling, or a word in the middle is no request."""
    assert asked(words, SKILLS, COMMANDS) is None


@pytest.mark.parametrize(
    ("words", "name"),
    [("/foo bar", "foo"), ("/skill:foo", "skill:foo"), ("/etc/hosts is odd", ""), ("foo", ""), ("/", "")],
)
def test_the_name_at_the_head(words: str, name: str) -> None:
    """What would be a command or skill, whether there is one or not; a path is none."""
    assert named(words) == name


def test_the_nearest_names() -> None:
    """Slips of case and letters are understood, the prefix is no part of a name."""
    assert nearest("Comit", SKILLS)[0] == "commit"
    assert nearest("skill:comit", SKILLS)[0] == "commit"
    assert nearest("zzzz", SKILLS) == []


def test_the_names_that_are_taken() -> None:
    """They are those of the screen's commands: a skill with one of them needs `/skill:` everywhere."""
    assert commands.COMMANDS.keys() == COMMANDS
