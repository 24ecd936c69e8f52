"""What the model is told: any change of it shows in a review as a change of a golden file.

Rewrite them with `pytest tests/golden -n 0 --inline-snapshot=create,fix`.
"""

import pytest
from inline_snapshot import external_file, snapshot

from agent.models import DEFAULT_MODEL, row
from agent.prompt import Role, system_blocks
from agent.session.measure import overhead
from agent.token_counter import Counter
from tools.registry import ToolRegistry, default_tools

MAX_TOKENS = 4_000
"""Of system prompt and tools: they are paid for, or read from the cache, with every request."""
ALL = [tool.name for tool in default_tools()]
WITHOUT_TASK = [name for name in ALL if name != "task"]
READING = ["bash", "read", "glob"]


def test_the_system_prompt_is_as_reviewed() -> None:
    """The system prompt is fixed text, the same on every machine and day."""
    assert _text("system", ALL) == external_file("system.txt")


def test_the_subagents_prompt_is_as_reviewed() -> None:
    """So is that of a subagent."""
    assert _text("subagent", WITHOUT_TASK) == external_file("subagent.txt")


def test_the_tools_are_as_reviewed() -> None:
    """Names, descriptions and input schemas, in the order in which the model is told of them."""
    assert _schemas(ALL) == external_file("tools.json")


def test_the_tools_of_an_agent_that_only_reads_are_as_reviewed() -> None:
    """The same tools, where they are all there are: nothing is said of the others."""
    assert _schemas(READING) == external_file("reading_tools.json")


@pytest.mark.parametrize(
    ("role", "names", "tokens"),
    [
        ("system", ALL, snapshot(3914)),
        ("subagent", WITHOUT_TASK, snapshot(3269)),
        ("subagent", READING, snapshot(2136)),
    ],
)
def test_the_prefix_is_small(role: Role, names: list[str], tokens: int) -> None:
    """System prompt and tools together, by the meter, for the default model: so many tokens, and never 4,000."""
    counter = Counter(row(DEFAULT_MODEL).family)
    found = counter.block_tokens(overhead({"system": system_blocks(role, names), "tools": _schemas(names)}))
    assert found == tokens
    assert found < MAX_TOKENS


def _text(role: Role, names: list[str]) -> str:
    (block,) = system_blocks(role, names)
    return block["text"]


def _schemas(names: list[str]) -> list[dict[str, object]]:
    return ToolRegistry([tool for tool in default_tools() if tool.name in names]).schemas()
