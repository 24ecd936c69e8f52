"""A question that waits for its answer, what questions need of the terminal, and answers that are typed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from agent.calls.approval import Question
from agent.clock import Clock
from agent.terminal.answering import Typing
from agent.terminal.question_lines import Confirmation, Sheet, complaint

QUIET_S = 0.4
"""A key within this time of the question or of another key was typed for the prompt: it goes there."""
EDIT = "e"
RULE = "c"
LABELS = {"r": "why not? > ", EDIT: "edit > ", RULE: "rule > "}
"""Key -> what stands before the answer that is typed after it."""


@dataclass(slots=True)
class Asked:
    """A question and the future of its answer: a key, and behind it what was typed."""

    keys: str
    """The keys that answer it."""
    sheet: Sheet | Confirmation
    answer: asyncio.Future[str]
    shown_at: float | None = None
    given: dict[str, str] = field(default_factory=dict)
    """Key -> the text that its answer begins with."""
    typed: dict[str, str] = field(default_factory=dict)
    """Key -> what was typed so far."""
    is_called: bool = False
    """The user was called to it."""
    is_command: bool = False
    """Without text there is nothing to run."""
    rule_problem: Callable[[str], str] = lambda _: ""
    """Why what was typed for a rule is none; empty when it is one."""

    def typed_anew(self) -> list[str]:
        """Return what was typed and is not what it began with."""
        return [text for key, text in self.typed.items() if text.strip() and text != self.given[key]]

    def settle(self, answer: str) -> None:
        """Give the answer, if there is none yet."""
        if not self.answer.done():
            self.answer.set_result(answer)


class Field(Protocol):
    """Where an answer is typed."""

    def open(self, label: str, text: str, typing: Typing) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """What questions need of the terminal and the session.

    ``commit`` puts lines above for good; ``size`` is (columns, rows) now; ``ring`` calls for the user; ``diff``: the
    diff that a write or edit would make, empty for other calls; ``place``: where a command would run, empty if that is
    not known; ``typed`` is told that an answer in the ``field`` has changed; ``keep`` puts what was typed there into
    the input, once nobody waits for the answer any more; ``insert`` types into the input what was no answer.
    """

    refresh: Callable[[], None]
    commit: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    clock: Clock
    ring: Callable[[], None]
    diff: Callable[[Question], str]
    place: Callable[[Question], str]
    field: Field
    typed: Callable[[], None]
    keep: Callable[[str], None]
    insert: Callable[[str], None]


class TypedAnswer:
    """The answer that is being typed, if one is."""

    def __init__(self, face: Face) -> None:
        self._face = face
        self._asked: Asked | None = None
        self._since = 0.0
        self.key = ""
        """The key whose answer it is: `r`, `e`; empty: none is typed."""

    def begin(self, asked: Asked, key: str) -> None:
        """Open the field for what belongs to ``key``; what was typed for it before stands there."""
        self._asked, self.key, self._since = asked, key, self._face.clock()
        text = asked.typed.get(key, asked.given[key])
        typing = Typing(
            changed=partial(self._changed, text), entered=self._entered, left=partial(self.leave, asked)
        )
        self._face.field.open(LABELS[key], text, typing)
        self._face.refresh()

    def leave(self, asked: Asked) -> None:
        """Close the field if it is that question's; what was typed is there when the key is pressed again."""
        if self._asked is asked:
            self._asked, self.key = None, ""
            self._face.field.close()
            self._face.refresh()

    def _changed(self, before: str, text: str) -> None:
        """Keep what is typed; a letter right behind `e` or `c` means that both were begun as words for the prompt.

        Else they would run, at the end of a command or a rule. Who presses `r` may well go on typing at once.
        """
        if (asked := self._asked) is None:
            return
        is_soon = self.key != "r" and self._face.clock() - self._since < QUIET_S
        if is_soon and len(text) == len(before) + 1 and text.startswith(before) and text[-1].isprintable():
            words = f"{self.key}{text[-1]}"
            self.leave(asked)
            self._face.insert(words)
        else:
            asked.typed[self.key] = text
        self._face.typed()

    def _entered(self, text: str) -> None:
        """Take what was typed; of a command or rule of which nothing is left, back to the question; a rule must be one."""
        if (asked := self._asked) is None:
            return
        if not text.strip() and (self.key == RULE or (self.key == EDIT and asked.is_command)):
            self.leave(asked)
        elif self.key == RULE and (problem := asked.rule_problem(text)):
            self._face.commit(complaint(problem, self._face.size()[0]))
        else:
            asked.settle(f"{self.key}{text.strip() if self.key == 'r' else text}")
