"""Fields of a call by our names: what is meant without a doubt, and what is left to be refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.field_names import by_our_names
from tools.registry import default_tools

FIELDS = {tool.name: tuple(tool.input_model.model_fields) for tool in default_tools()}


def named(tool: str, **given: Any) -> dict[str, Any]:
    return by_our_names(tool, given, FIELDS[tool])


@pytest.mark.parametrize(
    ("tool", "written", "ours"),
    [
        ("bash", {"cmd": "ls"}, {"command": "ls"}),
        ("bash", {"Command": "ls", "runInBackground": True}, {"command": "ls", "run_in_background": True}),
        ("bash", {"command": "ls", "is_background": False}, {"command": "ls", "run_in_background": False}),
        ("read", {"path": "a"}, {"file_path": "a"}),
        ("read", {"filePath": "a", "limit": 3}, {"file_path": "a", "limit": 3}),
        ("read", {"absolute_path": "/a"}, {"file_path": "/a"}),
        ("write", {"path": "a", "contents": "x"}, {"file_path": "a", "content": "x"}),
        ("write", {"path": "a", "file_text": "x"}, {"file_path": "a", "content": "x"}),
        (
            "edit",
            {"filePath": "a", "oldString": "x", "newString": "y", "replaceAll": True},
            {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
        ),
        (
            "edit",
            {"path": "a", "old_str": "x", "new_str": "y"},
            {"file_path": "a", "old_string": "x", "new_string": "y"},
        ),
        ("glob", {"glob_pattern": "*", "dir": "src"}, {"pattern": "*", "path": "src"}),
        (
            "task",
            {"description": "d", "prompt": "p", "subagent_type": "plan"},
            {"description": "d", "prompt": "p", "agent_type": "plan"},
        ),
        ("load_skill", {"skill": "pdf"}, {"name": "pdf"}),
        ("read", {"input": {"path": "a"}}, {"file_path": "a"}),
        ("read", {"arguments": '{"file_path": "a"}'}, {"file_path": "a"}),
    ],
)
def test_what_is_meant(tool: str, written: dict[str, Any], ours: dict[str, Any]) -> None:
    """Names of other agents, other ways to join words, an input inside of an input; the order stays."""
    assert list(named(tool, **written).items()) == list(ours.items())


@pytest.mark.parametrize(
    ("tool", "written"),
    [
        ("read", {"file_path": "a", "path": "b"}),
        ("read", {"path": "a", "file": "b"}),
        ("read", {"path": "a", "file": "a"}),
        ("read", {"file_path": "a", "start_line": 3}),
        ("bash", {"command": "ls", "cwd": "/"}),
        ("bash", {"command": "ls", "timeout_ms": 3}),
        ("glob", {"path": "src", "dir": "lib", "pattern": "*"}),
        ("read", {"arguments": "{"}),
        ("read", {"arguments": "[1]"}),
        ("read", {"arguments": {"path": "a"}, "more": 1}),
    ],
)
def test_what_is_left_alone(tool: str, written: dict[str, Any]) -> None:
    """A second name for what is given, units and lines that differ, what no field can be: the tool refuses it."""
    assert named(tool, **written) == written


@given(
    st.sampled_from(sorted(FIELDS)),
    st.dictionaries(
        st.one_of(st.sampled_from(["path", "file", "filePath", "cmd", "file_path", "command"]), st.text()),
        st.one_of(st.integers(), st.text(), st.none()),
        max_size=4,
    ),
)
def test_nothing_is_lost(tool: str, written: dict[str, Any]) -> None:
    """Every value is still there, once; what has our names already is the same; and twice is once."""
    once = named(tool, **written)
    assert list(once.values()) == list(written.values())
    assert by_our_names(tool, once, FIELDS[tool]) == once
    if set(written) <= set(FIELDS[tool]):
        assert once == written
