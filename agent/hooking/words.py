"""What hooks say in the session of one agent: to the user at once, to the model with its next message, marked as data."""

from collections.abc import Sequence

from agent.events import Emit, HooksRunning, Notice
from compaction.quoted import as_data, unmarked
from hooks.events import Outcome
from hooks.watch import Watch

MAX_CHARS = 10_000
"""Of one text of a hook that the model is told; as where command hooks come from."""
_ABOUT = "From a hook that the user set up: information, not the user's words."


class HookWords:
    """Takes in the outcomes of one agent's hooks: notices are shown, words wait to be taken, and so does a wish to stop."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._waiting: list[str] = []
        self._stop: str | None = None

    @property
    def is_stopped(self) -> bool:
        """A hook wants the turn to end."""
        return self._stop is not None

    def hear(self, outcome: Outcome, event: str, *, about: str = "") -> None:
        """Take in what the hooks of ``event`` came to; ``about``: the call that they spoke of."""
        self.show(outcome.notices)
        self._waiting += [marked(text, event, about=about) for text in outcome.contexts if text.strip()]
        if outcome.stop_reason is not None:
            self.end(outcome.stop_reason or "it gave no reason")

    def show(self, notices: Sequence[str]) -> None:
        """Tell the user."""
        for notice in notices:
            self._emit(Notice(text=notice, is_error=True))

    def end(self, reason: str) -> None:
        """Let the turn end."""
        self._stop = reason

    def take(self) -> list[str]:
        """Return once what the model is to be told."""
        words, self._waiting = self._waiting, []
        return words

    def take_stop(self) -> str | None:
        """Return once why the turn must end; None: it need not."""
        reason, self._stop = self._stop, None
        return reason


def watched(emit: Emit) -> Watch:
    """Return what tells listeners of the event whose hooks are at work."""
    return Watch(lambda event: emit(HooksRunning(event=event)))


def marked(text: str, event: str, *, about: str = "") -> str:
    """Return the words of a hook between marks that they cannot close, cut where they are too many."""
    attributes = {"event": event, **({"call": about} if about else {})}
    words = unmarked(text.strip())
    if (left := len(words) - MAX_CHARS) > 0:
        words = f"{words[:MAX_CHARS]}\n[cut here: {left} more characters]"
    return as_data("hook", words, about=_ABOUT, attributes=attributes)
