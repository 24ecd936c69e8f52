"""The checkpoint of a log: what its records added up to at one moment, so that a long session opens at once.

It stands beside the log, in the session's own folder, and is no part of the truth: it counts only while the log begins
with exactly the bytes that it was made from, and without it all is read. One line of JSON says what it covers
(`Head`), the rest is the state in MessagePack; a hash over both tells that they are as they were written. The past of the view is not in it: for going back the whole log is read.
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from agent.session.bridge import BROKEN, unanswered
from agent.session.keep import keep_file, open_kept
from agent.session.log import SessionLog
from agent.session.measure import reader_of
from agent.session.state import Price, State, as_block
from agent.version import __version__
from compaction.history import History
from compaction.messages import Role
from compaction.timeline import Timeline
from compaction.view import Count, Origin, Placed, Standing, View, standing_of

NAME = "checkpoint"
FORMAT = 1
LEAST_BYTES = 1_000_000
"""A shorter log is read in no time."""
GROWTH_BYTES = 1_000_000
"""After so much more of the log a new one is written: reading that takes about a fifth of a second."""
GROWTH = 1
"""At least so many times the bytes of the checkpoint itself: it writes no more than the log does."""
CHUNK_BYTES = 1 << 20
PROMPT_CHARS = 200

ELSEWHERE = frozenset(("project", "count", "price", "timeline", "points"))
"""Fields of the state that are given by who opens it, or tell of the past of the view."""
ODD = (OSError, RecursionError, msgspec.MsgspecError, *BROKEN)
"""What a checkpoint raises that is not as it was written."""
UNWRITABLE = (OSError, UnicodeEncodeError, OverflowError, TypeError, RecursionError)


class Head(msgspec.Struct, kw_only=True, frozen=True):
    """The first line: what the checkpoint covers, and what a list of sessions shows."""

    v: int
    program: str
    """Version of the program: another one may count and read differently."""
    bytes: int
    """So many of the log's bytes went into it."""
    sha256: str
    """Of these bytes."""
    lines: int
    """How many lines they are."""
    number: int
    """The highest number of a record in them."""
    title: str
    turns: int
    tokens: int
    """Context size by the meter."""
    compactions: int
    prompt: str
    """The first one, on one line, cut."""
    seal: str = ""
    """Hash of this line, without it, and of the rest."""


class _Placed(msgspec.Struct, array_like=True, frozen=True):
    id: str
    role: Role
    block: dict[str, Any]
    tokens: int
    step: int


class _View(msgspec.Struct, kw_only=True, frozen=True):
    head: str
    placed: list[_Placed]
    origins: dict[str, Origin]
    compactions: set[str]
    sent: int
    history: History
    redoable: list[str]
    held: set[str]


_HINTS = get_type_hints(State)
_Fields: Any = msgspec.defstruct(
    "_Fields", [(one.name, _HINTS[one.name]) for one in fields(State) if one.name not in ELSEWHERE]
)


