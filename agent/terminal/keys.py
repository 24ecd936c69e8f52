"""The keys of the input, and what is pasted into it."""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.keys import Keys

from agent.surrogates import repaired_text
from agent.terminal.pasting import cleaned
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.vi_keys import is_typing

SEQUENCES = ("[", "]")
"""What begins, behind Esc, a control sequence or a string of one."""
INSIDE, LAST = re.compile("[ -?]"), re.compile("[@-~]")
"""The characters of a control sequence."""
PAGE = 10
ALL = 1_000_000
MOVES = {
    ("up", "c-p"): -1,
    ("down", "c-n"): 1,
    ("pageup",): -PAGE,
    ("pagedown",): PAGE,
    ("home",): -ALL,
    ("end",): ALL,
}
"""How far keys go in a list."""
MOST_SEARCHED = 1_000
"""Characters of a paste that is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions:
    """What keys do, given by whoever runs the session."""

    submit: Callable[[str], None]
    interrupt: Callable[[], None]
    is_busy: Callable[[], bool]
    leave: Callable[[], None]
    """Ctrl-D on an empty input."""
    ask_to_leave: Callable[[], None]
    """Ctrl-C on an empty input, idle: the first time it says how to leave, the second it leaves."""
    takes_answer: Callable[[str], bool]
    """True when a question stands and the key is an answer to it."""
    answer: Callable[[str], None]
    key_typed: Callable[[], None]
    suspend: Callable[[], None]
    unfold: Callable[[], None]
    """Ctrl-O."""


class InputKeys:
    """The keys of the input; emacs keys come from prompt-toolkit."""

    def __init__(self, actions: Actions, buffer: PromptBuffer) -> None:
        self._actions = actions
        self._buffer = buffer

    def bindings(self) -> KeyBindings:
        """Return what each key does."""
        keys = KeyBindings()
        keys.add(Keys.Any, filter=is_typing)(self.typed)
        keys.add("enter")(self.entered)
        keys.add("escape", "enter")(self.newline)
        keys.add(Keys.BracketedPaste)(self.pasted)
        # Eager: Esc must not wait for a sequence that it could begin.
        keys.add("escape", filter=Condition(self._actions.is_busy), eager=True)(self.escaped)
        for opening in SEQUENCES:
            keys.add("escape", opening)(self.sequence_begun)
        keys.add("c-c")(self.stopped)
        keys.add("c-d")(self.ended)
        keys.add("c-z")(self.suspended)
        keys.add("c-o")(lambda _: self._actions.unfold())
        return keys

    def typed(self, event: KeyPressEvent) -> None:
        """A character: the answer to a question, or part of the prompt."""
        if self._actions.takes_answer(event.data):
            self._actions.answer(event.data)
            return
        self._actions.key_typed()
        event.current_buffer.insert_text(repaired_text(event.data) * event.arg)

    def entered(self, event: KeyPressEvent) -> None:
        """Send the input; within a paste it is a new line."""
        buffer = event.current_buffer
        if is_pasted(event):
            buffer.insert_text("\n")
        elif buffer.complete_state and buffer.complete_state.current_completion:
            buffer.apply_completion(buffer.complete_state.current_completion)
        else:
            event.app.vi_state.input_mode = InputMode.INSERT
            self._actions.submit(self._buffer.take())

    def newline(self, event: KeyPressEvent) -> None:
        """Alt-Enter: a new line."""
        event.current_buffer.insert_text("\n")

    def pasted(self, event: KeyPressEvent) -> None:
        """A paste is text, whatever stands in it; a long one is folded."""
        self._actions.key_typed()
        self._buffer.paste(cleaned(event.data))

    def escaped(self, event: KeyPressEvent) -> None:
        """Esc interrupts; Alt-Enter, which comes as Esc and Enter, is still a new line."""
        queue = event.key_processor.input_queue
        if not queue:
            self._actions.interrupt()
        elif queue[0].key == Keys.ControlM:
            queue.popleft()
            self.newline(event)
        elif queue[0].key in SEQUENCES:
            drop_sequence(queue.popleft().key, queue)

    def sequence_begun(self, event: KeyPressEvent) -> None:
        """What a terminal says unasked (focus, an answer to another program, a lone end of a paste) is no text."""
        drop_sequence(event.key_sequence[-1].key, event.key_processor.input_queue)

    def stopped(self, event: KeyPressEvent) -> None:
        """Ctrl-C: interrupt, else clear the input, else leave at the second time."""
        if self._actions.is_busy():
            self._actions.interrupt()
        elif event.current_buffer.text:
            self._buffer.take()  # Up brings it back
        else:
            self._actions.ask_to_leave()

    def ended(self, event: KeyPressEvent) -> None:
        """Ctrl-D: leave on an empty input, else delete."""
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            self._actions.leave()

    def suspended(self, event: KeyPressEvent) -> None:
        """Ctrl-Z: give the terminal back until `fg`."""
        self._actions.suspend()


class Pickable(Protocol):
    """A list to choose from, as its keys see it."""

    @property
    def is_asking(self) -> bool:
        """A question stands: what is typed is its answer."""
        ...

    def move(self, by: int) -> None: ...

    def accept(self) -> None: ...

    def leave(self) -> None: ...

    def delete(self) -> None: ...

    def answer(self, key: str) -> None: ...


class PickerKeys:
    """The keys of a list while its search has the cursor; what else is typed is searched."""

    def __init__(self, picker: Pickable) -> None:
        self._picker = picker

    def bindings(self) -> KeyBindings:
        """Return what each key does."""
        keys, picker = KeyBindings(), self._picker
        for names, by in MOVES.items():
            for name in names:
                keys.add(name)(lambda _, by=by: picker.move(by))
        keys.add("enter")(lambda _: picker.accept())
        keys.add("c-d")(lambda _: picker.delete())
        for name in ("c-c", "c-g"):
            keys.add(name)(lambda _: picker.leave())
        keys.add("escape", eager=True)(self.escaped)
        keys.add(Keys.BracketedPaste)(self.pasted)
        keys.add(Keys.Any, filter=Condition(lambda: picker.is_asking))(
            lambda event: picker.answer(event.data)
        )
        return keys

    def escaped(self, event: KeyPressEvent) -> None:
        """Esc leaves; a key with Alt, and what a terminal says unasked, is nothing."""
        queue = event.key_processor.input_queue
        if not queue:
            self._picker.leave()
        elif (following := queue.popleft().key) in SEQUENCES:
            drop_sequence(following, queue)

    def pasted(self, event: KeyPressEvent) -> None:
        """A paste is searched, on one line; it is never an answer."""
        if not self._picker.is_asking:
            event.current_buffer.insert_text(" ".join(cleaned(event.data[:MOST_SEARCHED]).split()))


def is_pasted(event: KeyPressEvent) -> bool:
    """True when more text came in the same read: lines pasted by a terminal without bracketed paste."""
    queue = event.key_processor.input_queue
    return bool(queue) and (len(queue[0].key) == 1 or queue[0].key in (Keys.ControlM, Keys.ControlI))


def drop_sequence(opening: str, queue: deque[KeyPress]) -> None:
    """Take the rest of a control sequence, of which Esc and ``opening`` were read, from the ``queue`` of keys."""
    is_in_string = opening == "]"
    while queue:
        key = queue.popleft()
        if is_in_string and key.key == Keys.ControlG:
            return
        if is_in_string and key.key == Keys.Escape:
            if queue and queue[0].key == "\\":
                queue.popleft()
            return
        if not is_in_string and not INSIDE.fullmatch(key.data):
            if not LAST.fullmatch(key.data):
                queue.appendleft(key)
            return
