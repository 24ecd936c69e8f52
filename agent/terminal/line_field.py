"""The field of an answer on a terminal of lines: the next line is the answer."""

from collections.abc import Callable

from agent.surrogates import repaired_text
from agent.terminal.answering import Typing
from agent.terminal.render import plain


class LineField:
    """What `question.Field` promises; a line that takes the place of a text is typed whole.

    Args:  write: puts lines above the prompt.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._typing: Typing | None = None
        self.label = ""
        """What stands before the answer; empty while none is wanted."""

    def open(self, label: str, text: str, typing: Typing) -> None:
        """Want an answer; ``text`` is what it takes the place of."""
        if text:
            self._write(f"now it is:\n{plain(repaired_text(text))}")
        self.label, self._typing = label, typing

    def take(self, line: str) -> None:
        """Answer with ``line``."""
        if self._typing is not None:
            self._typing.entered(line)

    def close(self) -> None:
        """Want no answer any more."""
        self.label, self._typing = "", None
