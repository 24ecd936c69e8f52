"""Asking the user: one question at a time, answered only by a key that was meant for it."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.calls.approval import Answer, Question, RuleKeeper
from agent.clock import Clock
from agent.terminal.asked import LABELS, QUIET_S, Asked, Face, TypedAnswer
from agent.terminal.question_lines import VIEW, Confirmation, Sheet, aside

REFUSED = "the user said no"
EDITED = {"bash": "command", "write": "content", "edit": "new_string"}
"""Tool -> the text of its input that the user may change before it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the user decided, and in a few words; ``rule``: by that rule from now on, empty: this once."""

    words: str
    answer: Answer
    rule: str = ""


class TerminalApprover:
    """Shows questions one after the other, whichever agent asks.

    Args:  rules: keeps the rules that are given for always.
    """

    def __init__(self, face: Face, *, rules: RuleKeeper) -> None:
        self._face = face
        self._rules = rules
        self._asked: deque[Asked] = deque()
        self._typed = TypedAnswer(face)
        self.last_key_at = 0.0
        """When a key went to the prompt."""

    @property
    def open(self) -> int:
        """How many questions stand, or wait for their turn."""
        return len(self._asked) + sum(asked.sheet.waiting for asked in self._asked)

    @property
    def is_asking(self) -> bool:
        """True while a question stands that takes keys."""
        return bool(self._asked) and not self._typed.key

    @property
    def unsent(self) -> str:
        """What was typed for answers and is not sent: it comes back into the input when they are taken back."""
        return "\n".join(text for asked in self._asked for text in asked.typed_anew())

    async def ask(self, question: Question) -> Answer:
        """Show ``question`` when its turn comes; cancelled, it is taken back."""
        question = replace(question, duration=self._rules.duration)
        given = question.call["input"]
        part = EDITED.get(question.call["name"], "")
        keys = "y" + ("ac" if question.rule else "") + ("e" if part in given else "") + "nr"
        face = self._face
        sheet = Sheet(question, keys, diff=face.diff(question), place=face.place(question), size=face.size())
        if sheet.above:
            face.commit("\n".join(sheet.above))
        asked = self._made(keys, sheet)
        asked.is_command = part == "command"
        asked.rule_problem = self._rules.problem
        asked.given = {"r": "", "e": str(given.get(part, "")), "c": question.rule}
        asked.typed = {"e": str(question.changed[part])} if question.changed else {}
        self._asked.append(asked)
        decision = Decision(words="not answered", answer=Answer(is_allowed=False))
        try:
            decision = _decision(await self._answered(asked), question, part)
        finally:
            face.commit(sheet.decided(decision.words, decision.answer.input, face.size()[0]))
        if decision.rule:
            face.commit(aside(self._rules.allow(decision.rule), face.size()[0]))
        return decision.answer

    async def confirm(self, text: str) -> bool:
        """Ask ``text`` before all that waits, yes or no; cancelled, it is taken back."""
        for waiting in self._asked:
            waiting.shown_at = None
        asked = self._made("yn", Confirmation(text))
        self._asked.appendleft(asked)
        return await self._answered(asked) == "y"

    def key_typed(self) -> None:
        """Note that a key went to the prompt."""
        self.last_key_at = self._face.clock()

    def takes(self, key: str) -> bool:
        """True if ``key`` was meant as an answer: it is one, and came after a pause, seeing the question."""
        if not self.is_asking or (shown_at := self._asked[0].shown_at) is None:
            return False
        asked = self._asked[0]
        keys = asked.keys if asked.sheet.is_whole else f"{asked.keys}{VIEW}"
        quiet_s = self._face.clock() - max(shown_at, self.last_key_at)
        return len(key) == 1 and key in keys and quiet_s >= QUIET_S

    def answer(self, key: str) -> None:
        """Answer the question that stands with one of its keys; some want words first, one shows it in full."""
        asked = self._asked[0]
        if key in LABELS:
            self._typed.begin(asked, key)
        elif key == VIEW:
            self._face.commit("\n".join(asked.sheet.in_full(self._face.size()[0])))
        else:
            asked.settle(key)

    def lines(self, width: int) -> Sequence[str]:
        """Return the question that stands, as lines; it counts as seen from now on, and the user is called to it."""
        if not self._asked:
            return ()
        asked = self._asked[0]
        if asked.shown_at is None:
            asked.shown_at = self._face.clock()
            if not asked.is_called:
                asked.is_called = True
                asyncio.get_running_loop().call_soon(self._face.ring)
        return asked.sheet.lines(self._typed.key, (width, self._face.size()[1]))

    def _made(self, keys: str, sheet: Sheet | Confirmation) -> Asked:
        return Asked(keys=keys, sheet=sheet, answer=asyncio.get_running_loop().create_future())

    async def _answered(self, asked: Asked) -> str:
        self._face.refresh()
        unsent: list[str] = []
        try:
            return await asked.answer
        except asyncio.CancelledError:
            unsent = asked.typed_anew()
            raise
        finally:
            self._asked.remove(asked)
            self._typed.leave(asked)
            if unsent:
                self._face.keep("\n".join(unsent))
            self._face.refresh()


async def settled(approver: TerminalApprover, clock: Clock) -> None:
    """Wait until no key has gone to the prompt for a moment."""
    while True:
        left_s = QUIET_S - (clock() - approver.last_key_at)
        if left_s <= 0:
            return
        await asyncio.sleep(left_s)


def _decision(given: str, question: Question, part: str) -> Decision:
    """Return what an answer means: a key, and behind it words or the text that takes the place of ``part``."""
    key, words = given[:1], given[1:]
    yes = Answer(is_allowed=True)
    match key:
        case "a" | "c":
            rule = words.strip() or question.rule
            return Decision(words=f"allowed {question.duration}: {rule}", answer=yes, rule=rule)
        case "e":
            changed = {**question.call["input"], part: words}
            return Decision(words="changed by you", answer=Answer(is_allowed=True, input=changed))
        case "n" | "r":
            reason = f"{REFUSED}: {words}" if words else REFUSED
            said = f"refused: {words}" if words else "refused"
            return Decision(words=said, answer=Answer(is_allowed=False, reason=reason))
        case _:
            return Decision(words="allowed once", answer=yes)
