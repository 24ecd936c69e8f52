"""The keys of a list that is searched."""

from typing import Protocol

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from agent.terminal.pasting import cleaned
from agent.terminal.sequences import at_lone_escape

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
        keys.add("escape", eager=True)(at_lone_escape(picker.leave))
        keys.add(Keys.BracketedPaste)(self.pasted)
        keys.add(Keys.Any, filter=Condition(lambda: picker.is_asking))(
            lambda event: picker.answer(event.data)
        )
        return keys

    def pasted(self, event: KeyPressEvent) -> None:
        """A paste is searched; it is never an answer."""
        if not self._picker.is_asking:
            event.current_buffer.insert_text(searched(event.data))


def searched(pasted: str) -> str:
    """Return what is searched of a paste: its beginning, on one line."""
    return " ".join(cleaned(pasted[:MOST_SEARCHED]).split())
