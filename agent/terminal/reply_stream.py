"""A reply on its way: its texts and its thinking, committed as soon as nothing can change them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agent.terminal.markdown import MarkdownStream
from agent.terminal.thinking import Thinking


class Commit(Protocol):
    """Puts lines of a kind above, under an empty line if they are apart; nothing when there are none."""

    def __call__(self, kind: str, text: str, *, is_apart: bool = False) -> None: ...


class ReplyStream:
    """Takes one reply after the other.

    Args:  width: columns now.
    """

    def __init__(self, commit: Commit, width: Callable[[], int]) -> None:
        self.thoughts = Thinking()
        self._answer = MarkdownStream()
        self._commit = commit
        self._width = width
        self._is_begun = False
        """Something of the reply stands above."""

    def tail(self, width: int) -> Sequence[str]:
        """Return the unfinished text, or the end of the thinking before it."""
        return self._answer.tail(width) or self.thoughts.tail(width)

    def say(self, words: str) -> None:
        """More of a text; what is finished of it is committed."""
        self._put_thoughts()
        self._answer.feed(words)
        if "\n" in words:
            is_inside = self._answer.is_inside
            self._put("answer", self._answer.take_finished(self._width()), is_apart=not is_inside)

    def think(self, words: str) -> None:
        """More of the thinking; a text before it is whole."""
        self._put_answer()
        self.thoughts.feed(words)

    def end(self) -> None:
        """The reply is whole, or its turn is over."""
        self._put_answer()
        self._put_thoughts()
        self._is_begun = False

    def discard(self) -> bool:
        """What has come is void; return whether something of it stands above."""
        is_begun, self._is_begun = self._is_begun, False
        self._answer.discard()
        self.thoughts.discard()
        return is_begun

    def _put_answer(self) -> None:
        is_inside = self._answer.is_inside
        self._put("answer", self._answer.finish(self._width()), is_apart=not is_inside)

    def _put_thoughts(self) -> None:
        self._put("thinking", self.thoughts.take(self._width()), is_apart=True)

    def _put(self, kind: str, text: str, *, is_apart: bool) -> None:
        self._is_begun = self._is_begun or bool(text)
        self._commit(kind, text, is_apart=is_apart)
