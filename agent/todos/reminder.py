"""The reminder of open todos in the session of one agent: when it is due, and as what block it is sent."""

from agent.hooking.words import HookWords
from agent.session.session import Session
from compaction.messages import Block, text
from compaction.quoted import unclosable, unmarked
from hooks.engine import HookEngine
from hooks.events import BeforeSend


class TodoReminder:
    """Asks the program's own hook, before a message is logged, what stands at its end."""

    def __init__(self, session: Session, engine: HookEngine, words: HookWords) -> None:
        self._session = session
        self._engine = engine
        self._words = words

    async def due(self) -> list[Block]:
        """Return the block that the next message ends with; empty: none is due."""
        state = self._session.state
        clock = state.todo_clock
        event = BeforeSend(todos=state.todos, steps=clock.steps, reminders=clock.reminders)
        outcome = await self._engine.before_send(event)
        self._words.show(outcome.notices)
        return [text(as_reminder(words)) for words in outcome.contexts]


def as_reminder(words: str) -> str:
    """Return words of ours between the tags that models know as not the user's; nothing in them can end these."""
    return f"<system-reminder>\n{unclosable(unmarked(words))}\n</system-reminder>"
