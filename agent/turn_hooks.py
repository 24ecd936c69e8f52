"""The hooks around a turn, as the loop sees them."""

from typing import Protocol

from agent.events import Emit, Notice
from agent.pictures import Pictures
from agent.protocols import Heard
from hooks.engine import HookEngine
from hooks.events import Outcome, Stop, UserPromptSubmit


class SubagentTurnHooks:
    """None: a subagent's prompt is not the user's, and its end is told by SubagentStop."""

    async def hear(self, words: str) -> Heard:
        """Let the prompt stand."""
        return Heard()

    async def stop(self, last_text: str, *, is_again: bool) -> str:
        """Let the turn end."""
        return ""


class Sight(Protocol):
    """What looks for the pictures that the user names."""

    async def see(self, words: str) -> Pictures: ...


class EngineTurnHooks:
    """Fires UserPromptSubmit and Stop of one engine; what stands is looked at for pictures."""

    def __init__(self, engine: HookEngine, emit: Emit, sight: Sight) -> None:
        self._engine = engine
        self._emit = emit
        self._sight = sight

    async def hear(self, words: str) -> Heard:
        """Fire UserPromptSubmit."""
        outcome = await self._engine.fire(UserPromptSubmit(prompt=words))
        self._say(outcome)
        if outcome.decision == "deny" or outcome.stop_reason is not None:
            return Heard(refusal=outcome.reason or outcome.stop_reason or "a hook refused the prompt")
        pictures = await self._sight.see(words)
        return Heard(contexts=outcome.contexts, blocks=pictures.blocks, notices=pictures.notices)

    async def stop(self, last_text: str, *, is_again: bool) -> str:
        """Fire Stop; a deny makes the turn go on, its reason being what the model is told."""
        outcome = await self._engine.fire(Stop(last_text=last_text, stop_hook_active=is_again))
        self._say(outcome)
        if outcome.decision != "deny" or outcome.stop_reason is not None:
            return ""
        return f"[A hook says the work is not finished] {outcome.reason or 'go on'}"

    def _say(self, outcome: Outcome) -> None:
        for notice in outcome.notices:
            self._emit(Notice(text=notice, is_error=True))
