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
from agent.terminal.layout import SPARED_ROWS
from agent.terminal.render import as_lines, plain, styled, to_ansi

QUIET_S = 0.4
"""A key within this time of the question or of another key was typed for the prompt: it goes there."""
OTHER_ROWS = 9
"""Rows of the screen that a question leaves to its own keys, the input and the status bar."""
RULE_ROWS = 3
"""A rule that takes more of them is shown above."""
MOST_DIFF_LINES = 2_000
REFUSED = "the user said no"
INDENT = 4
KEYS_INDENT = 2
BY_RULE = "[a] always, by the rule shown above"
LOWER_THAN_IT_WAS = "… more: make the window higher"
KEYS = "[y] once  [n] no  [r] no, and say why  Esc stop"


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
        self.last_key_at = 0.0
        """When a key went to the prompt."""
        self.is_giving_reason = False
        """The user is typing why not, in the input."""

    @property
    def is_asking(self) -> bool:
        """True while a question stands that takes keys."""
        return bool(self._asked) and not self.is_giving_reason

    async def ask(self, question: Question) -> Answer:
        """Show ``question`` when its turn comes; cancelled, it is taken back."""
        keys = "yanr" if question.rule else "ynr"
        shown = self._fitted(question)
        asked = self._made(keys, lambda width: self._drawn(question, shown, width))
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
        drawn = Text.assemble(("◐ ", "yellow"), (text, "bold"))
        asked = self._made("yn", lambda width: as_lines(to_ansi(drawn, width)))
        self._asked.appendleft(asked)
        return await self._answered(asked) == "y"

    def key_typed(self) -> None:
        """Note that a key went to the prompt."""
        self.last_key_at = self._face.clock()

    def takes(self, key: str) -> bool:
        """True if ``key`` was meant as an answer: it is one, and came after a pause, seeing the question."""
        if not self.is_asking or (shown_at := self._asked[0].shown_at) is None:
            return False
        quiet_s = self._face.clock() - max(shown_at, self.last_key_at)
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

    def _fitted(self, question: Question) -> "Shown":
        """Return what would run or change and the rule, whole; too long for the screen, they go above it instead."""
        columns, rows = self._face.size()
        whole = Shown(
            body=_body(question, self._face.diff(question)), rule=_rule(question), note=LOWER_THAN_IT_WAS
        )
        body, rule = _drawn(whole.body, columns), _drawn(whole.rule, columns)
        others = _drawn([self._reason(question), _indented(KEYS, indent=KEYS_INDENT)], columns)
        room = rows - SPARED_ROWS - 1 - len(others)
        is_rule_long = len(rule) > min(RULE_ROWS, room - 1)
        is_long = len(body) > min(rows - OTHER_ROWS, room - (1 if is_rule_long else len(rule)))
        above = [*(body if is_long else ()), *(rule if is_rule_long else ())]
        if not above:
            return whole
        self._face.commit("\n".join([f"{_who(question)}, in full:", *above]))
        return Shown(
            body=_shortened(body) if is_long else whole.body,
            rule=[_indented(BY_RULE, "bold", indent=KEYS_INDENT)] if is_rule_long else whole.rule,
            note="… shown above" if is_long else LOWER_THAN_IT_WAS,
        )

    def _drawn(self, question: Question, shown: "Shown", width: int) -> list[str]:
        """Return the question as rows; on a low screen what it is and its keys stay."""
        rows = max(1, self._face.size()[1] - SPARED_ROWS)
        head = _drawn([styled(("◐ ", "yellow"), (_asks(question), "bold"))], width)
        answers = self._answers(question, shown, width, most=rows - len(head))
        body = _drawn([*shown.body, self._reason(question)], width)
        room = max(0, rows - len(head) - len(answers))
        if len(body) > room:
            note = _drawn([styled((f"{' ' * INDENT}{shown.note}", "dim"))], width)
            body = [*body[: max(0, room - 1)], *note][:room]
        return [*head, *body, *answers][-rows:]

    def _reason(self, question: Question) -> RenderableType:
        reason = " · ".join(part for part in (self._face.place(question), plain(question.reason)) if part)
        return _indented(reason, "dim")

    def _answers(self, question: Question, shown: "Shown", width: int, *, most: int) -> list[str]:
        """Return how it is answered; in one row where there are fewer than that takes."""
        if self.is_giving_reason:
            return _drawn([styled(("  why not? Enter sends it", "bold"))], width)
        whole = _drawn([_indented(KEYS, "bold", indent=KEYS_INDENT), *shown.rule], width)
        if len(whole) <= most:
            return whole
        return _drawn(
            [styled(("[y] [n] [r] [a] Esc" if question.rule else "[y] [n] [r] Esc", "bold"))], width
        )


async def settled(approver: TerminalApprover, clock: Clock) -> None:
    """Wait until no key has gone to the prompt for a moment."""
    while True:
        left_s = QUIET_S - (clock() - approver.last_key_at)
        if left_s <= 0:
            return
        await asyncio.sleep(left_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a question shows: what would run or change, the rule that `a` adds, a note where there is no room."""

    body: Sequence[RenderableType]
    rule: Sequence[RenderableType]
    note: str


def described(question: Question) -> str:
    """Return the whole of what would run: nothing of a command is cut away."""
    given = question.call["input"]
    if isinstance(command := given.get("command"), str):
        return command
    return "\n".join(f"{field}: {value}" for field, value in given.items())


def _body(question: Question, diff: str) -> list[RenderableType]:
    if diff:
        return [*diff_lines(diff, MOST_DIFF_LINES, is_whole=True)]
    return [_indented(plain(line)) for line in described(question).split("\n")]


def _shortened(body: Sequence[str]) -> list[RenderableType]:
    """Return the first row of what stands above, and how much there is of it."""
    first = Text.from_ansi(body[0])
    if len(body) == 1:
        return [first]
    return [first, _indented(f"… {len(body)} lines, all of them shown above", "dim")]


def _asks(question: Question) -> str:
    return f"{_who(question)} wants to run"


def _who(question: Question) -> str:
    agent = f"{question.agent}: " if question.agent else ""
    return f"{agent}{question.call['name']}"


def _indented(text: str, style: str = "", *, indent: int = INDENT) -> Padding:
    """Return text that is wrapped, never cut."""
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, indent))


def _rule(question: Question) -> list[RenderableType]:
    text = f"[a] always `{plain(question.rule)}`"
    return [_indented(text, "bold", indent=KEYS_INDENT)] if question.rule else []


def _drawn(parts: Sequence[RenderableType], width: int) -> list[str]:
    return [line for part in parts for line in as_lines(to_ansi(part, width))]


def _settle(asked: Asked, answer: str) -> None:
    if not asked.answer.done():
        asked.answer.set_result(answer)