class _Body(msgspec.Struct, kw_only=True, frozen=True):
    view: _View
    state: _Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A state as of a checkpoint, and where its log goes on."""

    head: Head
    state: State


class Checkpoints:
    """Writes the checkpoint of one open log, now and then.

    Args:  covered: the bytes of the log that the newest one covers.
    """

    def __init__(self, log: SessionLog, state: State, covered: int) -> None:
        self._log = log
        self._state = state
        self._hash = hashlib.sha256()
        self._hashed = self._lines = 0
        self._covered = covered
        self._size = 0

    def keep(self, number: int, *, is_last: bool = False) -> bool:
        """Write one if it is time and nothing is under way; False when none was written.

        A disk that refuses changes nothing: the one before still counts.

        Args:  number: the highest of a record; is_last: the session is closed, so that less is worth one.
        """
        size = self._log.size
        grown = LEAST_BYTES if is_last else max(GROWTH_BYTES, GROWTH * self._size)
        if size < LEAST_BYTES or size - self._covered < grown or not self._is_settled():
            return False
        return self.write(number)

    def write(self, number: int) -> bool:
        """Write one now; False when that is not possible."""
        with suppress(*UNWRITABLE):
            data = self._data(number)
            keep_file(self._log.path.with_suffix("") / NAME, data)
            self._covered, self._size = self._hashed, len(data)
            return True
        return False

    def _is_settled(self) -> bool:
        state = self._state
        return self._log.problem is None and not state.calls.results and not unanswered(state)

    def _data(self, number: int) -> bytes:
        size = self._log.size
        for chunk in self._log.chunks(self._hashed, size):
            self._hash.update(chunk)
            self._lines += chunk.count(b"\n")
        self._hashed = size
        state = self._state
        head = Head(
            v=FORMAT,
            program=__version__,
            bytes=size,
            sha256=self._hash.hexdigest(),
            lines=self._lines,
            number=number,
            title=state.title,
            turns=state.turn,
            tokens=state.context_size,
            compactions=state.compactions,
            prompt=" ".join(state.prompts[0][1].split())[:PROMPT_CHARS] if state.prompts else "",
        )
        return sealed(head, pack(state))


def covered_by(log: Path) -> int:
    """Return how many bytes of a log its checkpoint stands for; 0 where none fits."""
    with suppress(*ODD), open_kept(log.with_suffix("") / NAME) as file:
        head = msgspec.json.decode(file.readline(), type=Head)
        is_ours = (head.v, head.program) == (FORMAT, __version__)
        return head.bytes if is_ours and _sha256(log, head.bytes) == head.sha256 else 0
    return 0


def read_checkpoint(log: Path, project: Path, *, count: Count, price: Price) -> Loaded | None:
    """Return the state of ``log`` as of its checkpoint; None where there is none that fits the log."""
    try:
        head, data = _read(log)
        if (head.v, head.program) != (FORMAT, __version__) or _sha256(log, head.bytes) != head.sha256:
            return None
        state = unpack(data, project, count=count, price=price)
    except ODD:
        return None  # it is only a short cut: what is odd about it is no fault of the session
    return Loaded(head=head, state=state)


def pack(state: State) -> bytes:
    """Return a state as bytes, all but the past of its view.

    Raises UnicodeEncodeError, OverflowError, TypeError, RecursionError for what cannot be written so.
    """
    return msgspec.msgpack.encode(_body(state))


def unpack(data: bytes, project: Path, *, count: Count, price: Price) -> State:
    """Return the state that `pack` was given. Raises one of `ODD` for other bytes."""
    body = msgspec.msgpack.decode(data, type=_Body)
    state = State(
        project=project,
        count=count,
        price=price,
        timeline=_timeline(body.view, count),
        **{name: getattr(body.state, name) for name in body.state.__struct_fields__},
    )
    state.view.reader = reader_of(state.model)
    return state


def carry(log: Path, copy: Path, own: Mapping[str, str], *, covered: int) -> None:
    """Give ``copy``, a log that was made of ``log``, a checkpoint of what they have in common.

    Args:  own: what the `session` record of the copy says in place of that of the log; covered: so many bytes of
           the copy are what the checkpoint of the log stands for.
    """
    with suppress(*ODD):  # without one the copy is read whole
        head, data = _read(log)
        body = msgspec.msgpack.decode(data, type=_Body)
        body.state.head.update(own)
        head = msgspec.structs.replace(head, bytes=covered, sha256=_sha256(copy, covered))
        keep_file(copy.with_suffix("") / NAME, sealed(head, msgspec.msgpack.encode(body)))


def _body(state: State) -> _Body:
    timeline, standing = state.timeline, standing_of(state.view)
    kept = _View(
        head=state.view.head,
        placed=[_Placed(one.id, one.role, dict(one.block), one.tokens, one.step) for one in standing.placed],
        origins=dict(standing.origins),
        compactions=set(standing.compactions),
        sent=standing.sent,
        history=standing.history,
        redoable=timeline.redoable,
        held=set(timeline.held),
    )
    return _Body(view=kept, state=_Fields(*(getattr(state, name) for name in _Fields.__struct_fields__)))


def _timeline(kept: _View, count: Count) -> Timeline:
    placed = [
        Placed(id=one.id, role=one.role, block=as_block(one.block), tokens=one.tokens, step=one.step)
        for one in kept.placed
    ]
    standing = Standing(
        placed=placed,
        origins=kept.origins,
        compactions=kept.compactions,
        sent=kept.sent,
        history=kept.history,
    )
    view = View.of(kept.head, count, standing)
    return Timeline.from_now(view, count, redoable=kept.redoable, held=frozenset(kept.held))


def sealed(head: Head, data: bytes) -> bytes:
    """Return the bytes of a checkpoint."""
    return _first_line(head, data) + data


def _first_line(head: Head, data: bytes) -> bytes:
    seal = hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(head, seal="")))
    seal.update(data)
    return msgspec.json.encode(msgspec.structs.replace(head, seal=seal.hexdigest())) + b"\n"


def _read(log: Path) -> tuple[Head, bytes]:
    """Return the head of the checkpoint of ``log``, and the rest. Raises one of `ODD`, also where one is damaged."""
    with open_kept(log.with_suffix("") / NAME) as file:
        line, data = file.readline(), file.read()
    head = msgspec.json.decode(line, type=Head)
    if line != _first_line(head, data):
        raise ValueError("it is not as it was written")
    return head, data


def _sha256(log: Path, size: int) -> str:
    """Hash of the first ``size`` bytes of a log; empty when it is shorter. Raises OSError."""
    found, left = hashlib.sha256(), size
    with log.open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, CHUNK_BYTES))):
            found.update(chunk)
            left -= len(chunk)
    return found.hexdigest() if left == 0 else ""
