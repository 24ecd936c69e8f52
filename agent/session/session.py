"""One open session: the log and the state it adds up to, grown together."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from agent.api.request import thinking_rule
from agent.clock import Clock, stamp
from agent.errors import SessionError
from agent.models import row
from agent.session.care import PUT_BACK, Care
from agent.session.checkpoint import Checkpoints
from agent.session.closing import close_open_calls
from agent.session.forks import fork
from agent.session.loading import Read, read_log, read_whole
from agent.session.log import SessionLog
from agent.session.records import VERSION, Record
from agent.session.replay import apply, empty_state
from agent.session.state import Price, State
from agent.session.store import Store, new_id
from compaction.pairs import broken_pairs
from compaction.view import Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a state counts and prices with."""

    count: Count
    price: Price
    clock: Clock


class Session:
    """Appends records; each is in the log before it has its effect on the state.

    Made by `create` or `resume`, which lock the log: one writer at a time.
    """

    def __init__(self, log: SessionLog, read: Read, *, clock: Clock) -> None:
        self.log = log
        self.state = state = read.state
        self.damaged = read.damaged
        """Line numbers of the log that hold something unreadable."""
        self.forked_from = ""
        """Id of the session that is open elsewhere, when this one is its fork."""
        self.care = Care(log, state)
        self._checkpoints = Checkpoints(log, state, read.covered)
        self._clock = clock
        self._number = read.number

    @classmethod
    def create(cls, store: Store, project: Path, head: Mapping[str, Any], *, tools: Tools) -> "Session":
        """Start a new session with ``head`` (model, system, tools, …) as its first record."""
        session_id = new_id(tools.clock())
        store.folder(session_id).mkdir(mode=0o700)
        session = cls._open(store.log(session_id), project, tools)
        session.append("session", session=session_id, **head)
        session.log.sync()
        if store.register is not None:
            store.register.add(store.log(session_id))
        return session

    @classmethod
    def subagent(cls, path: Path, project: Path, head: Mapping[str, Any], *, tools: Tools) -> "Session":
        """Start the log of a subagent beside its parent's; the lock of that one's log serves for both."""
        session = cls._open(path, project, tools, is_locked=False)
        session.care.keeps_files = False
        session.append("session", **head)
        return session

    @classmethod
    def resume(cls, store: Store, session_id: str, project: Path, *, tools: Tools) -> "Session":
        """Open a session again and close what a crash left open.

        A session that another process writes is not touched: its fork is opened, under an id of its own.
        """
        store.folder(session_id).mkdir(mode=0o700, exist_ok=True)
        forked_from = ""
        try:
            session = cls._open(store.log(session_id), project, tools)
        except BlockingIOError:
            forked_from, session_id = session_id, fork(store, session_id, tools.clock())
            session = cls._open(store.log(session_id), project, tools)
        with _closed_when_it_fails(session.log):
            if not session.state.head:
                raise SessionError(f"session {session_id} holds no readable record")
            session.forked_from = forked_from
            close_open_calls(session)
            if session.damaged and session.faults():
                raise SessionError(f"session {session_id} is too damaged to go on with: {session.log.path}")
        return session

    def faults(self) -> list[str]:
        """Return what keeps the history from being sent; empty unless the log is damaged beyond bridging."""
        state = self.state
        return broken_pairs(state.view.messages(thinking_rule(row(state.model)), state.model))

    @classmethod
    def _open(cls, path: Path, project: Path, tools: Tools, *, is_locked: bool = True) -> "Session":
        log = SessionLog(path, is_locked=is_locked)
        with _closed_when_it_fails(log):
            read = read_log(path, empty_state(project, tools.count, tools.price))
            return cls(log, read, clock=tools.clock)

    def read_whole(self) -> State:
        """Return the state with the past of the view, read from the whole log; for `adopt`. Raises SessionError."""
        self.log.sync()
        if self.log.problem is not None:
            raise SessionError(f"the log cannot be written: {self.log.problem.strerror}")
        return read_whole(self.log.path, self.state).state

    def adopt(self, state: State) -> None:
        """Let the state be as ``state``, which the same log adds up to."""
        for field in fields(State):
            setattr(self.state, field.name, getattr(state, field.name))

    def append(self, type: str, **fields: Any) -> str:
        """Append a record of ``type``; return its id."""
        self._number += 1
        state = self.state
        record: Record = {
            "v": VERSION,
            "id": f"r{self._number}",
            "parent": state.last,
            "at": stamp(self._clock()),
            "turn": fields.pop("turn", state.turn),
            "step": fields.pop("step", state.step),
            "type": type,
            **fields,
        }
        self.log.append(record)
        apply(state, record)
        self.care.watch()
        return str(record["id"])

    def sync(self) -> None:
        """Bring all records to the disk; what somebody removed of the session is written again."""
        written = self.log.rewritten
        self.log.sync()
        if self.log.rewritten > written:
            self.append("note", text=PUT_BACK)
            if self.care.keeps_files:
                self.care.say(PUT_BACK)
        self.care.look()
        self.care.watch()
        self._keep_checkpoint(is_last=False)

    def close(self) -> None:
        """Close the log; another may write it then."""
        self.sync()
        self._keep_checkpoint(is_last=True)
        self.log.close()

    def answer(self, results: Sequence[str], content: Sequence[Any] = (), **fields: Any) -> str:
        """Append the user message that answers a reply: result records, then ``content``."""
        return self.append("message", role="user", results=list(results), content=list(content), **fields)

    def _keep_checkpoint(self, *, is_last: bool) -> None:
        # Of a damaged log there is none: each opening tells of the damage. A subagent's is not opened again.
        if not self.damaged and self.log.is_locked:
            self._checkpoints.keep(self._number, is_last=is_last)


@contextmanager
def _closed_when_it_fails(log: SessionLog) -> Iterator[None]:
    """Close ``log`` when what is done with it fails: it could not be opened again as long as the process lives."""
    try:
        yield
    except BaseException:
        log.close()
        raise
