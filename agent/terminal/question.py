"""Asking the user: one question at a time, answered only by a key that was meant for it."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from rich.text import Text

from agent.approval import Answer, Question
from agent.clock import Clock
from agent.terminal.answering import Typing
from agent.terminal.question_lines import fitted, question_lines, shown_whole
from agent.terminal.render import as_lines, to_ansi

QUIET_S = 0.4
"""A key within this time of the question or of another key was typed for the prompt: it goes there."""
REFUSED = "the user said no"
EDITED = {"bash": "command", "write": "content", "edit": "new_string"}
"""Tool -> the text of its input that the user may change before it runs."""
LABELS = {"r": "why not? > ", "e": "edit > "}
"""Key -> what stands before the answer that is typed after it."""


@dataclass(slots=True)
class Asked:
    """A question and the future of its answer: a key, and behind it what was typed."""

    keys: str
    """The keys that answer it."""
    draw: Callable[[int], list[str]]
    """Width -> what is asked, as lines."""
    answer: asyncio.Future[str]
    shown_at: float | None = None
    given: dict[str, str] = field(default_factory=dict)
    """Key -> the text that its answer begins with."""
    typed: dict[str, str] = field(default_factory=dict)
    """Key -> what was typed so far."""
    is_command: bool = False
    """Without text there is nothing to run."""
    is_typed: bool = False
    """Its answer is being typed now."""


class Field(Protocol):
    """Where an answer is typed."""

    def open(self, label: str, text: str, typing: Typing) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """What questions need of the screen and the session.

    ``commit`` puts lines above for good; ``size`` is (columns, rows) now; ``diff``: the diff that a write or edit
    would make, empty for other calls; ``place``: where a command would run, empty if that is not known; ``typed`` is
    told that an answer in the ``field`` has changed; ``keep`` puts what was typed there into the input, once nobody
    waits for the answer any more.
    """

    refresh: Callable[[], None]
    commit: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    clock: Clock
    diff: Callable[[Question], str]
    place: Callable[[Question], str]
    field: Field
    typed: Callable[[], None]
    keep: Callable[[str], None]


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
        self.typing = ""
        """The key whose answer is being typed: `r`, `e`; empty: none is."""

    @property
    def is_asking(self) -> bool:
        """True while a question stands that takes keys."""
        return bool(self._asked) and not self.typing

    @property
    def unsent(self) -> str:
        """What was typed for answers and is not sent: it comes back into the input when they are taken back."""
        return "\n".join(text for asked in self._asked for text in _typed_anew(asked))

    async def ask(self, question: Question) -> Answer:
        """Show ``question`` when its turn comes; cancelled, it is taken back."""
        given = question.call["input"]
        part = EDITED.get(question.call["name"], "")
        keys = "y" + ("a" if question.rule else "") + ("e" if part in given else "") + "nr"
        asked = self._made(keys, self._drawing(question, keys))
        asked.is_command = part == "command"
        asked.given = {"r": "", "e": str(given.get(part, ""))}
        asked.typed = {"e": str(question.changed[part])} if question.changed else {}
        self._asked.append(asked)
        answer = await self._answered(asked)
        key, words = answer[:1], answer[1:]
        match key:
            case "a":
                self._allow_always(question.rule)
                return Answer(is_allowed=True)
            case "e":
                return Answer(is_allowed=True, input={**given, part: words})
            case "n" | "r":
                return Answer(is_allowed=False, reason=f"{REFUSED}: {words}" if words else REFUSED)
            case _:
                return Answer(is_allowed=True)

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
        """Answer the question that stands with one of its keys; some want words first."""
        asked = self._asked[0]
        if key in LABELS:
            self.typing, asked.is_typed = key, True
            text = asked.typed.get(key, asked.given[key])
            typing = Typing(
                changed=partial(self._changed, asked, key),
                entered=partial(self._entered, asked, key),
                left=partial(self._step_back, asked),
            )
            self._face.field.open(LABELS[key], text, typing)
            self._face.refresh()
        else:
            _settle(asked, key)

    def lines(self, width: int) -> Sequence[str]:
        """Return the question that stands, as lines; it counts as seen from now on."""
        if not self._asked:
            return ()
        asked = self._asked[0]
        if asked.shown_at is None:
            asked.shown_at = self._face.clock()
        return asked.draw(width)

    def _changed(self, asked: Asked, key: str, text: str) -> None:
        asked.typed[key] = text
        self._face.typed()

    def _entered(self, asked: Asked, key: str, text: str) -> None:
        """Take what was typed; of a command of which nothing is left, back to the question."""
        if key == "e" and asked.is_command and not text.strip():
            self._step_back(asked)
            return
        _settle(asked, f"{key}{text.strip() if key == 'r' else text}")

    def _step_back(self, asked: Asked) -> None:
        """Leave the field for the question; what was typed is there when the key is pressed again."""
        self.typing, asked.is_typed = "", False
        self._face.field.close()
        self._face.refresh()

    def _made(self, keys: str, draw: Callable[[int], list[str]]) -> Asked:
        return Asked(keys=keys, draw=draw, answer=asyncio.get_running_loop().create_future())

    async def _answered(self, asked: Asked) -> str:
        self._face.refresh()
        unsent: list[str] = []
        try:
            return await asked.answer
        except asyncio.CancelledError:
            unsent = _typed_anew(asked)
            raise
        finally:
            self._asked.remove(asked)
            if asked.is_typed:
                self._step_back(asked)
            if unsent:
                self._face.keep("\n".join(unsent))
            self._face.refresh()

    def _drawing(self, question: Question, keys: str) -> Callable[[int], list[str]]:
        """Return how the question is drawn; what of it is too long for the screen goes above it."""
        face = self._face
        whole = shown_whole(question, keys, diff=face.diff(question), place=face.place(question))
        shown, above = fitted(whole, face.size())
        if above:
            face.commit("\n".join(above))
        return lambda width: question_lines(shown, self.typing, (width, face.size()[1]))


async def settled(approver: TerminalApprover, clock: Clock) -> None:
    """Wait until no key has gone to the prompt for a moment."""
    while True:
        left_s = QUIET_S - (clock() - approver.last_key_at)
        if left_s <= 0:
            return
        await asyncio.sleep(left_s)


def _typed_anew(asked: Asked) -> list[str]:
    """Return what was typed and is not what it began with."""
    return [text for key, text in asked.typed.items() if text.strip() and text != asked.given[key]]


def _settle(asked: Asked, answer: str) -> None:
    if not asked.answer.done():
        asked.answer.set_result(answer)
