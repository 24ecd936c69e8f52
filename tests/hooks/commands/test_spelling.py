"""Inputs of our tools as hooks for the other agent know them, and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.commands.spelling import input_here, input_there, name_there, names_of, tool_named
from hooks.events import PathUse
from tools.registry import default_tools

USE = PathUse(path="/p/a.txt", shown="a.txt", access="write", is_inside=True)
MODELS = {tool.name: tool.input_model for tool in default_tools()}
TODOS = [{"content": "a", "status": "pending", "activeForm": "doing a"}]


@pytest.mark.parametrize(
    ("tool", "ours", "there"),
    [
        (
            "bash",
            {"command": "ls", "timeout": 1.5, "description": "d"},
            {"command": "ls", "timeout": 1500, "description": "d"},
        ),
        ("bash", {"command": "ls", "run_in_background": True}, {"command": "ls", "run_in_background": True}),
        (
            "read",
            {"file_path": "a.txt", "offset": "3", "limit": 2},
            {"file_path": "/p/a.txt", "offset": 3, "limit": 2},
        ),
        ("read", {"file_path": "a.txt", "offset": "3+2000"}, {"file_path": "/p/a.txt", "offset": "3+2000"}),
        ("write", {"file_path": "a.txt", "content": "x"}, {"file_path": "/p/a.txt", "content": "x"}),
        (
            "edit",
            {"file_path": "a.txt", "old_string": "a", "new_string": "b", "replace_all": True},
            {"file_path": "/p/a.txt", "old_string": "a", "new_string": "b", "replace_all": True},
        ),
        ("glob", {"pattern": "*", "path": "a.txt"}, {"pattern": "*", "path": "/p/a.txt"}),
        ("glob", {"pattern": "*"}, {"pattern": "*"}),
        ("todo_write", {"todos": TODOS}, {"todos": TODOS}),
        (
            "task",
            {"description": "d", "prompt": "p", "agent_type": "general"},
            {"description": "d", "prompt": "p", "subagent_type": "general-purpose"},
        ),
        ("load_skill", {"name": "pdf"}, {"skill": "pdf"}),
        ("compact", {"focus": "x"}, {"focus": "x"}),
    ],
)
def test_inputs(tool: str, ours: dict[str, Any], there: dict[str, Any]) -> None:
    """Fields, milliseconds and absolute paths are as documented there; unchanged, they come back as what they were."""
    assert input_there(tool, ours, [USE]) == there
    back = input_here(tool, there, input=ours, paths=[USE])
    model = MODELS[tool]
    assert model.model_validate(back) == model.model_validate(ours)
    assert back.get("file_path", "a.txt") == "a.txt"


def test_another_path_is_taken_as_it_is() -> None:
    """A hook that names another file gets that one."""
    updated = {"file_path": "/p/b.txt", "content": "x"}
    assert input_here("write", updated, input={"file_path": "a.txt", "content": "x"}, paths=[USE]) == updated


def test_unknown_fields_are_left_for_the_tool_to_refuse() -> None:
    """Nothing is dropped: what a hook wrote is what is judged."""
    assert input_here("bash", {"cmd": "ls"}, input={"command": "ls"}, paths=[]) == {"cmd": "ls"}


def test_every_tool_has_its_names() -> None:
    """Whichever of them is meant, and however it is capitalised, the tool is found."""
    for tool in (one.name for one in default_tools()):
        assert name_there(tool) in names_of(tool)
        assert {tool_named(name.upper()) for name in names_of(tool)} == {
            tool if tool != "compact" else "COMPACT"
        }
    assert tool_named("mcp__x__y") == "mcp__x__y"


@given(st.floats(0.001, 600))
def test_times_come_back(timeout: float) -> None:
    """Seconds to milliseconds and back lose less than a millisecond."""
    ours = {"command": "ls", "timeout": timeout}
    back = input_here("bash", input_there("bash", ours, []), input=ours, paths=[])
    assert abs(back["timeout"] - timeout) <= 0.0005
