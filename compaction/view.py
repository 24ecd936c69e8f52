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
        self.tokens = 0

    def __len__(self) -> int:
        return len(self._placed)

    def __iter__(self) -> Iterator[Placed]:
        return iter(self._placed)

    def append(
        self, record: str, role: Role, blocks: Sequence[Block], *, origin: Origin | None = None
    ) -> None:
        """Append the blocks of a logged message; ``origin`` comes with an assistant's."""
        if origin is not None:
            self._origins[record] = origin
        for index, block in enumerate(blocks):
            self._place(Placed(id=f"{record}.{index}", role=role, block=block, tokens=self._count(block)))

    def apply(self, record: str, changes: Sequence[Change]) -> None:
        """Change the view as a compaction record says; new blocks get ids of that record."""
        gone = {id_ for change in changes for id_ in change["ids"]}
        standing = {placed.id for placed in self._placed}
        if missing := gone - standing:
            raise ValueError(f"compaction {record} changes blocks that do not stand: {sorted(missing)[:3]}")
        arriving = _arriving(record, changes, self._count)
        self._compactions.add(record)
        before = self._placed
        self._placed, self._shas, self._results, self.tokens = [], [], {}, 0
        for placed in before:
            for new in arriving.get(placed.id, ()):
                self._place(new)
            if placed.id not in gone:
                self._place(placed)

    def copy(self) -> "View":
        """Return an equal view that changes on its own: what a preview works on."""
        twin = View(self._head, self._count)
        twin._origins = dict(self._origins)
        twin._compactions = set(self._compactions)
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
        last = self._last_reply()
        valid = self._valid_origins() if rule == "bound" else set(self._origins)
        return [
            placed
            for placed in self._placed
            if not is_thinking(placed.block)
            or (self._is_of(placed.record, model) and (placed.record in valid or placed.record == last))
        ]

    def _is_of(self, record: str, model: str) -> bool:
        origin = self._origins.get(record)
        return origin is not None and origin.model == model

    def _last_reply(self) -> str:
        for placed in reversed(self._placed):
            if placed.role == "assistant":
                return placed.record
        return ""

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
                elif self._has_thinking(seen):
                    return valid
            before = sha
        return valid

    def _has_thinking(self, record: str) -> bool:
        return any(placed.record == record and is_thinking(placed.block) for placed in self._placed)

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


def _arriving(record: str, changes: Sequence[Change], count: Count) -> Mapping[str, list[Placed]]:
    """The new blocks of a compaction, by the id before which they come to stand."""
    arriving: dict[str, list[Placed]] = {}
    number = 0
    for change in changes:
        for block in change["blocks"]:
            new = Placed(id=f"{record}.{number}", role=change["role"], block=block, tokens=count(block))
            arriving.setdefault(change["ids"][0], []).append(new)
            number += 1
    return arriving


def _sha(before: str, content: str) -> str:
    return hashlib.sha256(f"{before}\n{content}".encode("ascii")).hexdigest()
