"""The keys of the input, and what is pasted into it."""

from collections.abc import Callable
from dataclasses import dataclass

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.keys import Keys

from agent.surrogates import repaired_text
from agent.terminal.pasting import cleaned
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.sequences import SEQUENCES, drop_sequence, is_pasted
from agent.terminal.vi_keys import is_typing


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
