"""What runs: the lines that stand above the input and move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from agent import events as ev
from agent.clock import Clock
from agent.terminal.cards import NARROW, headline
from agent.terminal.figures import seconds, times
from agent.terminal.nested import Did, Nested
from agent.terminal.render import INDENT, Drawn, as_lines, cut, plain, styled, to_ansi
from compaction.messages import ToolUseBlock

Card = Callable[[int], str]
"""Width -> the card of a finished call, as ANSI lines."""
MOST_ENDED = 4
"""Of calls that have ended behind one that has not, a line each."""


@dataclass(slots=True)
class Running:
    """A call between the reply that holds it and its card."""

    call: ToolUseBlock
    since: float | None = None
    """None: it has not started."""
    last_line: str = ""
    nested: Nested = field(default_factory=Nested)
    """The subagent that works for it."""
    card: Card | None = None
    """Set when it has finished but an earlier one has not."""
    drawn: Drawn = field(default_factory=Drawn)


class Activity:
    """Running calls in their order, subagents, and what the model is doing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: dict[str, Running] = {}
        self._doing = ""
        self._since = 0.0
        self._until = 0.0
        self._drawn = Drawn()
        self._counted = Drawn()

    @property
    def is_busy(self) -> bool:
        """True while something here moves by itself."""
        return bool(self._doing) or any(running.since is not None for running in self._running.values())

    def has(self, call_id: str) -> bool:
        """True while a call has no card above yet."""
        return call_id in self._running

    def do(self, what: str) -> None:
        """Say what the model is doing; empty: nothing."""
        if what != self._doing:
            self._doing, self._since = what, self._clock()
        self._until = 0.0

    def pause(self, why: str, delay_s: float) -> None:
        """Count down to the next try."""
        self.do(why)
        self._until = self._clock() + delay_s

    def expect(self, calls: Sequence[ToolUseBlock]) -> None:
        """Know the order of the calls of a reply: some end before an earlier one has started."""
        self._running.update({call["id"]: Running(call=call) for call in calls})

    def start(self, call: ToolUseBlock) -> None:
        """Show a call as running."""
        running = self._running.setdefault(call["id"], Running(call=call))
        running.call, running.since = call, self._clock()

    def progress(self, call_id: str, text: str) -> None:
        """Show the last line of a call's output."""
        lines = plain(text).strip().splitlines()
        if lines and (running := self._running.get(call_id)):
            running.last_line = lines[-1]

    def finish(self, call: ToolUseBlock, card: Card) -> list[Card]:
        """Take the card of a call; return those that can be committed: a card waits for the calls before it."""
        running = self._running.setdefault(call["id"], Running(call=call))
        running.card = card
        ready: list[Card] = []
        for id_, first in list(self._running.items()):
            if first.card is None:
                break
            ready.append(first.card)
            del self._running[id_]
        return ready

    def clear(self) -> list[Card]:
        """Forget everything; return the cards that still waited."""
        cards = [running.card for running in self._running.values() if running.card is not None]
        self._running.clear()
        self.do("")
        return cards

    def child(self, event: ev.FromSubagent) -> None:
        """Take an event of the subagent that works for a call."""
        if (running := self._running.get(event.call)) is not None:
            running.nested.take(event)

    def lines(self, width: int) -> Sequence[str]:
        """Return a line for each running call, below that of a subagent what it did last.

        Of calls that have ended behind one that has not, and of subagents that wait for their turn, many are counted.
        """
        calls = list(self._running.values())
        ended = [running for running in calls if running.card is not None]
        folded = ended if len(ended) > MOST_ENDED else []
        lines = [line for running in calls if running not in folded for line in self._call(running, width)]
        if not self._doing or lines:
            counts = (len(folded), _waiting(calls), width)
            return [*lines, *self._counted.of(counts, lambda: _counts(*counts))]
        phrase = self._phrase()
        return self._drawn.of(
            (phrase, width), lambda: as_lines(to_ansi(styled(("◐ ", "cyan"), (phrase, "dim")), width))
        )

    def _phrase(self) -> str:
        now = self._clock()
        if self._until:
            return f"again in {max(0.0, self._until - now):.0f} s · Esc stops · {self._doing}"
        return f"{self._doing} · {seconds(now - self._since)}" if now - self._since >= 1 else self._doing

    def _call(self, running: Running, width: int) -> Sequence[str]:
        if (made := running.card) is not None:
            return running.drawn.of((width,), lambda: as_lines(made(width))[:1])
        if running.since is None:
            return ()
        spent_s = self._clock() - running.since
        below, work = running.nested.lines, running.nested.work(width)
        is_timed = spent_s >= 1 and not (work and width < NARROW)
        parts = (work, seconds(spent_s) if is_timed else "", running.last_line)
        outcome = " · ".join(part for part in parts if part)
        return running.drawn.of(
            (outcome, below, width), lambda: _running(running.call, outcome, below, width)
        )


def _running(call: ToolUseBlock, outcome: str, below: Sequence[Did], width: int) -> list[str]:
    head = headline("◐", "cyan", call, outcome, width=width)
    return [
        line
        for text in (head, *(_nested(did, width) for did in below))
        for line in as_lines(to_ansi(text, width))
    ]


def _nested(did: Did, width: int) -> Text:
    """Return what a subagent did as one row: what came of it is cut only where it takes more than half."""
    about, came = (
        styled((f"{INDENT}{did.about}", "dim")),
        styled((f" · {did.came}" if did.came else "", "dim")),
    )
    cut(came, max(0, width // 2))
    cut(about, max(0, width - came.cell_len))
    return about.append_text(came)


def _waiting(calls: Sequence[Running]) -> int:
    """How many subagents wait until one of those that run has ended."""
    tasks = [running for running in calls if running.call["name"] == "task" and running.card is None]
    waiting = sum(running.since is None for running in tasks)
    return waiting if waiting < len(tasks) else 0


def _counts(ended: int, waiting: int, width: int) -> list[str]:
    parts = (
        f"{times(ended, 'call')} behind it ended" if ended else "",
        f"{times(waiting, 'more task')} to come" if waiting else "",
    )
    told = " · ".join(part for part in parts if part)
    return as_lines(to_ansi(styled((f"  {told}", "dim")), width)) if told else []
