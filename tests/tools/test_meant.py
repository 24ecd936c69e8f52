"""A tool that does not exist is answered with the one that does its work, where the agent has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.meant import _INSTEAD, meant
from tools.registry import default_tools

ALL = [tool.name for tool in default_tools()]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Read", "Did you mean `read`?"),
        ("functions.bash", "Did you mean `bash`?"),
        ("default_api:glob", "Did you mean `glob`?"),
        ("TodoWrite", "Did you mean `todo_write`?"),
        ("mcp__files__write", "Did you mean `write`?"),
        ("Grep", "Search with `rg` in `bash`."),
        ("list_dir", "List with `glob`."),
        ("run_terminal_cmd", "Run it with `bash`."),
        ("MultiEdit", "Change it with `edit`."),
        ("str_replace_editor", "Change it with `edit`."),
        ("update_plan", "Keep it with `todo_write`."),
        ("reed", "Did you mean `read`?"),
        ("teleport", ""),
    ],
)
def test_names_of_other_programs(name: str, said: str) -> None:
    """Another spelling, another program's name, a slip of a letter; nothing where nothing is near."""
    assert meant(name, ALL) == said


def test_only_what_is_there_is_named() -> None:
    """Where the agent has not the tool that would do it, that one is not named."""
    assert meant("grep", ["read", "glob"]) == ""
    assert meant("apply_patch", ["bash", "read"]) == ""


def test_every_name_is_there_once_and_plain() -> None:
    """No name stands for two things, none is a tool's own, and each is spelt as it is looked up."""
    names = " ".join(_INSTEAD.values()).split()
    assert len(names) == len(set(names))
    assert all(name.isalnum() and name == name.casefold() for name in names)
    assert not set(names) & set(ALL)


@given(st.text(max_size=40), st.lists(st.sampled_from(ALL), unique=True))
def test_whatever_is_asked_for(name: str, known: list[str]) -> None:
    """Any name, any tools: a sentence that names only tools which are there, or nothing."""
    said = meant(name, known)
    assert not [tool for tool in ALL if tool not in known and f"`{tool}`" in said]
