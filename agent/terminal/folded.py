"""What the screen shows folded, read back from the log: calls, the user's words, compactions; the newest first."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints

import msgspec

from agent.session.glance import words_of
from agent.session.records import Record
from compaction.messages import ToolResultBlock, ToolUseBlock, tool_result
from tools.base import Facts

SHOWN = ("diff", "todos", "news", "gone", "work", "note", "exit_code", "duration_s")
SHAPES = {name: shape for name, shape in get_type_hints(Facts).items() if name in SHOWN}
"""The facts that a card is drawn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedCall:
    """A call with its result; ``record`` is the result's."""

    record: Record
    call: ToolUseBlock
    """With the input as it was run."""

    @property
    def result(self) -> ToolResultBlock:
        """The result in full, as the tool gave it."""
        content: Any = _as(self.record.get("content"), str | list[dict[str, Any]], "")
        if isinstance(content, list):
            content = [
                part for part in content if part.get("type") != "text" or isinstance(part.get("text"), str)
            ]
        return tool_result(self.call["id"], content, is_error=bool(self.record.get("is_error")))

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the tool said beside it, as far as it has the shape that it should have."""
        logged: dict[str, Any] = _as(self.record.get("facts"), dict[str, Any], {})
        facts = {name: _as(logged.get(name), shape, None) for name, shape in SHAPES.items()}
        return {name: fact for name, fact in facts.items() if fact is not None}

    @property
    def spill(self) -> str:
        """Path of the full text, as shown; empty when the result itself is that."""
        spill: dict[str, Any] = _as(self.record.get("spill"), dict[str, Any], {})
        return str(_as(spill.get("path"), str, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedWords:
    """What the user said at one time."""

    record: Record
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedCompaction:
    """A compaction, of which one line was shown."""

    record: Record


def _as(value: Any, shape: Any, other: Any) -> Any:
    """Return ``value``, or ``other`` where it is not of that shape: a log may be damaged, or of another version."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError:
        return other


Folded = FoldedCall | FoldedWords | FoldedCompaction


def folded_back(records: Iterable[Record]) -> Iterator[Folded]:
    """Yield what ``records`` tell of, given and returned the newest first; the calls of a reply in its own order."""
    step = _Step()
    for record in records:
        match record["type"]:
            case "result" if isinstance(record.get("call"), str) and "content" in record:
                step.results[record["call"]] = record
            case "call" if isinstance(record.get("input"), dict):
                step.inputs[str(record.get("call"))] = record["input"]
            case "message":
                yield from step.calls_back(record)
                step = _Step()
                yield from (FoldedWords(record=record, text=text) for text in reversed(words_of(record)))
            case "compaction" if _is_compaction(record):
                yield FoldedCompaction(record=record)
    yield from step.calls_back({})


@dataclass(slots=True)
class _Step:
    """What came after a reply: its calls, in the order in which they ended."""

    results: dict[str, Record] = field(default_factory=dict)
    inputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Call id -> its input, where it was not run as the model gave it."""

    def calls_back(self, reply: Record) -> Iterator[FoldedCall]:
        """Yield the calls of ``reply`` that have a result, the last one first; then results that it does not know."""
        for block in reversed(_calls(reply)):
            if (record := self.results.pop(str(block.get("id")), None)) is not None:
                yield self._folded(record, block.get("input"))
        for record in self.results.values():
            yield self._folded(record, None)

    def _folded(self, record: Record, given: Any) -> FoldedCall:
        id_ = record["call"]
        asked = given if isinstance(given, dict) else {}
        ran = self.inputs.get(id_, {})
        # What is logged has the defaults of the tool as well: only another value is a change.
        is_changed = any(ran.get(name, value) != value for name, value in asked.items())
        call: ToolUseBlock = {
            "type": "tool_use",
            "id": id_,
            "name": str(record.get("name", "")),
            "input": ran if is_changed or not asked else asked,
        }
        return FoldedCall(record=record, call=call)


def _is_compaction(record: Record) -> bool:
    is_told_of = isinstance(record.get("layer"), str) and isinstance(record.get("receipt"), dict)
    return is_told_of and isinstance(record.get("changes"), list)


def _calls(reply: Record) -> list[Mapping[str, Any]]:
    content = reply.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == "tool_use"]
