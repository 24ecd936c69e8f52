"""Vi keys: prompt-toolkit's own, and what they need so that Esc, typing and the answers to questions stay ours."""

from collections.abc import Callable
from functools import partial
from string import ascii_lowercase
from typing import Any

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.vi_state import InputMode

ABOUT = "emacs keys; /vi on: vi keys, Esc leaves insert mode first, a second one interrupts"
ABOUT_VI = "vi keys: Esc leaves insert mode first, a second one interrupts; /vi off: emacs keys"


@Condition
def is_typing() -> bool:
    """What is typed is text: always with emacs keys, in insert mode with vi keys."""
    app = get_app()
    state = app.vi_state
    is_inserting = state.input_mode == InputMode.INSERT and not state.waiting_for_digraph
    return app.editing_mode == EditingMode.EMACS or is_inserting


@Condition
def is_begun() -> bool:
    """There is something that Esc ends before it interrupts: insert mode, an operator that waits, a selection."""
    app = get_app()
    state = app.vi_state
    is_waiting = state.operator_func is not None or app.current_buffer.selection_state is not None
    return app.editing_mode == EditingMode.VI and (state.input_mode != InputMode.NAVIGATION or is_waiting)


@Condition
def is_lone() -> bool:
    """Nothing came together with the key: an Esc that begins no sequence."""
    return not get_app().key_processor.input_queue


class ViKeys:
    """Whether vi keys are on, and the keys that are ours then."""

    def __init__(self, app: Application[Any]) -> None:
        self._app = app

    @property
    def word(self) -> str:
        """What the bar says of it: nothing with emacs keys."""
        if self._app.editing_mode == EditingMode.EMACS:
            return ""
        return "vi insert" if self._app.vi_state.input_mode == InputMode.INSERT else "vi normal"

    def switch(self, words: str) -> str:
        """Switch by the words behind `/vi`; return what holds now."""
        if words in ("on", "off"):
            self._app.editing_mode = EditingMode.VI if words == "on" else EditingMode.EMACS
            self.insert()
        elif words:
            return f"/vi on or /vi off, not `{words}`"
        return ABOUT_VI if self.word else ABOUT

    def insert(self) -> None:
        """Be in insert mode: something new is to be typed."""
        self._app.vi_state.input_mode = InputMode.INSERT

    def keys(self, takes: Callable[[str], bool], answer: Callable[[str], None]) -> KeyBindings:
        """Return the keys, for the input before all others.

        Args:  takes: whether a key is the answer to a question that stands; answer: gives it.
        """
        keys = KeyBindings()
        keys.add("escape", filter=is_begun & is_lone, eager=True)(_left)
        for letter in ascii_lowercase:
            is_answer = Condition(partial(takes, letter))
            keys.add(letter, filter=~is_typing & is_answer, eager=True)(lambda event: answer(event.data))
        return keys


def _left(event: KeyPressEvent) -> None:
    """Leave what is begun, as vi does."""
    buffer, state = event.current_buffer, event.app.vi_state
    if state.input_mode != InputMode.NAVIGATION:
        buffer.cancel_completion()
        buffer.cursor_position += buffer.document.get_cursor_left_position()
    buffer.exit_selection()
    state.input_mode = InputMode.NAVIGATION
