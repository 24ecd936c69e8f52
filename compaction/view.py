"""The view: the blocks that are sent, each under an id that is never reused.

A view is a flat list of placed blocks; adjacent blocks of one role make one message on the wire. It grows by
`append` (a logged message) and changes only by `apply` (a recorded compaction): rebuilding it from the log runs
no layer again.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from compaction.history import History
from compaction.index import Index
from compaction.messages import Block, Message, Role, is_thinking, merged
from compaction.totals import Totals

ThinkingRule = Literal["bound", "proven", "manual", "kept", "none"]
"""How a model's thinking may be sent back: `bound` to the prefix that made it, `proven` where the server refuses all
that is not and cannot be told to drop it, with `manual` or adaptive (`kept`) thinking always, or not at all."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A view at one moment, as plain values, without how it came to be."""

    placed: Sequence[Placed]
    origins: Mapping[str, Origin]
    """Of the assistant records that stand."""
    compactions: AbstractSet[str]
    """Those of which something stands."""
    sent: int
    history: History


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who the view is sent to."""

    rule: ThinkingRule
    model: str


def standing_of(view: "View") -> Standing:
    """Return what stands, as plain values: `View.of` makes an equal view of it. The history is shared."""
    records = {placed.record for placed in view}
    return Standing(
        placed=list(view),
        origins={record: origin for record, origin in view.origins.items() if record in records},
        compactions=view.compactions & records,
        sent=view.sent,
        history=view.history,
    )


def head_sha(system: Any, tools: Any) -> str:
    """Return the hash that every prefix of a session starts from: its system prompt and tool schemas."""
    return _sha("", json.dumps([system, tools], ensure_ascii=True))


class View:
    """The messages that are sent, block by block, with running totals.

    Args:  head: `head_sha` of the session; count: tokens of a block.
    """

    def __init__(self, head: str, count: Count) -> None:
        self.head = head
        self.count = count
        self._placed: list[Placed] = []
        self._shas: list[str] = []
        self._results: dict[str, str] = {}
        self.origins: dict[str, Origin] = {}
        """Assistant record -> where it came from."""
        self.compactions: set[str] = set()
        """Ids of the compactions that were applied."""
        self.totals = Totals()
        self.index = Index()
        self.history = History()
        self.reader: Reader | None = None
        """Decides which thinking counts; nobody: all of it."""
        self.sent = 0
        """How many blocks stand as the last request had them: what a change before that makes the server read anew."""

    @classmethod
    def of(cls, head: str, count: Count, standing: Standing) -> "View":
        """Return the view of which ``standing`` tells."""
        view = cls(head, count)
        view.origins, view.compactions = dict(standing.origins), set(standing.compactions)
        view.history = standing.history
        for placed in standing.placed:
            view._place(placed)
        view.sent = standing.sent
        return view

    def __len__(self) -> int:
        return len(self._placed)

    def __iter__(self) -> Iterator[Placed]:
        return iter(self._placed)

    def unsent(self) -> list[Placed]:
        """Return the blocks that have not been sent yet."""
        return self._placed[self.sent :]

    @property
    def tokens(self) -> int:
        """Tokens of the blocks that are sent, estimated: thinking that may not go back counts nothing."""
        return self.totals.sent(self.reader)

    def append(
        self, record: str, role: Role, blocks: Sequence[Block], *, origin: Origin | None = None, step: int = 0
    ) -> None:
        """Append the blocks of a logged message; ``origin`` comes with an assistant's."""
        if origin is not None:
            self.origins[record] = origin
        if role == "assistant":
            self.sent = len(self._placed)
        counts = [self.count(block) for block in blocks]
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
        arriving = _arriving(record, changes, self.count, steps)
        self.compactions.add(record)
        before = self._placed
        self._placed, self._shas, self._results, self.totals = [], [], {}, Totals()
        self.index = Index()
        for placed in before:
            if placed.id in gone:
                self.sent = min(self.sent, len(self._placed))
            for new in arriving.get(placed.id, ()):
                self._place(new)
            if placed.id not in gone:
                self._place(placed)

    def copy(self) -> "View":
        """Return an equal view that changes on its own; it shares the history, so that it must not be appended to."""
        twin = View(self.head, self.count)
        twin.origins = dict(self.origins)
        twin.compactions = set(self.compactions)
        twin._placed, twin._shas = list(self._placed), list(self._shas)
        twin._results = dict(self._results)
        twin.totals, twin.index = deepcopy(self.totals), self.index.copy()
        twin.history = self.history
        twin.sent, twin.reader = self.sent, self.reader
        return twin

    @property
    def prefix_sha(self) -> str:
        """Hash of the request that this view makes: system, tools and all blocks but thinking."""
        return self._shas[-1] if self._shas else self.head

    def is_whole(self, id_: str) -> bool:
        """True while the result of a call, or a text of that block id, stands as it was appended or put."""
        return id_ in self._results or any(placed.id == id_ for placed in self._placed)

    def is_changed(self, placed: Placed) -> bool:
        """True for a block that a compaction put there."""
        return placed.record in self.compactions

    def messages(self, rule: ThinkingRule, model: str) -> list[Message]:
        """Return the view in wire form, with the thinking that ``model`` accepts under ``rule``."""
        return merged([(placed.role, placed.block) for placed in self.sendable(rule, model)])

    def sendable(self, rule: ThinkingRule, model: str) -> list[Placed]:
        """Return the placed blocks less the thinking that may not go back.

        Source: the API's prefix check (compaction rule 8). Bound thinking whose prefix is not the one that made
        it is left out; the last assistant message goes as it is, unless the rule is `proven`. Thinking of another
        model is left out.
        """
        if rule == "none":
            return [placed for placed in self._placed if not is_thinking(placed.block)]
        last = next((placed.record for placed in reversed(self._placed) if placed.role == "assistant"), "")
        own = {record for record, origin in self.origins.items() if origin.model == model}
        exempt = "" if rule == "proven" else last
        valid = self.totals.valid if rule in ("bound", "proven") else own
        return [
            placed
            for placed in self._placed
            if not is_thinking(placed.block)
            or (placed.record in own and (placed.record in valid or placed.record == exempt))
        ]

    def _place(self, placed: Placed) -> None:
        before = self._shas[-1] if self._shas else self.head
        block = placed.block
        self._placed.append(placed)
        self.index.add(placed, is_put=self.is_changed(placed))
        content = json.dumps([placed.role, block], ensure_ascii=True)
        self._shas.append(before if is_thinking(block) else _sha(before, content))
        self.totals.add(placed, _bytes(block, content), self.origins.get(placed.record), before=before)
        if block["type"] == "tool_result" and placed.record not in self.compactions:
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


def _bytes(block: Block, ascii_json: str) -> int:
    """Size on the wire, where only what JSON demands is escaped."""
    if "\\u" not in ascii_json:
        return len(ascii_json)
    return len(json.dumps(block, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _sha(before: str, content: str) -> str:
    return hashlib.sha256(f"{before}\n{content}".encode("ascii")).hexdigest()
