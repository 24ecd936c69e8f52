"""Forks: what they begin with, and that the session they come from is left alone."""

import json
from pathlib import Path

import pytest

from agent.errors import SessionError
from agent.offline import MessagesServer, Script, calls, prefix_bytes, says
from agent.session.forks import fork
from agent.session.glance import glance
from agent.session.log import first_record, read_records
from agent.session.store import Store, new_id
from tests.support.command import Command
from tests.support.rig import rig

NOW = 1_800_000_000.0


def sessions(command: Command) -> list[str]:
    return sorted(path.stem for path in (command.project / ".transcripts").glob("*.jsonl"))


@pytest.mark.parametrize("how", ["-c", "-r"])
def test_a_fork_goes_on_from_the_same_bytes(tmp_path: Path, how: str) -> None:
    """--fork: a new id, a log that begins with where it comes from, a request that begins with the last one's bytes."""
    with MessagesServer(Script(calls("bash", command="echo a"), says("1"), says("2"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one", "--allow", "bash(echo:*)")
        (old,) = sessions(command)
        store = Store(root=command.project)
        before = store.log(old).read_bytes()
        named = [how] if how == "-c" else [how, old[-6:]]
        ran = command.here(*named, "--fork", "-p", "two")
        first, last = server.queries[-2:]
        assert server.refusals == []
    (new,) = {*sessions(command)} - {old}
    assert ran.complaints == [f"agent: this is a fork of session {old}, which stays as it is"]
    assert store.log(old).read_bytes() == before
    head = first_record(store.log(new)) or {}
    assert (head["type"], head["session"], head["forked_from"]) == ("session", new, old)
    assert prefix_bytes(last.body).startswith(prefix_bytes(first.body))


def test_a_fork_needs_a_session(tmp_path: Path) -> None:
    """Without -c or -r there is nothing to copy."""
    with MessagesServer(Script()) as server:
        ran = Command(root=tmp_path, url=server.url).here("--fork", "-p", "go")
    assert ran.code == 2
    assert "--fork needs a session to copy" in ran.err


async def test_fork_by_hand(tmp_path: Path) -> None:
    """/fork: the session is left as it is, the next request begins with all bytes of its last one."""
    async with rig(tmp_path, calls("bash", command="echo a"), says("One."), says("Two.")) as made:
        await made.says("go", "One.")
        old = made.desk.agent.session.state.session_id
        await made.says("/fork", f"back with /resume {old}")
        new = made.desk.agent.session.state.session_id
        size = made.desk.store.log(old).stat().st_size
        await made.says("on", "Two.")
        assert new != old
        assert made.desk.agent.session.state.head["forked_from"] == old
        assert made.desk.store.log(old).stat().st_size == size
        assert [glance(made.desk.store.log(one)).turns for one in (old, new)] == [1, 2]


def test_a_fork_of_a_damaged_log(tmp_path: Path) -> None:
    """What is damaged stays so; a head behind garbage comes first; a later head is that of the fork, too."""
    store = Store(root=tmp_path)
    store.make()
    old = new_id(NOW)
    head = {"v": 1, "id": "r1", "type": "session", "session": old}
    moved = {**head, "id": "r3"}
    other = {"v": 1, "id": "r2", "type": "note", "text": "é", "inner": {"type": "session"}}
    lines = [
        b"\x00garbage",
        *(json.dumps(one, separators=(",", ":")).encode() for one in (head, other, moved)),
    ]
    store.log(old).write_bytes(b"\n".join([*lines, b'{"v":1,"torn']))

    new = fork(store, old, NOW)

    records = [record for _, record in read_records(store.log(new))]
    own = {"session": new, "forked_from": old}
    assert records == [{**head, **own}, None, other, {**moved, **own}, None]
    assert store.log(new).stat().st_mtime_ns == store.log(old).stat().st_mtime_ns


def test_a_log_without_a_head_is_not_forked(tmp_path: Path) -> None:
    """It could not be resumed; nothing is left behind."""
    store = Store(root=tmp_path)
    store.make()
    store.log("20260101-000000-abcdef").write_bytes(b"\x00" * 9)
    with pytest.raises(SessionError, match="20260101-000000-abcdef holds no readable record"):
        fork(store, "20260101-000000-abcdef", NOW)
    assert [path.name for path in store.transcripts.glob("2*")] == ["20260101-000000-abcdef.jsonl"]
