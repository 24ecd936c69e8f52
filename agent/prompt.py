"""The system prompt: a pure function of our own text, the tools that an agent has, and what is added for it."""

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from tools.registry import default_tools
from tools.told import fitting

Role = Literal["system", "subagent"]
"""Whose prompt: that of the agent the user talks to, or of one that works for another agent."""
_SHARED = "{work}"
"""Stands in both texts for what is said to both."""


def system_blocks(role: Role, tools: Collection[str], *extras: str) -> list[dict[str, str]]:
    """Return the system prompt of ``role`` in wire form.

    Args:      tools: names of those that the agent has; it is told of no other. extras: what comes after our own text,
               in this order: of an agent type, of the user (--append-system-prompt). They are left as they are.
    Contract:  the same bytes for the same arguments, on any machine, on any day.
    """
    missing = {tool.name for tool in default_tools()} - set(tools)
    own = fitting(_text(role).replace(_SHARED, _text("work")), missing)
    return [{"type": "text", "text": "\n\n".join(filter(None, [own, *(extra.strip() for extra in extras)]))}]


def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.md").read_text("utf-8").strip()
