"""Asking the user about a call: one question at a time, whoever asks."""

import asyncio
from bisect import insort
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from compaction.messages import ToolUseBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A call that waits for the user."""

    call: ToolUseBlock
    reason: str
    rule: str
    """The rule that would have answered; empty when none can."""
    agent: str
    """Empty for the main agent, else the subagent's name, such as `task-002`."""
    agent_type: str = ""
    """Of what type that subagent is."""
    about: str = ""
    """What it is for."""
    duration: str = "always"
    """How long a rule given now would hold, as its keeper says it."""
    waiting: Callable[[], int] = int
    """How many more questions wait behind this one now."""
    changed: Mapping[str, Any] | None = None
    """The input that the user put in place of the call's, and that cannot run."""
    problem: str = ""
    """Why it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the user said.

    ``reason`` goes to the model with a refusal; ``input``: what shall run in place of the call's own, None: that.
    """

    is_allowed: bool
    reason: str = ""
    input: Mapping[str, Any] | None = None


class Asking:
    """Lets one question stand at a time, whichever agent asks; the others wait, each agent's in call order."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, int, int, asyncio.Future[None]]] = []
        self._standing: asyncio.Future[None] | None = None
        self._number = count()

    def waiting(self) -> int:
        """Return how many wait for their turn."""
        return len(self._waiting)

    @asynccontextmanager
    async def turn(self, agent: str, index: int) -> AsyncGenerator[None]:
        """Wait for the turn of the call at ``index`` of a reply to ``agent``, and keep it."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = (agent, index, next(self._number), mine)
        insort(self._waiting, place)
        try:
            self._go_on()
            await mine
            yield
        finally:
            if self._standing is mine:
                self._standing = None
            else:
                self._waiting.remove(place)
            self._go_on()

    def _go_on(self) -> None:
        if self._standing is None and self._waiting:
            *_, self._standing = self._waiting.pop(0)
            if not self._standing.done():  # else it was cancelled a moment ago, and gives its turn back
                self._standing.set_result(None)


class Approver(Protocol):
    """Whoever can be asked."""

    async def ask(self, question: Question) -> Answer:
        """Return the user's answer. Contract: called for one question at a time; cancelling it takes it back."""
        ...


class RuleKeeper(Protocol):
    """Whoever keeps the rules that the user gives by "always"."""

    @property
    def duration(self) -> str:
        """How long a rule will hold: `always`, `this session`."""
        ...

    def problem(self, rule: str) -> str:
        """Return why ``rule`` cannot be one, in one line; empty when it can."""
        ...

    def allow(self, rule: str) -> str:
        """Let ``rule`` hold from now on; return where it is kept, in a few words. Raises RuleError."""
        ...


class NobodyToAsk:
    """Headless: every question is a refusal that names the rule to add."""

    async def ask(self, question: Question) -> Answer:
        """Refuse, saying why it was to be asked about and how it could be allowed."""
        hint = f"add the rule `{question.rule}` (--allow)" if question.rule else "it must be run by the user"
        why = f"{question.reason}; nobody can be asked here; to allow it, {hint}"
        return Answer(is_allowed=False, reason=why)
