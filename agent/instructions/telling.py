"""Tells the model of one session about project and day: all at first, later what has changed, and what is met on the way."""

from itertools import islice

from agent.protocols import Opening
from agent.session.session import Session
from compaction.messages import Block


class ContextTelling:
    """Appends to the log what the model is told, before a prompt and after the results of a step."""

    def __init__(self, session: Session, opening: Opening) -> None:
        self._session = session
        self._opening = opening
        self._seen = 0
        """How many of the files that the model knows were looked at in this turn."""

    def before_prompt(self, turn: int) -> None:
        """Tell all, or what has changed since it was told."""
        known = self._session.state.context_files
        blocks, files = self._opening.blocks({}) if known is None else self._opening.changed(known)
        self._append(blocks, files, turn)
        self._seen = 0  # of another branch, other files are known

    def after_step(self) -> None:
        """Tell the instruction files of folders that the model read or wrote a file in for the first time."""
        state = self._session.state
        touched = list(islice(state.known, self._seen, None))
        self._seen = len(state.known)
        if touched and state.context_files is not None:
            self._append(*self._opening.below(state.context_files, touched), state.turn)

    def _append(self, blocks: list[Block], files: dict[str, str], turn: int) -> None:
        if blocks:
            self._session.append("context", content=blocks, files=files, turn=turn)
