"""All agent types of a session by name: which of them hold, what they hide, what cannot be used."""

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent.subagents.agent_type import AgentType
from agent.subagents.reading import BrokenType
from hooks.commands.spelling import type_key
from skills.budget import Words, listed
from tools.base import NotRun

BUILT_IN = "built in"
"""The source of the types that come with the program."""
DEFAULT = "general"
_WORDS = Words(
    bare="(Where no description stands there was no room for it.)",
    left_out="({} more agent types have no room here: an unknown agent_type is answered with their names.)",
)
MAX_LISTED = 30
"""Names in the answer to an unknown one."""


@dataclass(frozen=True)
class AgentTypes:
    """What was found, the strongest place first; the first of a name holds."""

    found: tuple[AgentType | BrokenType, ...] = ()
    off: tuple[str, ...] = ()
    """What was not taken at all, a line each."""

    @cached_property
    def by_key(self) -> dict[str, AgentType]:
        """Return the types that hold."""
        held: dict[str, AgentType] = {}
        for one in self._types():
            held.setdefault(one.key, one)
        return held

    @property
    def held(self) -> Sequence[AgentType]:
        """The types that hold, the strongest place first."""
        return tuple(self.by_key.values())

    @property
    def broken(self) -> Sequence[BrokenType]:
        """The files that are no type."""
        return tuple(one for one in self.found if isinstance(one, BrokenType))

    @property
    def told(self) -> Sequence[AgentType]:
        """Those that the model has to be told of: the built-in ones stand in the description of the tool."""
        return tuple(one for one in self.held if one.source != BUILT_IN)

    def text(self, *, budget_tokens: int, count: Callable[[str], int]) -> str:
        """Return what the model is told of them: a line for each, all within the budget."""
        entries = [(one.name, one.description) for one in self.told]
        return listed(entries, budget_tokens=budget_tokens, count=count, words=_WORDS) if entries else ""

    def hidden_by(self, held: AgentType) -> Sequence[AgentType]:
        """Return the types of the same name in weaker places."""
        return tuple(one for one in self._types() if one.key == held.key and one is not held)

    def named(self, name: str | None) -> AgentType:
        """Return the type of that name, `general` for none. Raises NotRun that lists them."""
        wanted = type_key(name or DEFAULT)
        if wanted in self.by_key:
            return self.by_key[wanted]
        near = difflib.get_close_matches(wanted, self.by_key, n=1)
        hint = f" Did you mean `{self.by_key[near[0]].name}`?" if near else ""
        names = [one.name for one in self.held]
        more = f", and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        raise NotRun(
            f"There is no agent type `{name}`.{hint} The types are: {', '.join(names[:MAX_LISTED])}{more}."
        )

    def _types(self) -> Iterable[AgentType]:
        return (one for one in self.found if isinstance(one, AgentType))
