"""What a subagent does: what it has come to so far, and in two lines what it did last."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agent import events as ev
from agent.terminal.cards import NARROW, outcome_of, work_done
from agent.terminal.figures import seconds, tokens
from agent.terminal.render import abridged, plain
from compaction.deeds import one_line
from compaction.digest import call_line
from compaction.messages import text_of, tool_uses

SHOWN = 2
KEPT = 16
"""More calls than a reply usually has: they end in any order, and the line of each is changed then."""
TIMED_S = 1.0
"""What takes less is not timed."""
DOING = "doing"
"""Key of the line that says what the subagent waits for; it stands last and does not last."""
BETWEEN = " · "


class Did(NamedTuple):
    """One thing, safe to show in one row: what it is, which may be cut, and what came of it."""

    about: str
    came: str = ""


@dataclass(slots=True)
class Nested:
    """Follows one subagent by its events."""

    _work: Mapping[str, Any] = field(default_factory=dict)
    _lines: dict[str, Did] = field(default_factory=dict)
    """By the id of a call, or else a key of their own; the newest last."""

    @property
    def lines(self) -> tuple[Did, ...]:
        """The last two things that it did."""
        return tuple(self._lines.values())[-SHOWN:]

    def work(self, width: int) -> str:
        """Return what it has come to: `14 steps · 31k · $0.04`; on a narrow screen what it is for needs the room."""
        told = work_done(self._work) if self._work else ""
        return told.rpartition(BETWEEN)[0] if width < NARROW else told

    def take(self, event: ev.FromSubagent) -> None:
        """Let one event count."""
        self._work = event.work
        if (handler := HANDLERS.get(type(event.event))) is not None:
            handler(self, event.event)

    def reply(self, event: ev.ReplyReceived) -> None:
        """It says something, and wants to run something."""
        self.do("")
        if said := one_line(text_of(event.content)):
            self._put(event.message_id, abridged(said))
        for call in tool_uses(event.content):
            self._put(call["id"], abridged(call_line(call)), "waits")

    def started(self, event: ev.CallStarted) -> None:
        """A call runs, maybe as something else than it was sent."""
        self._put(event.call["id"], abridged(call_line(event.call)))

    def finished(self, event: ev.CallFinished) -> None:
        """A call has its result."""
        took_s = event.facts.get("duration_s") or 0.0
        facts = {**event.facts, "duration_s": took_s if took_s >= TIMED_S else 0.0}
        self._put(event.call["id"], abridged(call_line(event.call)), outcome_of(event.result, facts))

    def compacted(self, event: ev.Compacted) -> None:
        """Its own view was changed."""
        self.do("")
        receipt = event.receipt
        sizes = f"{tokens(receipt.get('before', 0))} → {tokens(receipt.get('after', 0))}"
        self._put(f"compaction-{len(self._lines)}", f"⟲ {plain(str(receipt.get('layer', '')))}", sizes)

    def do(self, what: str) -> None:
        """Say what it waits for; empty: nothing."""
        self._lines.pop(DOING, None)
        if what:
            self._put(DOING, what)

    def _put(self, key: str, about: str, came: str = "") -> None:
        self._lines[key] = Did(about, came)
        while len(self._lines) > KEPT:
            del self._lines[next(iter(self._lines))]


def _retry(nested: Nested, event: ev.RetryWaiting) -> None:
    nested.do(f"{plain(event.problem)}; try {event.attempt + 1} in {seconds(event.delay_s)}")


HANDLERS: dict[type, Callable[[Nested, Any], None]] = {
    ev.StepStarted: lambda nested, _: nested.do(""),
    ev.ReplyReceived: Nested.reply,
    ev.CallStarted: Nested.started,
    ev.CallFinished: Nested.finished,
    ev.SummaryStarted: lambda nested, _: nested.do("writing a summary"),
    ev.Compacted: Nested.compacted,
    ev.RetryWaiting: _retry,
}
