"""Tells the model of one session about project and day: all at first, later what has changed, and what is met on the way."""

from collections.abc import Mapping, Sequence
from itertools import islice

from agent.events import Notice
from agent.instructions.changes import OURS
from agent.protocols import Opening
from agent.session.session import Session
from compaction.messages import Block
from tools.visible import escape_line


class ContextTelling:
    """Appends to the log what the model is told, before a prompt and after the results of a step.

    Args:  is_shown: the user is told in one line which instruction files these are, but for those at the beginning.
    """

    def __init__(self, session: Session, opening: Opening, *, is_shown: bool) -> None:
        self._session = session
        self._opening = opening
        self._is_shown = is_shown
        self._seen = 0
        """How many of the files that the model knows were looked at in this turn."""

    def before_prompt(self, turn: int) -> Sequence[Notice]:
        """Tell all, or what has changed since it was told; return what to tell the user of that."""
        self._seen = 0  # of another branch, other files are known
        known = self._session.state.context_files
        if known is None:
            self._append(*self._opening.blocks({}), turn)
            return ()
        return self._changed(known, turn)

    def after_step(self, *, with_words: bool) -> Sequence[Notice]:
        """Tell the instruction files of folders that the model read or wrote a file in for the first time.

        Args:  with_words: the user's words came with the results: what has changed is told with them, too.
        """
        state = self._session.state
        if state.context_files is None:
            return ()
        notices = self._changed(state.context_files, state.turn) if with_words else ()
        touched = list(islice(state.known, self._seen, None))
        self._seen = len(state.known)
        if not touched:
            return notices
        blocks, files = self._opening.below(state.context_files, touched)
        self._append(blocks, files, state.turn)
        return [*notices, *self._notice("instructions", files)]

    def _changed(self, known: Mapping[str, str], turn: int) -> Sequence[Notice]:
        blocks, files = self._opening.changed(known)
        self._append(blocks, files, turn)
        return self._notice("instructions changed", files)

    def _notice(self, what: str, files: Mapping[str, str]) -> Sequence[Notice]:
        names = ", ".join(escape_line(path) for path in files if path not in OURS)
        return [Notice(text=f"[{what}: {names}]")] if names and self._is_shown else []

    def _append(self, blocks: list[Block], files: dict[str, str], turn: int) -> None:
        if blocks:
            self._session.append("context", content=blocks, files=files, turn=turn)
