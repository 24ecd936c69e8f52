"""Listens to the loop for a terminal of lines: a line a call, as --verbose tells it, and the answer as it was written."""

from collections.abc import Callable
from typing import Any

from agent import events as ev
from agent.clock import Clock
from agent.progress import Progress
from agent.terminal.cards import card
from agent.terminal.render import as_lines, plain
from agent.terminal.show import Show
from compaction.messages import result_text


class PlainShow(Show):
    """Turns events into lines.

    Args:  write: puts lines on the terminal; width: its columns now; changed: something may have ended.
    """

    def __init__(
        self,
        *,
        write: Callable[[str], None],
        changed: Callable[[], None],
        width: Callable[[], int],
        clock: Clock,
    ) -> None:
        super().__init__(commit=write, refresh=changed, width=width, clock=clock)
        self.typed = ""
        """The line that the user has just sent, and sees: it is not shown again."""
        self._changed = changed
        self._progress = Progress(clock)
        self._unended = ""
        """The last line of the answer, as far as it has come."""
        self._is_begun = False
        """Something of the reply stands above."""

    def __call__(self, event: ev.Event) -> None:
        """Take one event."""
        self.pending.take(event)
        if (handler := HANDLERS.get(type(event))) is not None:
            handler(self, event)
        for line in self._progress.lines(event):
            self.say(line)
        if isinstance(event, ev.CallFinished):
            self._details(event)
        self._changed()

    def say(self, text: str, style: str = "dim", *, is_apart: bool = False) -> None:
        """Write text of our own."""
        if not text.startswith("> ") or not self._is_typed(text.removeprefix("> ")):
            super().say(text, style, is_apart=is_apart)

    def prompt(self, text: str) -> None:
        """Write what the user said, unless it stands there."""
        if not self._is_typed(text.strip()):
            super().prompt(text)

    def write_text(self, event: ev.TextDelta) -> None:
        """Write the lines of the answer that are whole."""
        self.put(self.thoughts.take(self._width()), "thinking", is_apart=True)
        lines, end, self._unended = (self._unended + event.text).rpartition("\n")
        if end:
            self._write(lines + end)

    def flush(self) -> None:
        """Write what is left of the answer."""
        self.put(self.thoughts.take(self._width()), "thinking", is_apart=True)
        rest, self._unended = self._unended, ""
        if rest.strip():
            self._write(f"{rest}\n")
        self._is_begun = False

    def void(self) -> None:
        """What has come of the reply does not count."""
        is_begun, self._unended = self._is_begun, ""
        self._is_begun = False
        self.thoughts.discard()
        if is_begun:
            self.say("the reply broke off; what stands above of it does not count")

    def nested(self, event: ev.FromSubagent) -> None:
        """Write what the user should know of a subagent, under its name; its steps are told by `Progress`."""
        match event.event:
            case ev.Notice(text=text):
                self.say(f"{event.agent}: {text}")
            case ev.RetryWaiting() as wait:
                self.say(f"{event.agent}: {wait.problem}; try {wait.attempt + 1} in {wait.delay_s:.1f} s")
            case _:
                return

    def end_turn(self, event: ev.TurnEnded) -> None:
        """Write how the turn ended, unless all went well."""
        self.flush()
        self.activity.clear()
        if event.reason == "interrupted" or event.problem:
            self.say("interrupted" if event.reason == "interrupted" else event.problem)

    def _write(self, text: str) -> None:
        """Write text of the model; the terminal wraps it, so that it can be copied."""
        text = text if self._is_begun else text.lstrip("\n")
        if text:
            self._is_begun = True
            self.put(plain(text), "answer")

    def _details(self, event: ev.CallFinished) -> None:
        """Write what stands below the headline of a call's card: a diff, a list, the end of what failed."""
        if event.result.get("is_error") and "\n" not in result_text(event.result).strip():
            return  # its one line is told
        if "work" in event.facts and not event.result.get("is_error"):
            return  # so is the first line of a subagent's answer
        lines = as_lines(card(event.call, event.result, event.facts, self._width()))[1:]
        if lines:
            self.put("".join(f"{line}\n" for line in lines), "said")

    def _is_typed(self, text: str) -> bool:
        """True, once, for the line that was sent last."""
        if not self.typed or text != self.typed:
            return False
        self.typed = ""
        return True


def _steered(show: PlainShow, event: ev.ResultsSent) -> None:
    for words in event.said:
        show.prompt(words)


def _hooks(show: PlainShow, event: ev.HooksRunning) -> None:
    if event.event:
        show.say(f"running hooks of {event.event}")


HANDLERS: dict[type, Callable[[PlainShow, Any], None]] = {
    ev.TurnStarted: lambda show, event: show.prompt(event.prompt),
    ev.TextDelta: PlainShow.write_text,
    ev.ThinkingDelta: lambda show, event: show.thoughts.feed(event.text),
    ev.ReplyDiscarded: lambda show, _: show.void(),
    ev.RetryWaiting: lambda show, event: show.say(
        f"{event.problem}; try {event.attempt + 1} in {event.delay_s:.1f} s"
    ),
    ev.ReplyReceived: lambda show, _: show.flush(),
    ev.ResultsSent: _steered,
    ev.SummaryStarted: lambda show, _: show.say("writing a summary"),
    ev.HooksRunning: _hooks,
    ev.Notice: lambda show, event: show.say(event.text),
    ev.FromSubagent: PlainShow.nested,
    ev.TurnEnded: PlainShow.end_turn,
}
"""What is told beside the lines of `Progress`."""
