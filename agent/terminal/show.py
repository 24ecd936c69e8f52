"""Listens to the loop: finished things are committed above, running ones stand below."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rich.text import Text

from agent import events as ev
from agent.clock import Clock
from agent.terminal.activity import Activity
from agent.terminal.cards import card, compaction_line
from agent.terminal.markdown import MarkdownStream
from agent.terminal.render import as_lines, plain, to_ansi
from compaction.messages import result_text

THINKING_ROWS = 3
CHARS_A_TOKEN = 3.5
"""Of text that is not in the history yet, until the reply's usage says what it was."""


class Show:
    """Turns events into what stands on the screen.

    Args:  commit: puts finished lines above; refresh: asks for a new frame; width: columns now.
    """

    def __init__(
        self,
        *,
        commit: Callable[[str], None],
        refresh: Callable[[], None],
        width: Callable[[], int],
        clock: Clock,
    ) -> None:
        self.activity = Activity(clock)
        self.added_tokens = 0.0
        """What stands on the screen but not in the history yet, estimated."""
        self.last_compaction: tuple[float, Mapping[str, Any]] | None = None
        self._put = commit
        self._last = ""
        self._refresh = refresh
        self._width = width
        self._clock = clock
        self._answer = MarkdownStream()
        self._thinking = ""

    def __call__(self, event: ev.Event) -> None:
        """Take one event."""
        if (handler := HANDLERS.get(type(event))) is not None:
            handler(self, event)
        self._refresh()

    def tail(self, width: int) -> Sequence[str]:
        """Return the unfinished answer, or the end of the thinking before it."""
        lines = self._answer.tail(width)
        if lines or not self._thinking:
            return lines
        return as_lines(to_ansi(Text(plain(self._thinking).strip(), style="dim italic"), width))[
            -THINKING_ROWS:
        ]

    def say(self, text: str, style: str = "dim") -> None:
        """Commit text of our own."""
        self._commit("said", to_ansi(Text(plain(text), style=style), self._width()))

    def prompt(self, text: str) -> None:
        """Commit what the user said."""
        self._commit("prompt", to_ansi(Text(f"> {plain(text)}", style="bold"), self._width()))

    def stepping(self, event: ev.StepStarted) -> None:
        """A request leaves."""
        self.activity.do("waiting for the model")

    def text(self, event: ev.TextDelta) -> None:
        """The answer grows; what is finished of it is committed."""
        self.activity.do("answering")
        self._thinking = ""
        self._answer.feed(event.text)
        self.added_tokens += len(event.text) / CHARS_A_TOKEN
        if "\n" in event.text:
            self._commit("answer", self._answer.take_finished(self._width()))

    def thinking(self, event: ev.ThinkingDelta) -> None:
        """The model thinks aloud."""
        self.activity.do("thinking")
        self._thinking += event.text
        self.added_tokens += len(event.text) / CHARS_A_TOKEN

    def discarded(self, event: ev.ReplyDiscarded) -> None:
        """What streamed is void."""
        if self._answer.tail(self._width()):
            self.say("the reply broke off; what stands above of it does not count")
        self._answer.discard()
        self._thinking = ""
        self.added_tokens = 0.0

    def reply(self, event: ev.ReplyReceived) -> None:
        """The reply is in the history."""
        self._finish_answer()
        self.activity.do("")
        self.added_tokens = 0.0

    def finished(self, event: ev.CallFinished) -> None:
        """A call has its result."""
        made = partial(card, event.call, event.result, event.facts)
        for ready in self.activity.finish(event.call, made):
            self._commit("card", ready(self._width()))
        self.added_tokens += len(result_text(event.result)) / CHARS_A_TOKEN

    def sent(self, event: ev.ResultsSent) -> None:
        """The results are in the history."""
        self.added_tokens = 0.0

    def compacted(self, event: ev.Compacted) -> None:
        """The view was changed."""
        self.last_compaction = (self._clock(), event.receipt)
        self._commit("card", compaction_line(event.receipt, self._width()))

    def ended(self, event: ev.TurnEnded) -> None:
        """The turn is over; nothing runs any more."""
        self._finish_answer()
        for waiting in self.activity.clear():
            self._commit("card", waiting(self._width()))
        self.added_tokens = 0.0
        if event.reason == "interrupted":
            self.say("interrupted", "yellow")
        elif event.problem:
            self.say(event.problem, "dim" if event.reason == "done" else "red")

    def _finish_answer(self) -> None:
        self._thinking = ""
        self._commit("answer", self._answer.finish(self._width()))

    def _commit(self, kind: str, text: str) -> None:
        """Put ``text`` above; things of another kind, and the paragraphs of an answer, stand apart."""
        if text:
            is_apart = bool(self._last) and (kind == "answer" or kind != self._last)
            self._put(f"\n{text}" if is_apart else text)
            self._last = kind


HANDLERS: dict[type, Callable[[Show, Any], None]] = {
    ev.TurnStarted: lambda show, event: show.prompt(event.prompt),
    ev.StepStarted: Show.stepping,
    ev.TextDelta: Show.text,
    ev.ThinkingDelta: Show.thinking,
    ev.CallDelta: lambda show, event: show.activity.do(f"writing a call of {event.name}"),
    ev.ReplyDiscarded: Show.discarded,
    ev.RetryWaiting: lambda show, event: show.activity.pause(
        f"{plain(event.problem)} (try {event.attempt})", event.delay_s
    ),
    ev.ReplyReceived: Show.reply,
    ev.CallStarted: lambda show, event: show.activity.start(event.call),
    ev.CallProgress: lambda show, event: show.activity.progress(event.call_id, event.text),
    ev.CallFinished: Show.finished,
    ev.ResultsSent: Show.sent,
    ev.Compacted: Show.compacted,
    ev.Notice: lambda show, event: show.say(event.text, "red" if event.is_error else "dim"),
    ev.FromSubagent: lambda show, event: show.activity.child(event.agent, event.event),
    ev.TurnEnded: Show.ended,
}
