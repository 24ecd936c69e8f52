"""Blocks in a few words: `read src/invoice.py`, `call of write notes.md`, `you: the totals are off`."""

from dataclasses import dataclass, field

from agent.filling import category
from agent.session.state import State
from compaction.digest import target
from compaction.messages import ToolUseBlock
from compaction.view import Placed, View

WORDS_CHARS = 60
LABELS = {
    "user": "you",
    "shell": "output of your !command",
    "context": "instructions, catalog",
    "pins": "pins",
    "ledger": "ledger",
    "summary": "summary",
    "files": "file that came back",
    "notes": "note",
    "markers": "marker",
    "other": "results not read yet",
    "thinking": "thinking",
    "assistant": "assistant",
}
"""Category -> what a block of it is called that is no call and no result."""


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
            return f"call of {block['name']} {target(block['input'])}"
        if block["type"] == "tool_result":
            return self._result(block["tool_use_id"])
        label = LABELS[category(self.state, placed)]
        if block["type"] != "text" or (placed.role == "user" and label != "you"):
            return f"image of {label}" if block["type"] == "image" else label
        return f"{label}: {' '.join(block['text'].split())[:WORDS_CHARS]}"

    def _result(self, call_id: str) -> str:
        call = self.state.view.history.calls.get(call_id)
        if call is None:
            return "result of a call"
        use = self._uses.get(call_id)
        about = call.path or call.about or (target(use["input"]) if use else "")
        return f"{call.name} {about}".rstrip()
