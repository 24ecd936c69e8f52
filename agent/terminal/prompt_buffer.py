"""What is typed, with long pastes folded."""

from prompt_toolkit.document import Document
from prompt_toolkit.search import SearchState

from agent.terminal.history_buffer import HistoryBuffer
from agent.terminal.paste_folds import Folds


class PromptBuffer(HistoryBuffer):
    """The text of the input.

    A folded paste is one character of ``text``, so it is moved over, deleted and brought back as one. Who takes
    the text out of here takes what it is ``expanded`` to; who brings text in brings it expanded too.
    """

    def __init__(self) -> None:
        self.folds = Folds()
        super().__init__(multiline=True)

    @property
    def expanded(self) -> str:
        """What was typed and pasted, in full."""
        return self.folds.expanded(self.text)

    @property
    def unsent(self) -> str:
        """All that is in no other place: also the draft behind an entry of the history that is shown."""
        draft, shown = self.folds.expanded(self.behind), self.expanded
        if not draft:
            return shown
        return draft if shown in self.history.get_strings() else f"{draft}\n{shown}"

    def paste(self, text: str) -> None:
        """Insert a paste, folded if it is long."""
        self.insert_text(self.folds.folded(text))

    def put(self, text: str) -> None:
        """Have ``text`` in place of what stands here, the cursor behind it; its pastes are folded as they were."""
        found = self.folds.folded_again(text)
        self.document = Document(found, len(found))

    def put_before(self, text: str) -> None:
        """Put ``text`` on lines of its own before what stands here, the cursor behind it."""
        given, typed = self.folds.folded_again(text), self.text
        whole = f"{given}\n{typed}" if typed else given
        self.document = Document(whole, len(whole))

    def take(self) -> str:
        """Return what it is expanded to; the history keeps it. What is left is the draft behind it, if there was one."""
        taken, draft = self.expanded, self.behind
        self.append_to_history()
        self.reset(Document(draft, len(draft)))
        return taken

    def append_to_history(self) -> None:
        """Have the history keep it, expanded: it outlives what is known here."""
        text = self.expanded
        kept = self.history.get_strings()
        if text and kept[-1:] != [text]:
            self.history.append_string(text)

    def delete_before_cursor(self, count: int = 1) -> str:
        """Delete; what is left of the word may be completed to something else."""
        deleted = super().delete_before_cursor(count)
        if deleted and self.complete_while_typing():
            self.start_completion()
        return deleted

    def history_backward(self, count: int = 1) -> None:
        """Go back to what was sent before."""
        super().history_backward(count)
        self._fold_entry()

    def history_forward(self, count: int = 1) -> None:
        """Go on to what was sent after."""
        super().history_forward(count)
        self._fold_entry()

    def apply_search(
        self, search_state: SearchState, include_current_position: bool = True, count: int = 1
    ) -> None:
        """Go to what was searched."""
        super().apply_search(search_state, include_current_position, count)
        self._fold_entry()

    def _fold_entry(self) -> None:
        if self.folds.folded_again(self.text) != self.text:
            self.put(self.text)
