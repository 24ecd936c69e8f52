"""Asking about a call: one question at a time, answered only by a key that was meant for it."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.approval import Answer, Question
from agent.clock import Clock
from agent.terminal.cards import diff_lines
from agent.terminal.render import as_lines, plain, styled, to_ansi

QUIET_S = 0.4
"""A key within this time of the question or of another key was typed for the prompt: it goes there."""
DIFF_LINES = 14
REFUSED = "the user said no"


@dataclass(slots=True)
class Asked:
    """A question and the future of its answer."""

    question: Question
    answer: asyncio.Future[Answer]
    shown_at: float | None = None


class TerminalApprover:
    """Shows questions one after the other, whichever agent asks.

    Args:  allow_always: adds a rule; diff: the diff that a write or edit would make, empty for other calls.
    """

    def __init__(
        self,
        *,
        refresh: Callable[[], None],
        clock: Clock,
        allow_always: Callable[[str], None],
        diff: Callable[[Question], str],
    ) -> None:
        self._refresh = refresh
        self._clock = clock
        self._allow_always = allow_always
        self._diff = diff
        self._asked: deque[Asked] = deque()
        self._last_key_at = 0.0
        self.is_giving_reason = False
        """The user is typing why not, in the input."""

    @property
    def is_asking(self) -> bool:
        """True while a question stands that takes keys."""
        return bool(self._asked) and not self.is_giving_reason

    async def ask(self, question: Question) -> Answer:
        """Show ``question`` when its turn comes; cancelled, it is taken back."""
        asked = Asked(question=question, answer=asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        self._refresh()
        try:
            return await asked.answer
        finally:
            self._asked.remove(asked)
            self.is_giving_reason = False
            self._refresh()

    def key_typed(self) -> None:
        """Note that a key went to the prompt."""
        self._last_key_at = self._clock()

    def takes(self, key: str) -> bool:
        """True if ``key`` was meant as an answer: it is one, and came after a pause, seeing the question."""
        if not self.is_asking or (shown_at := self._asked[0].shown_at) is None:
            return False
        now = self._clock()
        is_rule = bool(self._asked[0].question.rule)
        return (key in ("y", "n", "r") or (key == "a" and is_rule)) and now - max(
            shown_at, self._last_key_at
        ) >= QUIET_S

    def answer(self, key: str) -> None:
        """Answer the question that stands with one of its keys."""
        asked = self._asked[0]
        match key:
            case "y":
                self._settle(asked, Answer(is_allowed=True))
            case "a":
                self._allow_always(asked.question.rule)
                self._settle(asked, Answer(is_allowed=True))
            case "n":
                self._settle(asked, Answer(is_allowed=False, reason=REFUSED))
            case "r":
                self.is_giving_reason = True
                self._refresh()

    def give_reason(self, reason: str) -> None:
        """Refuse with the user's words."""
        words = f"{REFUSED}: {reason}" if reason.strip() else REFUSED
        self._settle(self._asked[0], Answer(is_allowed=False, reason=words))

    def lines(self, width: int) -> Sequence[str]:
        """Return the question that stands, as lines; it counts as seen from now on."""
        if not self._asked:
            return ()
        asked = self._asked[0]
        if asked.shown_at is None:
            asked.shown_at = self._clock()
        return self._drawn(asked.question, width)

    def _drawn(self, question: Question, width: int) -> list[str]:
        who = f"{question.agent}: " if question.agent else ""
        parts = [styled(("◐ ", "yellow"), (f"{who}{question.call['name']} wants to run", "bold"))]
        if diff := self._diff(question):
            parts += diff_lines(diff, DIFF_LINES)
        else:
            texts = [plain(line) for line in describe(question).splitlines()]
            parts += [styled((f"    {text}", "")) for text in texts]
        lines = [line for part in parts for line in as_lines(to_ansi(part, width))]
        keys = "why not? Enter sends it" if self.is_giving_reason else _keys(question)
        reason = styled((f"  {plain(question.reason)}", "dim"))
        return [
            *lines,
            *as_lines(to_ansi(reason, width)),
            *as_lines(to_ansi(styled((f"  {keys}", "bold")), width)),
        ]

    def _settle(self, asked: Asked, answer: Answer) -> None:
        if not asked.answer.done():
            asked.answer.set_result(answer)


def describe(question: Question) -> str:
    """Return the whole of what would run: nothing of a command is cut away."""
    given = question.call["input"]
    if isinstance(command := given.get("command"), str):
        return command
    return "\n".join(f"{field}: {value}" for field, value in given.items())


def _keys(question: Question) -> str:
    always = f"  [a] always `{question.rule}`" if question.rule else ""
    return f"[y] once{always}  [n] no  [r] no, and say why  Esc stop"
