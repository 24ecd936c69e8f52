"""What the model is told is true: each number, name and mark in prompt and descriptions is the code's own."""

import re
from typing import get_args

import pytest

from agent.calls.batch import MAX_TASKS
from agent.prompt import system_blocks
from agent.subagents.agent_type import AgentType
from agent.subagents.catalog import DEFAULT
from agent.subagents.finding import built_in
from compaction.carried import ACTIVE
from compaction.quoted import DataTag
from compaction.shorten import mark
from tools.base import Tool
from tools.bash import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S
from tools.glob import MAX_RESULTS
from tools.limits import BASH_CHARS, READ_CHARS, find_marks, marker
from tools.pages import PIECE_CHARS
from tools.read import PAGE_LINES
from tools.registry import ToolRegistry, default_tools
from tools.task import TASK
from tools.todo_write import MAX_TODOS, Status

NAMES = [tool.name for tool in default_tools()]
NUMBERS = {
    "bash": [
        f"`timeout`: {DEFAULT_TIMEOUT_S} unless given, {MAX_TIMEOUT_S} at most",
        f"over {BASH_CHARS:,} characters",
    ],
    "read": [
        f"after {PAGE_LINES:,} lines or {READ_CHARS:,} characters",
        f"over {PIECE_CHARS:,} characters comes in pieces `12`, `12+{PIECE_CHARS}`",
    ],
    "glob": [f"{MAX_RESULTS} at most"],
    "todo_write": [f"at most {MAX_TODOS} items", "one `in_progress`"],
    "task": [f"Up to {MAX_TASKS} in one reply"],
}
"""All that is said in figures, written from the constants."""
TYPES = [one for one in built_in() if isinstance(one, AgentType)]
OTHERS = {"rg", "tail", "cat", "find", "incomplete", *(one.name for one in TYPES)}
"""Words in backticks that are neither tools nor fields: programs, how a result begins, types of subagents."""


@pytest.mark.parametrize("tool", default_tools(), ids=NAMES)
def test_every_number_is_that_of_the_code(tool: Tool) -> None:
    """Each figure in a description stands in a phrase made from the constants; there are no others."""
    rest = tool.description
    for phrase in NUMBERS.get(tool.name, []):
        assert phrase in rest
        rest = rest.replace(phrase, "")
    assert not re.findall(r"\d+", rest)


@pytest.mark.parametrize("tool", default_tools(), ids=NAMES)
def test_every_name_is_a_tool_a_field_or_a_known_word(tool: Tool) -> None:
    """A word in backticks is a tool, a field of this one, a status of a todo, or one of a few programs."""
    [schema] = ToolRegistry([tool]).schemas()
    known = {*NAMES, *schema["input_schema"]["properties"], *get_args(Status), *OTHERS}
    assert not set(re.findall(r"`([A-Za-z_]+)`", tool.description)) - known


def test_the_types_of_subagents_are_those_that_come_with_the_program() -> None:
    """The model is told of each built-in type, which of them change nothing, and which one is taken where none is given."""
    reading, _, other = TASK.description.partition("both change nothing")
    assert f"`{DEFAULT}`, the default" in other
    for one in TYPES:
        assert (f"`{one.name}`" in reading) == (one.rights.mode == "plan")
        assert (f"`{one.name}`" in other) == (one.rights.mode != "plan")


def test_the_marks_are_those_that_are_made() -> None:
    """The lines and tags that the prompt names are those that stand for text left out, and around words of others."""
    for text in (_told("system"), _told("subagent")):
        for made in (marker("1-0-bash", chars=9, lines=1, path="a"), mark("1-0-read", "9 characters", "a")):
            assert find_marks(made)
            assert "`[[kept: … · read PATH]]`" in text
            assert re.fullmatch(r"\[\[kept: .* · read a\]\]", made)
        tags = set(re.findall(r"`<([a-z-]+)>`", text))
        assert tags
        assert tags <= set(get_args(DataTag))


def test_the_open_request_is_marked_as_the_prompt_says() -> None:
    """After a summary the request to go on with is called the current one, in both places."""
    assert "current" in ACTIVE
    assert "the request marked as current" in _told("system")


def _told(role: str) -> str:
    [block] = system_blocks("system" if role == "system" else "subagent", NAMES)
    return block["text"]
