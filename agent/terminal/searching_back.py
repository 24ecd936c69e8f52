"""Ctrl-R: what was typed before, searched backwards in the input's place."""

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, SearchBufferControl
from prompt_toolkit.layout.processors import ReverseSearchProcessor, Transformation, TransformationInput
from prompt_toolkit.search import SearchDirection, SearchState, accept_search, start_search, stop_search

from agent.terminal.picker_keys import searched
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.sequences import at_lone_escape

FAILED = "failed "
TAKING = ("enter", "tab", "left", "right", "home", "end", "c-a", "c-e", "c-d", "c-j")
"""Keys that take what was found into the input, where a second Enter sends it."""


class SearchBack:
    """The search through the history of one input; until it is taken, the input stays as it was.

    The keys within the search that are not here (Ctrl-R and Up go on, Ctrl-S and Down go back) are prompt-toolkit's.
    """

    def __init__(self, searched: PromptBuffer) -> None:
        self._searched = searched
        self._query = Buffer(multiline=False)
        self._began_at = searched.place
        self._mode = InputMode.INSERT
        self.control = SearchBufferControl(
            self._query,
            input_processors=[ShownSearch()],
            ignore_case=True,
            key_bindings=self._keys(),
        )

    @property
    def is_open(self) -> bool:
        """What is typed is searched."""
        return get_app().layout.current_control is self.control

    def begin(self, event: KeyPressEvent) -> None:
        """Ctrl-R in the input."""
        self._searched.cancel_completion()
        self._began_at = self._searched.place
        self._mode = event.app.vi_state.input_mode
        self._query.reset()
        self.control.searcher_search_state.text = ""
        start_search(direction=SearchDirection.BACKWARD)

    def take(self, event: KeyPressEvent) -> None:
        """Put what was found into the input; nothing where nothing was searched."""
        if self._query.text:
            accept_search()
            event.app.vi_state.input_mode = self._mode
        else:
            self.leave()

    def leave(self) -> None:
        """Go back to the input as it was."""
        stop_search()
        get_app().vi_state.input_mode = self._mode
        self._searched.go_to(self._began_at)

    def pasted(self, event: KeyPressEvent) -> None:
        """A paste is searched, on one line."""
        self._query.insert_text(searched(event.data))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for name in TAKING:
            keys.add(name)(self.take)
        for name in ("c-c", "c-g"):
            keys.add(name)(lambda _: self.leave())
        keys.add("escape", eager=True)(at_lone_escape(self.leave))
        keys.add(Keys.BracketedPaste)(self.pasted)
        return keys


class ShownSearch(ReverseSearchProcessor):
    """As bash shows it: "(reverse-i-search)`words': what was found", and that nothing was."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Return the line as it is drawn."""
        made = super().apply_transformation(transformation_input)
        target = get_app().layout.search_target_buffer_control
        query = transformation_input.document.text
        if target is None or transformation_input.lineno or _is_found(target, query):
            return made
        made.fragments = [made.fragments[0], ("", FAILED), *made.fragments[1:]]
        shifted = made.source_to_display
        made.source_to_display = lambda at: shifted(at) + len(FAILED)
        return made


def _is_found(target: BufferControl, query: str) -> bool:
    state = SearchState(query, target.search_state.direction, ignore_case=True)
    return query.casefold() in target.buffer.document_for_search(state).text.casefold()
