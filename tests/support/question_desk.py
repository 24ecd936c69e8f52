"""An approver without a screen: a clock that stands still, somebody who presses keys, and what came of it."""

import asyncio
import re

from agent.calls.approval import Answer, Question
from agent.terminal.asked import QUIET_S, Face
from agent.terminal.question import TerminalApprover
from tests.support.agent import FakeClock
from tests.support.answering import TypedField

SGR = re.compile("\x1b\\[[0-9;]*m")


class Desk:
    """An approver with a clock that stands still, and what it did."""

    def __init__(self, *, diff: str = "", rows: int = 40, columns: int = 60) -> None:
        self.clock = FakeClock(step_s=0.0)
        self.frames = 0
        self.above: list[str] = []
        self.rules: list[str] = []
        self.kept: list[str] = []
        self.inserted: list[str] = []
        self.rings = 0
        self.field = TypedField()
        self.rows = rows
        face = Face(
            refresh=self._count,
            commit=self.above.append,
            size=lambda: (columns, self.rows),
            clock=self.clock,
            diff=lambda _: diff,
            place=lambda _: "in ~/code",
            field=self.field,
            typed=self._count,
            keep=self.kept.append,
            insert=self.inserted.append,
            ring=self._ring,
        )
        self.approver = TerminalApprover(face, rules=self)

    def _count(self) -> None:
        self.frames += 1

    def _ring(self) -> None:
        self.rings += 1

    @property
    def duration(self) -> str:
        """As long as a kept rule holds."""
        return "always"

    def problem(self, rule: str) -> str:
        """Take every rule but one that begins with a blank."""
        return "a rule begins with a tool" if rule.startswith("(") else ""

    def allow(self, rule: str) -> str:
        """Remember a rule."""
        self.rules.append(rule)
        return "kept here"

    def shown(self, width: int = 60) -> str:
        """Return what stands on the screen, without colours."""
        return SGR.sub("", "\n".join(self.approver.lines(width)))

    def press(self, key: str) -> bool:
        """Press a key; True if it was taken as the answer."""
        is_taken = self.approver.takes(key)
        if is_taken:
            self.approver.answer(key)
        else:
            self.approver.key_typed()
        return is_taken


def about(command: str = "git push", *, rule: str = "bash(git push:*)", agent: str = "") -> Question:
    """Return a question about a bash call."""
    call = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": command}}
    return Question(call=call, reason="no rule allows it", rule=rule, agent=agent)  # type: ignore[arg-type]


async def started(desk: Desk, question: Question) -> asyncio.Task[Answer]:
    """Ask, show it, and let the time pass in which a key is still the prompt's."""
    asking = asyncio.ensure_future(desk.approver.ask(question))
    await asyncio.sleep(0)
    desk.shown()
    desk.clock.now += QUIET_S
    return asking
