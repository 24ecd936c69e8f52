"""Forks: a session of its own that begins with all records of another, up to now."""

import os
from collections.abc import Iterable, Iterator, Mapping

from agent.errors import SessionError
from agent.session.checkpoint import carry, covered_by
from agent.session.log import read_records
from agent.session.records import Record, decode, encode
from agent.session.store import Store, new_id

_MARK = b'"type":"session"'
"""What the line of a `session` record holds; other lines are copied as they are."""


def fork(store: Store, session_id: str, now: float) -> str:
    """Copy the log of a session as it stands under a new id; return the id.

    The copy begins with a `session` record that names `forked_from`. The other records keep their ids and bytes, and
    the files beside the log stay where the records name them.

    Raises:    SessionError: the log holds no `session` record; OSError: it cannot be read, or the copy not written.
    """
    source = store.log(session_id)
    head = next(
        (record for _, record in read_records(source) if record and record["type"] == "session"), None
    )
    if head is None:
        raise SessionError(f"session {session_id} holds no readable record")
    made = new_id(now)
    own = {"session": made, "forked_from": session_id}
    store.folder(made).mkdir(mode=0o700)
    descriptor = os.open(store.log(made), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    covered = covered_by(source)
    with os.fdopen(descriptor, "wb") as copy, source.open("rb") as lines:
        copy.write(encode({**head, **own}))
        copy.writelines(_copied(_first(lines, covered), head, own))
        common = copy.tell()
        copy.writelines(_copied(lines, head, own))
        written = os.fstat(lines.fileno())
    os.utime(store.log(made), ns=(written.st_atime_ns, written.st_mtime_ns))
    if covered:
        carry(source, store.log(made), own, covered=common)
    if store.register is not None and store.is_own(session_id):
        store.register.add(store.log(made))
    return made


def _first(lines: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield lines that make up ``size`` bytes; the others stay."""
    while size > 0 and (line := next(lines, b"")):
        yield line
        size -= len(line)


def _copied(lines: Iterable[bytes], head: Record, own: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the lines of the copy but for ``head``, which comes first; `session` records are those of the fork."""
    for line in lines:
        if _MARK not in line:
            yield line
            continue
        for record in decode(line)[0]:
            if record["type"] != "session":
                yield encode(record)
            elif record["id"] != head["id"]:
                yield encode({**record, **own})
