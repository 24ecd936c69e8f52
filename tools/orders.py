"""An order for a subagent, and what comes back of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict


class Work(TypedDict):
    """What a subagent has done; ``size``: of its context, in tokens; ``is_known``: False where a price is not."""

    steps: int
    size: int
    usd: float
    is_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A piece of work for a subagent, by the call ``call_id``."""

    call_id: str
    description: str
    prompt: str
    agent_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentReport:
    """What a subagent gives back.

    ``files``: those it wrote or edited, as shown to the model; ``done``: what else it did, a line each, the newest first;
    ``todos``: what its own list has open; ``jobs``: what it left running in the background, a line each.
    """

    text: str
    """Its last non-empty text, possibly empty."""
    log: str
    """Path of its log, as shown to the model; empty where that is lost."""
    work: Work
    problem: str = ""
    """Why it did not finish; empty when it did."""
    files: Sequence[str] = ()
    done: Sequence[str] = ()
    todos: Sequence[str] = ()
    jobs: Sequence[str] = ()


Spawn = Callable[[Order], Awaitable[SubagentReport]]
"""Raises ToolError for an unknown type."""
