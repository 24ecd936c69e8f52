"""What a reply means for its turn: go on, say something to the model first, or end."""

from dataclasses import dataclass, field
from typing import Any

from agent.api.reply import Reply
from agent.events import TurnReason
from compaction.messages import text_of, tool_uses

MAX_CONTINUATIONS = 3
MAX_PAUSES = 10
MAX_REPEATS = 3
"""So often may a reply come again whose calls could not be run."""
CUT_TEXT = "[Your reply was cut at the output limit. Continue exactly where it stopped, without repeating.]"
CUT_CALL = (
    "[Your call of `{names}` was cut at the output limit and was not run. Send it again in smaller parts: "
    "for a long file, write a first part, then add to it with edit.]"
)
CUT_WINDOW = "[Your reply was cut because the context was full. Continue where it stopped.]"
EMPTY = "[Your last reply was empty. Go on with the request, or say that it is done.]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What to do after a reply and its calls.

    ``end`` set: the turn is over. Otherwise it goes on, ``note`` being what the model is told first.
    """

    end: TurnReason | None = None
    problem: str = ""
    note: str = ""


@dataclass(slots=True)
class Endings:
    """Judges the replies of one turn; counts what must not repeat for ever."""

    cuts: int = 0
    pauses: int = 0
    empties: int = 0
    repeats: int = 0
    futile: list[tuple[str, Any, str | None]] = field(default_factory=list)
    """The calls of the last reply, if none of them could be run: (name, input, malformed arguments)."""
    is_limit_raised: bool = field(default=False)
    text: str = ""
    """What the last reply said, behind the replies that it went on with."""
    _is_continued: bool = False

    def judge(self, reply: Reply, *, has_run: bool) -> Verdict:
        """Return the verdict on ``reply``; calls decide, never the stop reason alone.

        Args:  has_run: at least one of its calls was started.
        """
        self.text = f"{self.text if self._is_continued else ''}{text_of(reply.content)}"
        verdict = self._judged(reply, has_run=has_run)
        self._is_continued = verdict.note in (CUT_TEXT, CUT_WINDOW)
        return verdict

    def _judged(self, reply: Reply, *, has_run: bool) -> Verdict:
        if reply.stop_reason == "refusal":
            return Verdict(end="refused", problem=_refusal(reply))
        if reply.cut or reply.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            return self._cut(reply)
        if tool_uses(reply.content):
            self.cuts = self.pauses = self.empties = 0
            return self._called(reply, has_run=has_run)
        if reply.stop_reason == "pause_turn" and reply.content:
            self.pauses += 1
            return Verdict() if self.pauses <= MAX_PAUSES else _failed("the model paused again and again")
        if not text_of(reply.content).strip():
            self.empties += 1
            return Verdict(note=EMPTY) if self.empties <= 1 else _empty()
        return Verdict(end="done", problem=_unusual(reply.stop_reason))

    def _called(self, reply: Reply, *, has_run: bool) -> Verdict:
        """Go on; but calls that cannot be run are not answered for ever when they come again just the same."""
        calls = [
            (call["name"], call["input"], reply.malformed.get(call["id"]))
            for call in tool_uses(reply.content)
        ]
        self.repeats = self.repeats + 1 if calls == self.futile else 0
        self.futile = [] if has_run else calls
        if self.repeats < MAX_REPEATS:
            return Verdict()
        names = ", ".join(sorted({name for name, *_ in calls}))
        return _failed(
            f"the model called `{names}` {self.repeats + 1} times in a row, and it could not be run"
        )

    def _cut(self, reply: Reply) -> Verdict:
        self.cuts += 1
        self.is_limit_raised = True
        if self.cuts > MAX_CONTINUATIONS:
            return _failed(f"the reply was cut at the output limit {self.cuts} times in a row")
        if reply.cut:
            names = ", ".join(sorted({str(call.get("name", "?")) for call in reply.cut}))
            return Verdict(note=CUT_CALL.format(names=names))
        if tool_uses(reply.content):
            return Verdict()
        is_window = reply.stop_reason == "model_context_window_exceeded"
        return Verdict(note=CUT_WINDOW if is_window else CUT_TEXT)


def _failed(problem: str) -> Verdict:
    return Verdict(end="error", problem=f"{problem}; say how to go on")


def _empty() -> Verdict:
    return Verdict(end="empty", problem="the model answered twice with nothing; ask again or rephrase")


def _refusal(reply: Reply) -> str:
    details = reply.stop_details or {}
    category = f" ({details['category']})" if details.get("category") else ""
    explanation = f": {details['explanation']}" if details.get("explanation") else ""
    return f"the model declined to answer{category}{explanation}"


def _unusual(stop_reason: str | None) -> str:
    if stop_reason in ("end_turn", "stop_sequence"):
        return ""
    return f"the model stopped for an unknown reason: {stop_reason}"
