"""The hooks around a turn and around a compaction, as the loop and the compactor see them."""

from dataclasses import dataclass
from typing import Protocol

from agent.hooking.words import HookWords, marked
from agent.pictures import Pictures
from agent.protocols import Heard
from agent.skilled.given import AskedSkills
from compaction.plan import Trigger
from hooks.engine import HookEngine
from hooks.events import (
    Outcome,
    PostCompact,
    PreCompact,
    SessionEnd,
    SessionStart,
    Source,
    Stop,
    SubagentStop,
    UserPromptSubmit,
)
from skills.reading import SkillGone


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentTurnHooks:
    """Those of the subagent ``name``, of a type, whose log is at ``log``: its prompt is not the user's, so only its end is told."""

    engine: HookEngine
    words: HookWords
    name: str
    type: str
    log: str

    async def hear(self, words: str) -> Heard:
        """Let the prompt stand."""
        return Heard(contexts=self.words.take())

    async def stop(self, last_text: str, *, is_again: bool) -> str:
        """Fire SubagentStop."""
        event = SubagentStop(
            agent=self.name,
            agent_type=self.type,
            log=self.log,
            last_text=last_text,
            stop_hook_active=is_again,
        )
        return _go_on(await self.engine.fire(event), self.words, event.event_name)


class Sight(Protocol):
    """What looks for the pictures that the user names."""

    async def see(self, words: str) -> Pictures: ...


class EngineTurnHooks:
    """Fires UserPromptSubmit and Stop of one engine; what stands is looked at for a skill and for pictures."""

    def __init__(self, engine: HookEngine, words: HookWords, sight: Sight, skills: AskedSkills) -> None:
        self._engine = engine
        self._words = words
        self._sight = sight
        self._skills = skills

    async def hear(self, words: str) -> Heard:
        """Fire UserPromptSubmit; what hooks said since the last message comes with words that stand."""
        outcome = await self._engine.fire(UserPromptSubmit(prompt=words))
        stop = self._words.take_stop() or outcome.stop_reason
        if outcome.decision == "deny" or stop is not None:
            self._words.show(outcome.notices)
            return Heard(refusal=stop or outcome.reason or "a hook refused the prompt")
        try:
            skill = await self._skills.see(words)
        except SkillGone as problem:
            self._words.show(outcome.notices)
            return Heard(refusal=str(problem), is_by_hook=False)
        self._words.hear(outcome, UserPromptSubmit.event_name)
        pictures = await self._sight.see(words)
        found = [skill] if skill else []
        return Heard(
            contexts=self._words.take(),
            blocks=[*(one.block for one in found), *pictures.blocks],
            skills=[one.skill for one in found],
            notices=[*(one.notice for one in found), *pictures.notices],
        )

    async def stop(self, last_text: str, *, is_again: bool) -> str:
        """Fire Stop; a deny makes the turn go on, its reason being what the model is told."""
        event = Stop(last_text=last_text, stop_hook_active=is_again)
        return _go_on(await self._engine.fire(event), self._words, event.event_name)


class SessionHooks:
    """Fires the beginning and the end of a session."""

    def __init__(self, engine: HookEngine, words: HookWords) -> None:
        self._engine = engine
        self._words = words

    async def start(self, source: Source) -> None:
        """Fire SessionStart; what its hooks say stands in the first message."""
        event = SessionStart(source=source)
        self._words.hear(await self._engine.fire(event), event.event_name)

    async def end(self, reason: str) -> None:
        """Fire SessionEnd, and end the hooks that still run aside."""
        self._words.show((await self._engine.fire(SessionEnd(reason=reason))).notices)
        await self._engine.close()


class CompactionHooks:
    """Fires what surrounds a summary; ``is_main``: of the session itself, which then is told of as if it began anew."""

    def __init__(self, engine: HookEngine, words: HookWords, *, is_main: bool) -> None:
        self._engine = engine
        self._words = words
        self._is_main = is_main

    async def before(self, trigger: Trigger, focus: str) -> str | None:
        """Fire PreCompact; return why it must not be, None: it may."""
        outcome = await self._engine.fire(PreCompact(trigger=trigger, focus=focus))
        self._words.show(outcome.notices)
        return outcome.reason if outcome.decision == "deny" else None

    async def after(self, trigger: Trigger, summary: str) -> None:
        """Fire PostCompact and SessionStart; what that one's hooks say stands in the next message."""
        outcome = await self._engine.fire(PostCompact(trigger=trigger, summary=summary))
        self._words.show(outcome.notices)
        if self._is_main:
            event = SessionStart(source="compact")
            self._words.hear(await self._engine.fire(event), event.event_name)


def _go_on(outcome: Outcome, words: HookWords, event: str) -> str:
    """Return with what words a turn that would end must go on; empty: it ends."""
    words.show(outcome.notices)
    if outcome.stop_reason is not None:
        words.show((f"a hook ended it: {outcome.stop_reason}",))
        return ""
    parts = [marked(text, event) for text in outcome.contexts]
    if outcome.decision == "deny":
        parts.insert(
            0, f"A hook says that the work is not finished.\n{marked(outcome.reason or 'Go on.', event)}"
        )
    return "\n\n".join(parts)
