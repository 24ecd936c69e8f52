"""A recorded session as steps: what the model said at each, and what came back to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.replay.prices import READ, WRITE
from compaction.messages import Block, tool_uses

_REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>\n*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One reply of the model, and the user message that followed it."""

    at: float
    """When the reply came, seconds since the epoch."""
    assistant: tuple[Block, ...]
    user: tuple[Block, ...] = ()
    said: tuple[str, ...] = ()
    """The user's own words in ``user``."""
    usage: Mapping[str, Any] = field(default_factory=dict)
    """What the server billed for the request; empty where nobody wrote it down."""

    @property
    def ends_turn(self) -> bool:
        """True when the model called no tool."""
        return not tool_uses(self.assistant)

    @property
    def billed(self) -> float:
        """Price of the request, in tokens of uncached input; its output is left out."""
        fresh = int(self.usage.get("input_tokens") or 0)
        written = int(self.usage.get("cache_creation_input_tokens") or 0)
        read = int(self.usage.get("cache_read_input_tokens") or 0)
        return fresh + WRITE * written + READ * read


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A session before any layer had its way."""

    name: str
    model: str
    start: tuple[Block, ...]
    """What stood before the first reply."""
    said: tuple[str, ...]
    """The user's own words in ``start``."""
    steps: tuple[Step, ...]
    context: tuple[Block, ...] = ()
    """Blocks of ``start`` about project and day: they come again after a summary."""

    @property
    def billed(self) -> float:
        """Price of all requests as they were billed; 0 where no usage is known."""
        return sum(step.billed for step in self.steps)


def without_reminders(text: str) -> str:
    """Return ``text`` less what an agent's own reminders added to it."""
    return _REMINDER.sub("", text)
