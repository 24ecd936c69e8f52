"""Where the calls and results of a view stand, and how much stands behind them; grows with the view.

What is asked before every step is answered from here, so that a step costs no more for all that is old.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from compaction.messages import is_thinking

if TYPE_CHECKING:
    from compaction.view import Placed

TAKEABLE = ("tool_use", "tool_result")
MARKER = re.compile(r"\[\[archived: \S+ · .+ · (?:read|in) (.+)\]\]")
"""First line of what stands for a stretch that was archived; believed only where a compaction put the block."""


class Index:
    """Of one view; positions count its blocks from 0."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, Placed]] = []
        """(position, block) of the calls and results, in order."""
        self.messages = 0
        """Neighbouring blocks of one role are one message; markers are not counted, and part what they stand between."""
        self.markers = 0
        self._before = ""
        self._tokens = [0]
        self._thinking = [0]
        self._replies: list[list[Placed]] = []
        self._reply_of: dict[str, int] = {}

    def add(self, placed: "Placed", *, is_put: bool) -> None:
        """Take in the block that comes to stand at the end.

        Args:  is_put: a compaction put it there.
        """
        kind = "marker" if is_put and is_marker(placed) else placed.role
        self.markers += kind == "marker"
        self.messages += kind not in ("marker", self._before)
        if placed.block["type"] in TAKEABLE:
            self.calls.append((len(self._tokens) - 1, placed))
        self._tokens.append(self._tokens[-1] + placed.tokens)
        self._thinking.append(self._thinking[-1] + (placed.tokens if is_thinking(placed.block) else 0))
        if placed.role == "assistant":
            if self._before != "assistant":
                self._replies.append([])
            self._replies[-1].append(placed)
            self._reply_of[placed.id] = len(self._replies) - 1
        self._before = kind

    def copy(self) -> "Index":
        """Return an equal index that grows on its own."""
        twin = Index()
        twin.calls = list(self.calls)
        twin.messages, twin.markers, twin._before = self.messages, self.markers, self._before
        twin._tokens, twin._thinking = list(self._tokens), list(self._thinking)
        twin._replies = [list(reply) for reply in self._replies]
        twin._reply_of = dict(self._reply_of)
        return twin

    def calls_before(self, position: int) -> Sequence[tuple[int, "Placed"]]:
        """Return those of `calls` that stand before ``position``."""
        return self.calls[: bisect_left(self.calls, position, key=lambda entry: entry[0])]

    def tokens(self, start: int, end: int) -> int:
        """Sum of the tokens from ``start`` up to ``end``."""
        return self._tokens[end] - self._tokens[start]

    def thinking(self, start: int, end: int) -> int:
        """The same of thinking alone."""
        return self._thinking[end] - self._thinking[start]

    def reply_of(self, placed: "Placed") -> Sequence["Placed"]:
        """Return the blocks of the assistant message that a call is part of, itself among them.

        Not by their record: what a compaction put into a message belongs to it as well.
        """
        return self._replies[self._reply_of[placed.id]]


def is_marker(placed: "Placed") -> bool:
    """True for a text that looks like what stands for an archived stretch."""
    block = placed.block
    return block["type"] == "text" and MARKER.match(block["text"]) is not None
