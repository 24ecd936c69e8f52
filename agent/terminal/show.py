"""Listens to the loop: finished things are committed above, running ones stand below."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rich.text import Text

from agent import events as ev
from agent.clock import Clock
from agent.glyphs import drawn
from agent.terminal.activity import Activity
from agent.terminal.cards import card
from agent.terminal.compaction_line import compaction_line
from agent.terminal.pending import Pending
from agent.terminal.render import plain, to_ansi
from agent.terminal.reply_stream import ReplyStream
from compaction.messages import tool_uses

PROMPT_LINES = 40
"""A longer paste is the user's own text, and was seen when it was pasted."""


class Show:
    """Turns events into what stands on the screen.

    Args:  commit: puts finished lines above; refresh: asks for a new frame; width: columns now; folded: what a
    prompt is shown as.
    """

    def __init__(
        self,
        *,
        commit: Callable[[str], None],
        refresh: Callable[[], None],
        width: Callable[[], int],
        clock: Clock,
        folded: Callable[[str], str] = str,
    ) -> None:
        self.folded = folded
        self.activity = Activity(clock)
        self.pending = Pending(clock)
        self._put = commit
        self._last = ""
        self._refresh = refresh
        self.columns = self._width = width
        self._reply = ReplyStream(self._commit, width)
        self.thoughts = self._reply.thoughts

    def __call__(self, event: ev.Event) -> None:
        """Take one event."""
        self.pending.take(event)
        if (handler := HANDLERS.get(type(event))) is not None:
            handler(self, event)
        self._refresh()

    def tail(self, width: int) -> Sequence[str]:
        """Return the unfinished answer, or the end of the thinking before it."""
        return self._reply.tail(width)

    def say(self, text: str, style: str = "dim", *, is_apart: bool = False) -> None:
        """Commit text of our own; ``is_apart``: under an empty line whatever stands above."""
        self._commit("said", to_ansi(Text(plain(drawn(text)), style=style), self._width()), is_apart=is_apart)

    def put(self, lines: str, kind: str = "card", *, is_apart: bool = False) -> None:
        """Commit lines that are drawn already; between those of one ``kind`` that are not ``is_apart`` is no empty line."""
        self._commit(kind, lines, is_apart=is_apart)

    def prompt(self, text: str) -> None:
        """Commit what the user said."""
        lines = plain(self.folded(text)).split("\n")
        if len(lines) > PROMPT_LINES + 1:
            lines[PROMPT_LINES:] = [drawn(f"… {len(lines) - PROMPT_LINES} more lines")]
        shown = "\n  ".join(lines)
        self._commit("prompt", to_ansi(Text(f"> {shown}", style="bold"), self._width()))

    def text(self, event: ev.TextDelta) -> None:
        """The answer grows."""
        self.activity.do("answering")
        self._reply.say(event.text)

    def thinking(self, event: ev.ThinkingDelta) -> None:
        """The model thinks aloud."""
        self.activity.do("thinking")
        self._reply.think(event.text)

    def discarded(self, event: ev.ReplyDiscarded) -> None:
        """What streamed is void."""
        if self._reply.discard():
            self.say("the reply broke off; what stands above of it does not count")

    def reply(self, event: ev.ReplyReceived) -> None:
        """The reply is in the history."""
        self._reply.end()
        self.activity.do("")
        self.activity.expect(tool_uses(event.content))

    def finished(self, event: ev.CallFinished) -> None:
        """A call has its result."""
        made = partial(card, event.call, event.result, event.facts)
        for ready in self.activity.finish(event.call, made):
            self._commit("card", ready(self._width()))

    def compacted(self, event: ev.Compacted) -> None:
        """The view was changed."""
        self._commit("card", compaction_line(event.receipt, self._width()))

    def nested(self, event: ev.FromSubagent) -> None:
        """A subagent is at work; what the user should know of it stands above, under its name."""
        self.activity.child(event)
        if isinstance(inner := event.event, ev.Notice):
            self.say(f"{event.agent}: {inner.text}", "red" if inner.is_error else "dim")

    def ended(self, event: ev.TurnEnded) -> None:
        """The turn is over; nothing runs any more."""
        self._reply.end()
        for waiting in self.activity.clear():
            self._commit("card", waiting(self._width()))
        if event.reason == "interrupted":
            self.say("interrupted", "yellow")
        elif event.problem:
            self.say(event.problem, "dim" if event.reason == "done" else "red")

    def _commit(self, kind: str, text: str, *, is_apart: bool = False) -> None:
        """Put ``text`` above, an empty line before it if it ``is_apart`` or follows something of another kind."""
        if text:
            self._put(f"\n{text}" if self._last and (is_apart or kind != self._last) else text)
            self._last = kind


def _steered(show: Show, event: ev.ResultsSent) -> None:
    """What was typed meanwhile waits no longer: it stands where the model hears it."""
    for words in event.said:
        show.prompt(words)


HANDLERS: dict[type, Callable[[Show, Any], None]] = {
    ev.TurnStarted: lambda show, event: show.prompt(event.prompt),
    ev.StepStarted: lambda show, _: show.activity.do("waiting for the model"),
    ev.TextDelta: Show.text,
    ev.ThinkingDelta: Show.thinking,
    ev.CallDelta: lambda show, event: show.activity.do(f"writing a call of {plain(event.name)}"),
    ev.ReplyDiscarded: Show.discarded,
    ev.RetryWaiting: lambda show, event: show.activity.pause(
        f"{plain(event.problem)} (try {event.attempt})", event.delay_s
    ),
    ev.ReplyReceived: Show.reply,
    ev.CallStarted: lambda show, event: show.activity.start(event.call),
    ev.CallProgress: lambda show, event: show.activity.progress(event.call_id, event.text),
    ev.CallFinished: Show.finished,
    ev.ResultsSent: _steered,
    ev.SummaryStarted: lambda show, _: show.activity.do("writing a summary"),
    ev.Compacted: Show.compacted,
    ev.HooksRunning: lambda show, event: show.activity.do(event.event and f"running hooks of {event.event}"),
    ev.Notice: lambda show, event: show.say(event.text, "red" if event.is_error else "dim"),
    ev.FromSubagent: Show.nested,
    ev.TurnEnded: Show.ended,
}
