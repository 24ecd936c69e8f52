"""What fills the context: every block by what it is, in tokens of the meter that add up to the context size."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from agent.session.state import State
from compaction.messages import is_thinking, text
from compaction.view import Placed

KINDS = {
    "said": "user",
    "prompts": "user",
    "request": "user",
    "shell": "shell",
    "skill": "skills",
    "context": "context",
    "pins": "pins",
    "ledger": "ledger",
    "summary": "summary",
    "archive": "summary",
    "file": "files",
    "note": "notes",
    "reminder": "notes",
    "unread": "other",
}
"""Kind of a text -> category; see `State.kinds`."""
TOOLS = {
    "read": "read",
    "bash": "bash",
    "glob": "glob",
    "task": "task",
    "edit": "edit",
    "write": "edit",
    "load_skill": "skills",
}
"""Tool -> category of its results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A block that is sent, its category, and its tokens by the meter."""

    placed: Placed
    category: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """The context of one moment; ``measured`` is what the last reply's usage covers of ``size``."""

    size: int
    measured: int
    system: int
    tools: int
    shares: tuple[Share, ...]
    """In the order in which they are sent."""

    @property
    def categories(self) -> dict[str, int]:
        """Category -> tokens, the large ones first; together they are ``size``."""
        found = Counter({"system": self.system, "tools": self.tools})
        for share in self.shares:
            found[share.category] += share.tokens
        return {name: count for name, count in found.most_common() if count}

    def largest(self, most: int) -> list[Share]:
        """Return the blocks that take most."""
        return sorted(self.shares, key=lambda share: -share.tokens)[:most]


def filling(state: State) -> Filling:
    """Return what fills the context of ``state`` now."""
    sent, size = _sent(state), state.context_size
    weights = [placed.tokens for placed in sent]
    measured, total = _measured(state), sum(weights)
    before = bisect_left([0, *accumulate(weights)], measured)
    head = state.meter.size(0) if total else size
    middle = state.meter.size(measured) if before else head
    tokens = [
        *apportioned(weights[:before], middle - head),
        *apportioned(weights[before:], size - middle),
    ]
    system, tools = apportioned(_overhead(state), size - sum(tokens))
    return Filling(
        size=size,
        measured=state.meter.anchor if _is_measured(state) else 0,
        system=system,
        tools=tools,
        shares=tuple(
            Share(placed=placed, category=category(state, placed), tokens=count)
            for placed, count in zip(sent, tokens, strict=True)
        ),
    )


def category(state: State, placed: Placed) -> str:
    """Return what a block is: one of the values of `KINDS` and `TOOLS`, or assistant, thinking, markers, other."""
    block = placed.block
    if is_thinking(block):
        return "thinking"
    if block["type"] == "tool_result":
        call = state.view.history.calls.get(block["tool_use_id"])
        return TOOLS.get(call.name, "other") if call else "other"
    if placed.role == "assistant":
        return "assistant"
    kind = "said" if block["type"] == "image" else state.kinds.get(placed.id, "")
    if kind or not state.view.is_changed(placed):
        return KINDS.get(kind, "notes")
    return "summary" if placed.record in state.summaries else "markers"


def apportioned(weights: Sequence[int], total: int) -> list[int]:
    """Return ``total`` in whole parts as near to ``weights`` as they can be; they add up to it, without weights to 0."""
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    parts = [weight * total // whole for weight in weights]
    rests = sorted(range(len(weights)), key=lambda index: -(weights[index] * total % whole))
    for index in rests[: total - sum(parts)]:
        parts[index] += 1
    return parts


def _sent(state: State) -> list[Placed]:
    """The blocks that go to the model: thinking that may not go back takes no room."""
    reader = state.view.reader
    return list(state.view) if reader is None else state.view.sendable(reader.rule, reader.model)


def _is_measured(state: State) -> bool:
    meter = state.meter
    return meter.is_measured and meter.has_only_grown and 0 <= meter.anchored_at <= state.view.tokens


def _measured(state: State) -> int:
    """Estimated tokens of the blocks whose size was measured; where the view shrank, one measure holds for all."""
    return state.meter.anchored_at if _is_measured(state) else state.view.tokens


def _overhead(state: State) -> tuple[int, int]:
    """Estimated tokens of the system prompt and of the tools' schemas, at least one: a session has both."""
    parts = (str(state.head.get("system", "")), str(state.head.get("tools", "")))
    system, tools = (state.count(text(part)) for part in parts)
    return max(1, system), tools
