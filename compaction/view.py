"""The view: the blocks that are sent, each under an id that is never reused.

A view is a flat list of placed blocks; adjacent blocks of one role make one message on the wire. It grows by
`append` (a logged message) and changes only by `apply` (a recorded compaction): rebuilding it from the log runs
no layer again.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from compaction.history import History
from compaction.messages import Block, Message, Role, is_thinking, merged

ThinkingRule = Literal["bound", "manual", "kept", "none"]
"""How a model's thinking may be sent back: `bound` to the prefix that made it, with `manual` or adaptive (`kept`)
thinking always, or not at all."""

Count = Callable[[Block], int]
"""Tokens of a block, estimated."""


class Change(TypedDict):
    """Part of a compaction record: ``blocks`` stand where the first of ``ids`` stood, the others are gone."""

    ids: list[str]
    role: Role
    blocks: list[Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A block where it stands in the view."""

    id: str
    role: Role
    block: Block
    tokens: int
    step: int = 0
    """The step of the message that brought it; what a compaction puts in place has that of what stood there."""

    @property
    def record(self) -> str:
        """Id of the record that brought the block."""
        return self.id.rpartition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an assistant message came from: what decides whether its thinking may be sent back."""

    model: str
    prefix_sha: str


def head_sha(system: Any, tools: Any) -> str:
    """Return the hash that every prefix of a session starts from: its system prompt and tool schemas."""
    return _sha("", json.dumps([system, tools], ensure_ascii=True))


class View:
    """The messages that are sent, block by block, with running totals.

    Args:  head: `head_sha` of the session; count: tokens of a block.
    """

    def __init__(self, head: str, count: Count) -> None:
        self._head = head
        self._count = count
        self._placed: list[Placed] = []
        self._shas: list[str] = []
        self._results: dict[str, str] = {}
        self._origins: dict[str, Origin] = {}
        self._compactions: set[str] = set()
        self.history = History()
        self.tokens = 0
        self.sent = 0
        """How many blocks stand as the last request had them: what a change before that makes the server read anew."""

    def __len__(self) -> int:
        return len(self._placed)

    def __iter__(self) -> Iterator[Placed]:
        return iter(self._placed)

    def append(
        self, record: str, role: Role, blocks: Sequence[Block], *, origin: Origin | None = None, step: int = 0
    ) -> None:
        """Append the blocks of a logged message; ``origin`` comes with an assistant's."""
        if origin is not None:
            self._origins[record] = origin
        if role == "assistant":
            self.sent = len(self._placed)
        counts = [self._count(block) for block in blocks]
        for index, (block, tokens) in enumerate(zip(blocks, counts, strict=True)):
            self._place(Placed(id=f"{record}.{index}", role=role, block=block, tokens=tokens, step=step))
        self.history.see(blocks, step, counts)

    def apply(self, record: str, changes: Sequence[Change]) -> None:
        """Change the view as a compaction record says; new blocks get ids of that record."""
        gone = {id_ for change in changes for id_ in change["ids"]}
        standing = {placed.id for placed in self._placed}
        if missing := gone - standing:
            raise ValueError(f"compaction {record} changes blocks that do not stand: {sorted(missing)[:3]}")
        steps = {placed.id: placed.step for placed in self._placed}
        arriving = _arriving(record, changes, self._count, steps)
        self._compactions.add(record)
        before = self._placed
        self._placed, self._shas, self._results, self.tokens = [], [], {}, 0
        for placed in before:
            if placed.id in gone:
                self.sent = min(self.sent, len(self._placed))
            for new in arriving.get(placed.id, ()):
                self._place(new)
            if placed.id not in gone:
                self._place(placed)

    def copy(self) -> "View":
        """Return an equal view that changes on its own; it shares the history, so that it must not be appended to."""
        twin = View(self._head, self._count)
        twin._origins = dict(self._origins)
        twin._compactions = set(self._compactions)
        twin.history = self.history
        twin.sent = self.sent
        for placed in self._placed:
            twin._place(placed)
        return twin

    @property
    def prefix_sha(self) -> str:
        """Hash of the request that this view makes: system, tools and all blocks but thinking."""
        return self._shas[-1] if self._shas else self._head

    def is_whole(self, call_id: str) -> bool:
        """True while the result of ``call_id`` stands as it was appended."""
        return call_id in self._results

    def is_changed(self, placed: Placed) -> bool:
        """True for a block that a compaction put there."""
        return placed.record in self._compactions

    def messages(self, rule: ThinkingRule, model: str) -> list[Message]:
        """Return the view in wire form, with the thinking that ``model`` accepts under ``rule``."""
        return merged([(placed.role, placed.block) for placed in self.sendable(rule, model)])

    def sendable(self, rule: ThinkingRule, model: str) -> list[Placed]:
        """Return the placed blocks less the thinking that may not go back.

        Source: the API's prefix check (compaction rule 8). Bound thinking whose prefix is not the one that made
        it is left out, with all thinking after it; the last assistant message goes as it is. Thinking of another
        model is left out.
        """
        if rule == "none":
            return [placed for placed in self._placed if not is_thinking(placed.block)]
        last = next((placed.record for placed in reversed(self._placed) if placed.role == "assistant"), "")
        own = {record for record, origin in self._origins.items() if origin.model == model}
        valid = self._valid_origins() if rule == "bound" else set(self._origins)
        return [
            placed
            for placed in self._placed
            if not is_thinking(placed.block)
            or (placed.record in own and (placed.record in valid or placed.record == last))
        ]

    def _valid_origins(self) -> set[str]:
        """Records whose thinking still follows the prefix that made it, up to the first that does not."""
        valid: set[str] = set()
        before = self._head
        seen = ""
        for placed, sha in zip(self._placed, self._shas, strict=True):
            origin = self._origins.get(placed.record)
            if origin is not None and placed.record != seen:
                seen = placed.record
                if origin.prefix_sha == before:
                    valid.add(seen)
                elif any(other.record == seen and is_thinking(other.block) for other in self._placed):
                    return valid
            before = sha
        return valid

    def _place(self, placed: Placed) -> None:
        before = self._shas[-1] if self._shas else self._head
        block = placed.block
        self._placed.append(placed)
        self._shas.append(
            before
            if is_thinking(block)
            else _sha(before, json.dumps([placed.role, block], ensure_ascii=True))
        )
        self.tokens += placed.tokens
        if block["type"] == "tool_result" and placed.record not in self._compactions:
            self._results[block["tool_use_id"]] = placed.id


def _arriving(
    record: str, changes: Sequence[Change], count: Count, steps: Mapping[str, int]
) -> Mapping[str, list[Placed]]:
    """The new blocks of a compaction, by the id before which they come to stand."""
    arriving: dict[str, list[Placed]] = {}
    number = 0
    for change in changes:
        for block in change["blocks"]:
            first = change["ids"][0]
            new = Placed(
                id=f"{record}.{number}",
                role=change["role"],
                block=block,
                tokens=count(block),
                step=steps[first],
            )
            arriving.setdefault(first, []).append(new)
            number += 1
    return arriving


def _sha(before: str, content: str) -> str:
    return hashlib.sha256(f"{before}\n{content}".encode("ascii")).hexdigest()
