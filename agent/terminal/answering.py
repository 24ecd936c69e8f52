"""The field in which an answer to a question is typed: it stands in place of the input, whose draft stays as it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from agent.surrogates import repaired_text
from agent.terminal.pasting import cleaned
from agent.terminal.sequences import SEQUENCES, drop_sequence, is_pasted


class Open(Protocol):
    """Puts a field with keys of its own in place of the input."""

    def __call__(
        self, keys: KeyBindings, changed: Callable[[str], None], label: str, text: str, /
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """What becomes of what is typed: ``changed`` gets it with every key, ``entered`` at Enter; ``left``: Esc."""

    changed: Callable[[str], None]
    entered: Callable[[str], None]
    left: Callable[[], None]


class AnswerField:
    """Opens the field and closes it.

    Args:  open: puts a field in place of the input; close: brings the input back.
    """

    def __init__(self, open: Open, close: Callable[[], None]) -> None:
        self._open = open
        self.close = close

    def open(self, label: str, text: str, typing: Typing) -> None:
        """Show the field, holding ``text``, behind ``label``."""
        self._open(AnswerKeys(typing).bindings(), typing.changed, label, repaired_text(text))


class AnswerKeys:
    """The keys of the field; all others are those of the input."""

    def __init__(self, typing: Typing) -> None:
        self._typing = typing

    def bindings(self) -> KeyBindings:
        """Return what each key does."""
        keys = KeyBindings()
        keys.add("enter")(self.entered)
        keys.add("escape", eager=True)(self.escaped)
        keys.add("c-g")(lambda _: self._typing.left())
        keys.add(Keys.BracketedPaste)(lambda event: event.current_buffer.insert_text(cleaned(event.data)))
        keys.add("c-d")(lambda event: event.current_buffer.delete())
        return keys

    def entered(self, event: KeyPressEvent) -> None:
        """Enter is the answer; within a paste it is a new line."""
        if is_pasted(event):
            event.current_buffer.insert_text("\n")
        else:
            self._typing.entered(event.current_buffer.text)

    def escaped(self, event: KeyPressEvent) -> None:
        """Esc goes back to the question; Alt-Enter, which comes as Esc and Enter, is a new line."""
        queue = event.key_processor.input_queue
        if not queue:
            self._typing.left()
        elif (following := queue.popleft().key) in SEQUENCES:
            drop_sequence(following, queue)
        elif following == Keys.ControlM:
            event.current_buffer.insert_text("\n")
