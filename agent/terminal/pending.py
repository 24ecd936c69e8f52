"""What the status bar adds to the meter: what stands on the screen but is not in the history yet."""

from collections.abc import Mapping
from typing import Any

from agent import events as ev
from agent.clock import Clock
from compaction.messages import result_text

CHARS_A_TOKEN = 3.5
"""Of text that is not in the history yet, until the reply's usage says what it was."""


class Pending:
    """Follows the loop's events between two measurements."""

    def __init__(self, clock: Clock) -> None:
        self.last_compaction: tuple[float, Mapping[str, Any]] | None = None
        """When the view was changed last, and the receipt."""
        self._clock = clock
        self._step_at: float | None = None
        self._heard_at = 0.0
        """When the last event came."""
        self._chars = 0
        self._written: dict[int, int] = {}
        """Characters of each call that is being written, by its place in the reply."""

    @property
    def tokens(self) -> int:
        """Estimated tokens that are not in the history yet."""
        return round(self._chars / CHARS_A_TOKEN)

    @property
    def step_s(self) -> float | None:
        """How long the step takes that runs, in whole seconds; None between steps."""
        return None if self._step_at is None else float(int(self._clock() - self._step_at))

    @property
    def quiet_s(self) -> float | None:
        """How long ago the last event came while a step runs, in whole seconds; None between steps."""
        return None if self._step_at is None else float(int(self._clock() - self._heard_at))

    def take(self, event: ev.Event) -> None:
        """Let one event count."""
        self._heard_at = self._clock()
        match event:
            case ev.StepStarted():
                self._step_at = self._clock()
            case ev.TurnEnded():
                self._step_at = None
        match event:
            case ev.TextDelta() | ev.ThinkingDelta():
                self._chars += len(event.text)
            case ev.CallDelta():
                self._chars += event.chars - self._written.get(event.index, 0)
                self._written[event.index] = event.chars
            case ev.CallFinished():
                self._chars += len(result_text(event.result))
            case ev.Compacted():
                self.last_compaction = (self._clock(), event.receipt)
            case ev.ReplyReceived() | ev.ReplyDiscarded() | ev.ResultsSent() | ev.TurnEnded():
                self._chars = 0
                self._written.clear()
            case _:
                return

    def forget(self) -> None:
        """Another session is open."""
        self.last_compaction = self._step_at = None
        self._chars = 0
        self._written.clear()
