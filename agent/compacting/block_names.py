"""Blocks in a few words: `read src/invoice.py`, `call of write notes.md`, `you: the totals are off`."""

import re
from dataclasses import dataclass, field

from agent.compacting.filling import category
from agent.session.kinds import SKILL
from agent.session.state import State
from compaction.carried import RESTORED
from compaction.deeds import one_line
from compaction.digest import MAX_TARGET_CHARS, TARGETS, target
from compaction.messages import ToolUseBlock
from compaction.view import Placed, View

WORDS_CHARS = 60
SKILL_NAME = re.compile(r'<skill name="([^"]*)">')
"""As `as_data` marks one."""
LABELS = {
    "user": "you",
    "shell": "output of your !command",
    "skills": "skill",
    "context": "instructions, catalog",
    "pins": "pins",
    "ledger": "ledger",
    "summary": "summary",
    "files": "restored",
    "notes": "note",
    "markers": "marker",
    "other": "result",
    "thinking": "thinking",
    "assistant": "assistant",
}
"""Category -> what a block of it is called that is no call and no result."""

OF_A_SUMMARY = {
    "request": "your request",
    "prompts": "your earlier prompts",
    "archive": "path of the archive",
    "unread": "results not read yet",
}
"""Kind -> what a block is called that a summary put."""


@dataclass(slots=True)
class BlockNames:
    """Names the blocks that stand in a view, or stood there."""

    state: State
    view: View
    _uses: dict[str, ToolUseBlock] = field(init=False)

    def __post_init__(self) -> None:
        blocks = [placed.block for placed in self.view]
        self._uses = {block["id"]: block for block in blocks if block["type"] == "tool_use"}

    def of(self, placed: Placed) -> str:
        """Return what a block is, as text from outside: it may hold anything."""
        block = placed.block
        if block["type"] == "tool_use":
            return f"call of {block['name']} {_target(block)}".rstrip()
        if block["type"] == "tool_result":
            return self._result(block["tool_use_id"])
        kind = self.state.kinds.get(placed.id, "")
        label = OF_A_SUMMARY.get(kind) or LABELS[category(self.state, placed)]
        if block["type"] != "text":
            return f"image of {label}" if block["type"] == "image" else label
        if kind == SKILL:
            found = SKILL_NAME.search(block["text"])
            return f"{label} {one_line(found[1], WORDS_CHARS)}" if found else f"{label}s, named only"
        if kind == "file":
            return f"{label} {one_line(block['text'].partition(f' {RESTORED}')[0])}"
        words = f"{label}: {one_line(block['text'], WORDS_CHARS)}"
        return words if placed.role == "assistant" or label == "you" else label

    def _result(self, call_id: str) -> str:
        call = self.state.view.history.calls.get(call_id)
        if call is None:
            return "result of a call"
        use = self._uses.get(call_id)
        about = call.path or call.about or (_target(use) if use else "")
        return f"{call.name} {one_line(about, MAX_TARGET_CHARS)}".rstrip()


def _target(use: ToolUseBlock) -> str:
    """Return what a call is about, where its input has a field that says so: a list of todos says nothing in a line."""
    is_told = any(isinstance(use["input"].get(field), str) for field in TARGETS)
    return target(use["input"]) if is_told else ""
