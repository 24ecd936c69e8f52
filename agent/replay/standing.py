"""What the model can still see when it needs it: texts to edit, and names to use."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agent.replay.files import edits_of
from compaction.messages import Block, result_text, tool_uses
from compaction.view import Placed, View

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{5,}")
"""An identifier: shorter ones are words as often as not."""
NUMBER = re.compile(r"^\d+\t", re.MULTILINE)


class Support:
    """Counts edits, and those whose old text stands verbatim in the view at that moment.

    Texts count without line numbers: results, what compactions put in place, and inputs of earlier writes and edits.
    """

    def __init__(self) -> None:
        self.edits = 0
        self.supported = 0
        self._texts: dict[str, tuple[str, ...]] = {}

    def see(self, view: View, assistant: Iterable[Block]) -> None:
        """Judge the edits of a reply by the view that it was made from."""
        wanted = [
            str(edit.get("old_string", ""))
            for call in tool_uses(assistant)
            if call["name"] == "edit"
            for edit in edits_of(call["input"])
        ]
        if not wanted:
            return
        texts = [text for placed in view for text in self._of(view, placed)]
        self.edits += len(wanted)
        self.supported += sum(any(old in text for text in texts) for old in wanted)

    def _of(self, view: View, placed: Placed) -> tuple[str, ...]:
        if placed.id not in self._texts:
            self._texts[placed.id] = tuple(_live_texts(view, placed))
        return self._texts[placed.id]


class FirstUse:
    """Counts names that the model uses for the first time and that an earlier result held, and those still in view."""

    def __init__(self) -> None:
        self.uses = 0
        self.standing = 0
        self._used: set[str] = set()
        self._shown: set[str] = set()
        self._names: dict[str, frozenset[str]] = {}

    def see(self, view: View, assistant: Iterable[Block]) -> None:
        """Judge the names in a reply's words and inputs by the view that it was made from."""
        used = {name for text in _words(assistant) for name in NAME.findall(text)}
        first = (used - self._used) & self._shown
        self._used |= used
        if first:
            names = frozenset[str]().union(*(self._of(placed) for placed in view if placed.role == "user"))
            self.uses += len(first)
            self.standing += len(first & names)

    def shown(self, user: Iterable[Block]) -> None:
        """Take in the results of a step, as they were before any layer."""
        for block in user:
            if block["type"] == "tool_result":
                self._shown.update(NAME.findall(result_text(block)))

    def _of(self, placed: Placed) -> frozenset[str]:
        if placed.id not in self._names:
            block = placed.block
            text = block["text"] if block["type"] == "text" else ""
            shown = result_text(block) if block["type"] == "tool_result" else text
            self._names[placed.id] = frozenset(NAME.findall(shown))
        return self._names[placed.id]


def _live_texts(view: View, placed: Placed) -> Iterator[str]:
    block = placed.block
    if block["type"] == "tool_result":
        yield NUMBER.sub("", result_text(block))
    elif block["type"] == "text" and view.is_changed(placed):
        yield NUMBER.sub("", block["text"])
    elif block["type"] == "tool_use" and block["name"] in ("edit", "write"):
        yield from strings(block["input"])


def _words(assistant: Iterable[Block]) -> Iterator[str]:
    for block in assistant:
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_use":
            yield from strings(block["input"])


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
