"""What happens in a turn as plain lines: for --verbose, and for terminals that are none."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agent.events import (
    CallFinished,
    CallStarted,
    Compacted,
    Event,
    FromSubagent,
    ReplyReceived,
    StepStarted,
)
from compaction.messages import ToolUseBlock, tool_uses

MAX_CHARS = 80
"""Of what a call is about, and of what came of it."""
THOUSAND = 1000
_ABOUT = ("command", "file_path", "pattern", "description", "name", "focus")
"""Input fields that say what a call is about, the first that there is."""


class Progress:
    """Turns events into lines: `step 3 · bash pytest -q · exit 1 · 3.2 s · context 58.3k`.

    ``clock``: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float], agent: str = "") -> None:
        self._clock = clock
        self._agent = agent
        self._step = 0
        self._size = ""
        self._asked_at = 0.0
        self._started: dict[str, float] = {}
        self._subagents: dict[str, Progress] = {}
        self._about: dict[str, str] = {}
        """Call of a subagent that has not begun -> what that is for."""

    def lines(self, event: Event) -> Iterator[str]:
        """Yield a line for each call that ended, each reply without calls, and each compaction."""
        if isinstance(event, FromSubagent):
            yield from self._nested(event)
        elif isinstance(event, StepStarted):
            self._step, self._asked_at = event.step, self._clock()
        elif isinstance(event, CallStarted):
            self._begin(event.call)
        elif isinstance(event, CallFinished):
            yield self._call(event)
        elif isinstance(event, ReplyReceived):
            self._size = thousands(event.size)
            if not tool_uses(event.content):
                yield self._line("answer", seconds(self._clock() - self._asked_at))
        elif isinstance(event, Compacted):
            yield self._compacted(event.receipt)

    def _nested(self, event: FromSubagent) -> Iterator[str]:
        """Yield the lines of a subagent, first one that says what it is for."""
        if (nested := self._subagents.get(event.agent)) is None:
            nested = self._subagents[event.agent] = Progress(self._clock, event.agent)
            if about := self._about.pop(event.call, ""):
                yield f"{event.agent} · begins · {about}"
        yield from nested.lines(event.event)

    def _begin(self, call: ToolUseBlock) -> None:
        self._started[call["id"]] = self._clock()
        if call["name"] == "task":
            self._about[call["id"]] = about_call(call["input"])

    def _call(self, event: CallFinished) -> str:
        started_at = self._started.pop(event.call["id"], None)
        took = seconds(self._clock() - started_at) if started_at is not None else ""
        about = " ".join(part for part in (event.call["name"], about_call(event.call["input"])) if part)
        return self._line(about, _outcome(event), took)

    def _line(self, *parts: str) -> str:
        size = f"context {self._size}" if self._size else ""
        return " · ".join(part for part in (self._agent, f"step {self._step}", *parts, size) if part)

    def _compacted(self, receipt: Mapping[str, Any]) -> str:
        before, after = thousands(receipt.get("before", 0)), thousands(receipt.get("after", 0))
        archive = f"archive {receipt['archive']}" if receipt.get("archive") else ""
        self._size = after
        parts = (self._agent, "compacted", str(receipt.get("layer", "")), f"{before} → {after}", archive)
        return " · ".join(part for part in parts if part)


def about_call(input: Mapping[str, Any]) -> str:
    """Return what a call is about, in a few words of its own input."""
    value = next((input[field] for field in _ABOUT if isinstance(input.get(field), str)), "")
    return _short(value)


def seconds(value: float) -> str:
    """Return a duration as it is shown."""
    return f"{value:.1f} s"


def thousands(tokens: int) -> str:
    """Return a size in tokens as it is shown: `950`, `58.3k`."""
    return f"{tokens / THOUSAND:.1f}k" if tokens >= THOUSAND else str(tokens)


def _outcome(event: CallFinished) -> str:
    code = event.facts.get("exit_code")
    if code is not None:
        return f"exit {code}"
    if event.result.get("is_error"):
        content = event.result["content"]
        return _short(f"failed: {content}" if isinstance(content, str) else "failed")
    return " · ".join(
        part for part in (_work(event.facts), _short(str(event.facts.get("note") or ""))) if part
    )


def _work(facts: Mapping[str, Any]) -> str:
    """Return what a subagent has done for a call; empty where none has."""
    if (work := facts.get("work")) is None:
        return ""
    unknown = "" if work["is_known"] else "+?"
    return f"{work['steps']} steps · ${work['usd']:.2f}{unknown}"


def _short(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= MAX_CHARS else f"{line[: MAX_CHARS - 1]}…"
