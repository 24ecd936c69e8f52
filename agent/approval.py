"""Asking the user about a call: one question at a time, whoever asks."""

from collections.abc import Mapping
from dataclasses import dataclass
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
    """Empty for the main agent."""
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


class Approver(Protocol):
    """Whoever can be asked."""

    async def ask(self, question: Question) -> Answer:
        """Return the user's answer. Contract: called for one question at a time; cancelling it takes it back."""
        ...


class NobodyToAsk:
    """Headless: every question is a refusal that names the rule to add."""

    async def ask(self, question: Question) -> Answer:
        """Refuse, saying how it could be allowed."""
        hint = f"add the rule `{question.rule}` (--allow)" if question.rule else "it must be run by the user"
        return Answer(is_allowed=False, reason=f"nobody can be asked here; to allow it, {hint}")
