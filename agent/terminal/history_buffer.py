"""An input in which the history is shown in place of the draft, and the draft is still there behind it."""

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.history import History


class HistoryBuffer(Buffer):
    """Knows what prompt-toolkit keeps to itself: where in the history it is, and what was typed before it went there."""

    @property
    def place(self) -> tuple[int, int]:
        """How many entries of the history back, 0 for the draft, and the cursor in it; holds while more are loaded."""
        return len(self._working_lines) - 1 - self.working_index, self.cursor_position

    def go_to(self, place: tuple[int, int]) -> None:
        """Show what stands at a ``place``."""
        back, cursor = place
        self.working_index = len(self._working_lines) - 1 - back
        self.cursor_position = cursor

    @property
    def behind(self) -> str:
        """The draft while an entry of the history is shown in its place; empty when there is none."""
        return self._working_lines[-1] if self.place[0] else ""

    def use_history(self, history: History) -> None:
        """Know what was typed before; what was sent until now is added to it, what is typed stays."""
        for entry in self.history.get_strings():
            history.append_string(entry)
        self.history = history
        self.reset(self.document)  # else the history before it counts as loaded, and this one is not
        self.load_history_if_not_yet_loaded()
