"""The demo's output: what the loop reports, as plain lines."""

from collections.abc import Callable, Mapping
from typing import Any

from agent.events import CallFinished, Compacted, Event, Notice, ReplyReceived, TurnStarted
from agent.progress import about_call, thousands
from compaction.messages import text_of

SHOWN_LINES = {"bash": 20, "edit": 12, "glob": 8}
"""How much of a result is shown; the model gets all of it."""
SHOWN_LINES_ELSE = 2
INDENT = "    "


class Screen:
    """Writes events line by line, and counts them for the closing words."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.steps = 0
        self.calls = 0
        self.compactions = 0

    def show(self, event: Event) -> None:
        """Write what is worth a line of ``event``."""
        match event:
            case TurnStarted(prompt=prompt):
                self._write(f"\n> {prompt}")
            case ReplyReceived():
                self.steps += 1
                if said := text_of(event.content):
                    self._write(f"\n{said}")
            case CallFinished():
                self.calls += 1
                self._show_call(event)
            case Compacted(receipt=receipt):
                self.compactions += 1
                self._write(f"\n{_compacted(receipt)}")
            case Notice(text=text):
                self._write(f"\n! {text}")
            case _:
                return

    def _show_call(self, event: CallFinished) -> None:
        call, content = event.call, event.result["content"]
        self._write(f"\n* {call['name']} {about_call(call['input'])}".rstrip())
        lines = (content if isinstance(content, str) else "(not text)").splitlines()
        limit = SHOWN_LINES.get(call["name"], SHOWN_LINES_ELSE)
        shown = lines if len(lines) <= limit + 1 else [*lines[:limit], f"... {len(lines) - limit} more lines"]
        for line in shown:
            self._write(f"{INDENT}{line.expandtabs(4)}".rstrip())


def _compacted(receipt: Mapping[str, Any]) -> str:
    sizes = f"{thousands(receipt['before'])} → {thousands(receipt['after'])} tokens"
    return f"⟲ compaction: {receipt['layer']} · {sizes} · archived in {receipt['archive']}"
