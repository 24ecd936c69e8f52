"""What the model is told: any change of it shows in a review as a change of a golden file.

Rewrite them with `pytest tests/golden -n 0 --inline-snapshot=create,fix`.
"""

import json

from inline_snapshot import external_file

from agent.prompt import system_blocks
from tools.registry import ToolRegistry, default_tools

MAX_BYTES = 20_000
"""Of system prompt and tools as JSON: they are paid for, or read from the cache, with every request."""


def test_the_system_prompts_are_as_reviewed() -> None:
    """The system prompt is fixed text, the same on every machine and day."""
    assert _text("system") == external_file("system.txt")


def test_the_subagents_prompt_is_as_reviewed() -> None:
    """So is that of a subagent."""
    assert _text("subagent") == external_file("subagent.txt")


def test_the_tools_are_as_reviewed() -> None:
    """Names, descriptions and input schemas, in the order in which the model is told of them."""
    assert ToolRegistry(default_tools()).schemas() == external_file("tools.json")


def test_the_prefix_is_small() -> None:
    """System prompt and tools take less than 20 KB of JSON."""
    prefix = {"system": system_blocks("system"), "tools": ToolRegistry(default_tools()).schemas()}
    assert len(json.dumps(prefix, ensure_ascii=False, separators=(",", ":")).encode()) < MAX_BYTES


def _text(name: str) -> str:
    (block,) = system_blocks(name)
    return block["text"]
