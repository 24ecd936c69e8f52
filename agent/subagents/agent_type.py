"""An agent type: what a subagent of that name is told, and by how much its rights are narrower than its parent's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.models import Effort
from hooks.commands.spelling import type_key
from hooks.permission.judge import Mode
from hooks.permission.narrowing import Narrowing
from hooks.permission.rules import PermissionRules, Rule
from tools.base import Tool

MAX_STEPS = 50
"""Of a subagent, whatever its type says."""
NO_TASKS = "task"
"""The tool that no subagent has: it starts none of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What of its parent's rights a type keeps; those of the defaults take nothing away."""

    tools: tuple[str, ...] | None = None
    """The tools it keeps; None: all."""
    limits: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    """Tool -> what its calls must keep to; see `Narrowing`."""
    denied: tuple[Rule, ...] = ()
    mode: Mode = "bypass"
    """No looser mode than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentType:
    """One type, as its file says it."""

    name: str
    description: str
    """One line: when to use it."""
    prompt: str
    """What its subagents are told beside what all are; may be empty."""
    source: str
    """Its file, as the user is shown it; `built in`."""
    rights: Rights = field(default_factory=Rights)
    model: str = ""
    """As its file names it; empty: the parent's."""
    effort: Effort | None = None
    """None: the parent's."""
    max_steps: int = MAX_STEPS
    remarks: tuple[str, ...] = ()
    """What of its file has no effect here, or another one, a line each."""

    @property
    def key(self) -> str:
        """What it is found by."""
        return type_key(self.name)

    @property
    def narrowing(self) -> Narrowing:
        """What permission makes of its rights."""
        rights = self.rights
        return Narrowing(
            whose=f"the agent type `{self.name}`",
            mode=rights.mode,
            tools=None if rights.tools is None else frozenset(rights.tools),
            limits=rights.limits,
            denied=PermissionRules(rules=rights.denied),
        )

    def offered(self, tools: Sequence[Tool]) -> list[Tool]:
        """Return which of its parent's ``tools`` it has: never the one that starts subagents."""
        kept = self.rights.tools
        return [tool for tool in tools if tool.name != NO_TASKS and (kept is None or tool.name in kept)]
