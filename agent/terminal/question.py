"""Asking the user: one question at a time, answered only by a key that was meant for it."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.approval import Answer, Question
from agent.clock import Clock
from agent.terminal.cards import diff_lines
from agent.terminal.render import as_lines, plain, styled, to_ansi

QUIET_S = 0.4
"""A key within this time of the question or of another key was typed for the prompt: it goes there."""
OTHER_ROWS = 9
"""Rows of the screen that a question leaves to its own keys, the input and the status bar."""
LEAST_ROWS = 4
MOST_DIFF_LINES = 200
REFUSED = "the user said no"
INDENT = 4


@dataclass(slots=True)
class Asked:
    """A question and the future of its answer: a key, or the words of a reason."""

    keys: str
    """The keys that answer it."""
    draw: Callable[[int], list[str]]
    """Width -> what is asked, as lines."""
    answer: asyncio.Future[str]
    shown_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """What questions need of the screen and the session.

    ``commit`` puts lines above for good; ``size`` is (columns, rows) now; ``diff``: the diff that a write or edit
    would make, empty for other calls; ``place``: where a command would run, empty if that is not known.
    """

    refresh: Callable[[], None]
    commit: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    clock: Clock
    diff: Callable[[Question], str]
    place: Callable[[Question], str]


class TerminalApprover:
    """Shows questions one after the other, whichever agent asks.

    Args:  allow_always: adds a rule.
    """

    def __init__(self, face: Face, *, allow_always: Callable[[str], None]) -> None:
        self._face = face
        self._allow_always = allow_always
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
        keys = "yanr" if question.rule else "ynr"
        body = self._fitted(question)
        asked = self._made(keys, lambda width: self._drawn(question, body, width))
        self._asked.append(asked)
        match await self._answered(asked):
            case "y":
                return Answer(is_allowed=True)
            case "a":
                self._allow_always(question.rule)
                return Answer(is_allowed=True)
            case "n" | "r":
                return Answer(is_allowed=False, reason=REFUSED)
            case given:
                return Answer(is_allowed=False, reason=f"{REFUSED}: {given[1:]}")

    async def confirm(self, text: str) -> bool:
        """Ask ``text`` before all that waits, yes or no; cancelled, it is taken back."""
        for waiting in self._asked:
            waiting.shown_at = None
        drawn = styled(("◐ ", "yellow"), (text, "bold"))
        asked = self._made("yn", lambda width: as_lines(to_ansi(drawn, width)))
        self._asked.appendleft(asked)
        return await self._answered(asked) == "y"

    def key_typed(self) -> None:
        """Note that a key went to the prompt."""
        self._last_key_at = self._face.clock()

    def takes(self, key: str) -> bool:
        """True if ``key`` was meant as an answer: it is one, and came after a pause, seeing the question."""
        if not self.is_asking or (shown_at := self._asked[0].shown_at) is None:
            return False
        quiet_s = self._face.clock() - max(shown_at, self._last_key_at)
        return len(key) == 1 and key in self._asked[0].keys and quiet_s >= QUIET_S

    def answer(self, key: str) -> None:
        """Answer the question that stands with one of its keys."""
        if key == "r":
            self.is_giving_reason = True
            self._face.refresh()
        else:
            _settle(self._asked[0], key)

    def give_reason(self, reason: str) -> None:
        """Refuse with the user's words."""
        _settle(self._asked[0], f"r{reason.strip()}")

    def lines(self, width: int) -> Sequence[str]:
        """Return the question that stands, as lines; it counts as seen from now on."""
        if not self._asked:
            return ()
        asked = self._asked[0]
        if asked.shown_at is None:
            asked.shown_at = self._face.clock()
        return asked.draw(width)

    def _made(self, keys: str, draw: Callable[[int], list[str]]) -> Asked:
        return Asked(keys=keys, draw=draw, answer=asyncio.get_running_loop().create_future())

    async def _answered(self, asked: Asked) -> str:
        self._face.refresh()
        try:
            return await asked.answer
        finally:
            self._asked.remove(asked)
            self.is_giving_reason = False
            self._face.refresh()

    def _fitted(self, question: Question) -> list[RenderableType]:
        """Return what would run or change, whole; what is too long for the screen goes above it instead."""
        body = _body(question, self._face.diff(question))
        columns, rows = self._face.size()
        most = max(LEAST_ROWS, rows - OTHER_ROWS)
        drawn = [line for part in body for line in as_lines(to_ansi(part, columns))]
        if len(drawn) <= most:
            return body
        self._face.commit(f"{_asks(question)}\n" + "\n".join(drawn))
        return [*body[:1], _indented(f"… {len(drawn)} lines, all of them shown above", "dim")]

    def _drawn(self, question: Question, body: Sequence[RenderableType], width: int) -> list[str]:
        reason = " · ".join(part for part in (self._face.place(question), plain(question.reason)) if part)
        keys = ["why not? Enter sends it"] if self.is_giving_reason else _keys(question)
        parts = [
            styled(("◐ ", "yellow"), (_asks(question), "bold")),
            *body,
            _indented(reason, "dim"),
            *[_indented(line, "bold", indent=2) for line in keys],
        ]
        return [line for part in parts for line in as_lines(to_ansi(part, width))]


def described(question: Question) -> str:
    """Return the whole of what would run: nothing of a command is cut away."""
    given = question.call["input"]
    if isinstance(command := given.get("command"), str):
        return command
    return "\n".join(f"{field}: {value}" for field, value in given.items())


def _body(question: Question, diff: str) -> list[RenderableType]:
    if diff:
        return [*diff_lines(diff, MOST_DIFF_LINES)]
    return [_indented(plain(line)) for line in described(question).split("\n")]


def _asks(question: Question) -> str:
    who = f"{question.agent}: " if question.agent else ""
    return f"{who}{question.call['name']} wants to run"


def _indented(text: str, style: str = "", *, indent: int = INDENT) -> Padding:
    """Return text that is wrapped, never cut."""
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, indent))


def _keys(question: Question) -> list[str]:
    always = [f"[a] always `{plain(question.rule)}`"] if question.rule else []
    return ["[y] once  [n] no  [r] no, and say why  Esc stop", *always]


def _settle(asked: Asked, answer: str) -> None:
    if not asked.answer.done():
        asked.answer.set_result(answer)
