"""What the screen shows folded, read back from the log: calls, the user's words, compactions; the newest first."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.session.glance import words_of
from agent.session.records import Record
from agent.session.state import result_block
from compaction.messages import ToolResultBlock, ToolUseBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedCall:
    """A call with its result; ``record`` is the result's."""

    record: Record
    call: ToolUseBlock
    """With the input as it was run."""

    @property
    def result(self) -> ToolResultBlock:
        """The result in full, as the tool gave it."""
        blocks: list[Any] = [result_block(self.record)]
        block: ToolResultBlock = blocks[0]
        return block

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the tool said beside it."""
        facts: Mapping[str, Any] = self.record.get("facts") or {}
        return facts

    @property
    def spill(self) -> str:
        """Path of the full text, as shown; empty when the result itself is that."""
        return str((self.record.get("spill") or {}).get("path", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedWords:
    """What the user said at one time."""

    record: Record
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedCompaction:
    """A compaction, of which one line was shown."""

    record: Record


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
            case "compaction" if isinstance(record.get("receipt"), dict) and "changes" in record:
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


def _calls(reply: Record) -> list[Mapping[str, Any]]:
    content = reply.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == "tool_use"]
