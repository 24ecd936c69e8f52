"""What the screen is made of: its parts, one below the other, and the field that is typed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, vi_navigation_mode
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.key_binding import DynamicKeyBindings, KeyBindings, KeyBindingsBase, merge_key_bindings
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput

from agent.glyphs import settled
from agent.terminal.frames import steady
from agent.terminal.input_display import ShownInput
from agent.terminal.paste_folds import Folds
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.resting import Resting
from agent.terminal.searching_back import SearchBack

TAIL_ROWS = 8
"""Most rows of an unfinished answer that are shown; the rest is above it once it is finished."""
INPUT_ROWS = 10
NARROW = 30
SPARED_ROWS = 3
"""Rows that no part may take from the input, the status bar and what is above."""

Lines = Callable[[int], Sequence[str]]
"""Width in columns -> lines with ANSI colours, none wider than that."""


def no_lines(width: int) -> Sequence[str]:
    """Return nothing: what a part of the screen shows that has nothing to say."""
    return ()


@dataclass(slots=True)
class Parts:
    """What stands above and below the input, each drawn anew with every frame."""

    tail: Lines = no_lines
    """The unfinished answer."""
    todos: Lines = no_lines
    """The item of the todo list that is at work."""
    activity: Lines = no_lines
    """Running tools."""
    queue: Lines = no_lines
    """What waits to be sent."""
    question: Lines = no_lines
    """A question that wants an answer."""
    picker: Lines = no_lines
    """A list to choose from, searched in the field below it."""
    menu: Lines = no_lines
    """Completions."""
    status: Lines = no_lines
    """The status bar."""
    is_calm: Callable[[], bool] = lambda: True
    """False while the window is being resized: what is drawn then lands on a terminal of another size. Only the input
    and the bar are, and that narrow: there is nothing in them to wrap, or to be pushed out of the window.
    """


class Fields:
    """What can be typed in: the input, and in its place a search of what was typed before, or another field."""

    def __init__(self, prompt: PromptBuffer) -> None:
        self.is_replaced = False
        """The other field stands in place of the input, which keeps what is typed in it."""
        self._label = ""
        self._keys: KeyBindingsBase | None = None
        self._changed: Callable[[str], None] | None = None
        self._other = Buffer(on_text_changed=self._tell)
        self.back = SearchBack(prompt)
        keys = KeyBindings()
        keys.add("c-r", filter=~vi_navigation_mode)(self.back.begin)
        for name in ("/", "?"):
            keys.add(name, filter=vi_navigation_mode)(self.back.begin)
        self.prompt = BufferControl(
            prompt,
            input_processors=[ShownInput(prompt.folds), BeforeInput("> ")],
            focusable=True,
            search_buffer_control=self.back.control,
            key_bindings=keys,
        )
        self.other = BufferControl(
            self._other,
            input_processors=[ShownInput(Folds()), BeforeInput(lambda: self._label)],
            focusable=True,
            key_bindings=DynamicKeyBindings(lambda: self._keys),
        )

    def add_keys(self, *keys: KeyBindingsBase) -> None:
        """Let the input know more keys, before all others."""
        own = self.prompt.key_bindings
        self.prompt.key_bindings = merge_key_bindings([*([own] if own else []), *keys])

    def opened(
        self, keys: KeyBindingsBase, changed: Callable[[str], None], *, label: str, text: str
    ) -> Buffer:
        """Show the other field, holding ``text``; return where it is typed. ``changed`` gets its text."""
        # Of many lines the first are looked at first; one line is gone on with at its end.
        self._other.reset(Document(text, 0 if "\n" in text else len(text)))
        self._label, self._keys, self._changed, self.is_replaced = label, keys, changed, True
        return self._other

    def close(self) -> None:
        """Show the input."""
        self._keys = self._changed = None
        self.is_replaced = False

    def _tell(self, buffer: Buffer) -> None:
        if self._changed is not None:
            self._changed(buffer.text)


def layout_of(parts: Parts, fields: Fields, size: Callable[[], tuple[int, int]]) -> Layout:
    """Return the parts and the field with the cursor; ``size``: columns to draw in, and rows, now."""
    window = partial(_window, parts, size)
    container = Resting(
        [
            Window(height=Dimension(min=0, max=1, preferred=1)),
            window("tail", most=TAIL_ROWS),
            window("todos"),
            window("activity"),
            window("queue"),
            window("question", is_vital=True),
            window("picker", is_vital=True),
            _field(fields.prompt, lambda: not (fields.is_replaced or fields.back.is_open)),
            _field(fields.back.control, lambda: fields.back.is_open),
            _field(fields.other, lambda: fields.is_replaced),
            window("menu"),
            window("status", is_vital=True),
        ]
    )
    return Layout(container, focused_element=fields.prompt)


def _field(control: BufferControl, is_shown: Callable[[], bool]) -> ConditionalContainer:
    window = Window(
        control, height=Dimension(min=1, max=INPUT_ROWS), wrap_lines=True, dont_extend_height=True
    )
    return ConditionalContainer(VSplit([window, Window(width=1)]), filter=Condition(is_shown))


def _window(
    parts: Parts,
    size: Callable[[], tuple[int, int]],
    part: str,
    *,
    most: int = 1_000,
    is_vital: bool = False,
) -> ConditionalContainer:
    """A window as high as the part's lines, the last ``most`` of them; none when there are none.

    On a screen that is too small for all, what is not ``is_vital`` gets fewer rows, or none.
    """

    def lines() -> Sequence[str]:
        is_calm = parts.is_calm()
        if not is_calm and part != "status":
            return ()
        draw: Lines = getattr(parts, part)
        columns, rows = size()
        columns = columns if is_calm else min(columns, NARROW)
        return draw(columns)[-min(most, max(1, rows - SPARED_ROWS)) :]

    def fragments() -> StyleAndTextTuples:
        return to_formatted_text(ANSI(steady(settled("\n".join(lines())))))

    def height() -> Dimension:
        rows = max(1, len(lines()))
        return Dimension(min=rows if is_vital else 0, max=rows, preferred=rows)

    window = Window(
        FormattedTextControl(fragments, focusable=False),
        height=height,
        wrap_lines=False,
        dont_extend_height=True,
    )
    return ConditionalContainer(window, filter=Condition(lambda: bool(lines())))
