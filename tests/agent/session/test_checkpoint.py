"""Checkpoints: a long session opens at once, with exactly the state that its whole log adds up to."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.session.checkpoint import GROWTH_BYTES, LEAST_BYTES, NAME, Head, read_checkpoint, sealed
from agent.session.forks import fork
from agent.session.loading import read_log, read_whole
from agent.session.replay import empty_state
from agent.session.session import Session, Tools
from agent.session.state import State
from agent.session.store import Store
from compaction.messages import text
from tests.support.invariants import check_checkpoint, check_same_but_past, facts_of, view_facts
from tests.support.long_log import LongLog

HEAD = {"model": "m", "mode": "ask", "system": [text("system")], "tools": [], "window": 100_000}
TOOLS = Tools(
    count=lambda block: len(str(block)), price=lambda _model, _usage: 0.5, clock=lambda: 1_790_000_000.0
)
SIZE = LEAST_BYTES + 200_000


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One long session that was left and opened again: it has a checkpoint."""
    root = tmp_path_factory.mktemp("project")
    store = Store.of(root, root / "home")
    session = Session.create(store, root, HEAD, tools=TOOLS)
    session.append("message", role="user", content=[text("begin")], said=[0], turn=1)
    reply = {"model": "m", "prefix_sha": session.state.prefix_sha, "step": 1}
    session.append("message", role="assistant", content=[text("begun")], **reply)
    session.append("title", text="the long one")
    session.append("end", of="turn", reason="end_turn")
    session.close()
    LongLog(session.log.path, root).grow(SIZE)
    Session.resume(store, session.state.session_id, root, tools=TOOLS).close()
    return store


@contextmanager
def opened_again(store: Store) -> Iterator[Session]:
    session = Session.resume(store, store.newest(), store.root, tools=TOOLS)
    try:
        yield session
    finally:
        session.close()


def like(store: Store) -> State:
    return empty_state(store.root, TOOLS.count, TOOLS.price)


def log_of(store: Store) -> Path:
    return store.log(store.newest())


def copied(store: Store, folder: Path) -> tuple[Store, Path]:
    """A copy of the session, and its checkpoint."""
    made, session = Store.of(folder, folder / "home"), store.newest()
    made.log(session).write_bytes(store.log(session).read_bytes())
    made.folder(session).mkdir()
    checkpoint = made.folder(session) / NAME
    checkpoint.write_bytes((store.folder(session) / NAME).read_bytes())
    return made, checkpoint


def test_a_state_from_a_checkpoint_is_that_of_the_whole_log(store: Store) -> None:
    """All but the past of the view is there, and the whole log gives that, too."""
    read, whole = read_log(log_of(store), like(store)), read_whole(log_of(store), like(store))

    assert read.covered > SIZE
    assert not read.state.timeline.is_whole
    assert whole.covered == 0
    check_same_but_past(read.state, whole.state)
    assert (read.number, read.damaged) == (whole.number, [])
    check_checkpoint(read.state)


def test_what_was_added_since_is_read(store: Store, tmp_path: Path) -> None:
    """Records behind a checkpoint have their effect; ids go on where they were; a record that was there has none."""
    made, _ = copied(store, tmp_path)
    log = log_of(made)
    first = log.read_bytes().split(b"\n", 1)[0] + b"\n"
    with opened_again(made) as session:
        session.append(
            "message", role="user", content=[text("and now?")], said=[0], turn=session.state.turn + 1
        )
    with log.open("ab") as file:
        file.write(first)
    read, whole = read_log(log, like(made)), read_whole(log, like(made))

    assert read.state.prompts[-1][1] == "and now?"
    assert facts_of(read.state) == facts_of(whole.state)
    # The line that came twice is named, so that the whole is read.
    assert read.damaged == whole.damaged == [log.read_bytes().count(b"\n")]


@pytest.mark.parametrize("at", [0, 400, SIZE // 2, SIZE])
def test_a_log_that_was_changed_is_read_whole(store: Store, tmp_path: Path, at: int) -> None:
    """A byte that is not as it was makes a checkpoint worthless, wherever it is."""
    made, checkpoint = copied(store, tmp_path)
    log = checkpoint.parent.with_suffix(".jsonl")
    data = bytearray(log.read_bytes())
    data[at] ^= 1
    log.write_bytes(data)

    assert read_checkpoint(log, made.root, count=TOOLS.count, price=TOOLS.price) is None


@settings(max_examples=60)
@given(data=st.data())
def test_a_checkpoint_of_other_bytes_is_not_used(store: Store, data: st.DataObject) -> None:
    """Cut, altered or foreign, be it one bit of a text: it never fails, and never gives another state than the log."""
    path = store.folder(store.newest()) / NAME
    whole = path.read_bytes()
    line = whole.index(b"\n") + 1
    start = data.draw(st.one_of(st.integers(0, len(whole)), st.integers(0, line + 400)))
    middle = data.draw(st.binary(max_size=20))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    changed = whole[:start] + middle + whole[end:]
    try:
        path.write_bytes(changed)
        found = read_checkpoint(log_of(store), store.root, count=TOOLS.count, price=TOOLS.price)
        assert (found is None) == (changed != whole)
    finally:
        path.write_bytes(whole)


def test_a_damaged_checkpoint_is_not_handed_on(store: Store, tmp_path: Path) -> None:
    """A fork of a session whose checkpoint is damaged has none: it is read whole."""
    made, checkpoint = copied(store, tmp_path)
    data = bytearray(checkpoint.read_bytes())
    data[data.rindex(b"begin")] ^= 1
    checkpoint.write_bytes(data)
    forked = fork(made, made.newest(), 1_790_000_100.0)

    assert read_log(made.log(forked), like(made)).covered == 0


def test_going_back_needs_the_whole_log(store: Store, tmp_path: Path) -> None:
    """Until it is read the timeline refuses; then a compaction can be undone, and the undo makes openings read it, too."""
    made, _ = copied(store, tmp_path)
    with opened_again(made) as session:
        target = session.state.standing[-1]
        with pytest.raises(LookupError, match="past"):
            session.state.timeline.without(target)
        before = view_facts(session.state)
        session.adopt(session.read_whole())
        assert view_facts(session.state) == before
        session.append("undo", target=target, is_redo=False)
        assert len(session.state.view) > len(before["placed"])
        live = facts_of(session.state)
    read = read_log(log_of(made), like(made))

    assert facts_of(read.state)["messages"] == live["messages"]


def test_an_undo_behind_a_checkpoint_is_not_lost(store: Store, tmp_path: Path) -> None:
    """After a kill the newest checkpoint is older than the undo: the whole log is read."""
    made, checkpoint = copied(store, tmp_path)
    old = checkpoint.read_bytes()
    with opened_again(made) as session:
        session.adopt(session.read_whole())
        session.append("undo", target=session.state.standing[-1], is_redo=False)
        live = view_facts(session.state)
    checkpoint.write_bytes(old)
    read = read_log(log_of(made), like(made))

    assert read.covered == 0
    assert view_facts(read.state) == live


def test_checkpoints_write_no_more_than_the_log(tmp_path: Path) -> None:
    """One is written each time the log has grown by what it takes; none of a short log, and none in a batch of calls."""
    store = Store.of(tmp_path, tmp_path / "home")
    session = Session.create(store, tmp_path, HEAD, tools=TOOLS)
    path = store.folder(session.state.session_id) / NAME
    written: list[tuple[int, int]] = []

    def look() -> None:
        session.sync()
        head = json.loads(path.read_bytes().split(b"\n")[0]) if path.exists() else {"bytes": 0}
        if head["bytes"] and (not written or written[-1][0] != head["bytes"]):
            written.append((head["bytes"], path.stat().st_size))

    for turn in range(1, 60):
        session.append("message", role="user", content=[text("word " * 20_000)], said=[0], turn=turn)
        look()
        reply: dict[str, Any] = {"model": "m", "prefix_sha": session.state.prefix_sha, "step": turn}
        session.append("message", role="assistant", content=[text("done")], **reply)
        session.append("end", of="turn", reason="end_turn")
        look()
    size = session.log.size
    session.close()

    assert written[0][0] >= LEAST_BYTES
    assert all(later - sooner >= GROWTH_BYTES for (sooner, _), (later, _) in pairwise(written))
    assert 2 <= len(written) <= size / GROWTH_BYTES
    assert sum(bytes_ for _, bytes_ in written[:-1]) <= size


def test_a_short_session_and_a_damaged_one_have_no_checkpoint(store: Store, tmp_path: Path) -> None:
    """A short log is read in no time; a damaged one is read whole each time, so that the damage is told."""
    made, checkpoint = copied(store, tmp_path)
    checkpoint.unlink()
    with log_of(made).open("ab") as file:
        file.write(b'{"v":1,"id":"torn\n')
    with opened_again(made) as session:
        assert session.damaged
    short = Session.create(made, made.root, HEAD, tools=TOOLS)
    short.close()

    assert not checkpoint.exists()
    assert not (made.folder(short.state.session_id) / NAME).exists()


def test_a_disk_that_refuses_leaves_the_one_before(store: Store, tmp_path: Path) -> None:
    """A checkpoint that cannot be written is no error: the one before counts as far as it goes."""
    made, checkpoint = copied(store, tmp_path)
    with opened_again(made) as session:
        folder = made.folder(session.state.session_id)
        folder.rename(tmp_path / "away")
        folder.write_text("a file where the folder was")
        assert not session._checkpoints.write(session._number)
        folder.unlink()
        (tmp_path / "away").rename(folder)

    assert read_log(log_of(made), like(made)).covered > 0
    assert [path.name for path in checkpoint.parent.iterdir() if path.name.startswith(".")] == []


def test_the_first_line_tells_what_a_list_of_sessions_shows(store: Store) -> None:
    """Title, turns, size, compactions and first prompt, as one line of JSON."""
    head = json.loads((store.folder(store.newest()) / NAME).read_bytes().split(b"\n")[0])
    state = read_whole(log_of(store), like(store)).state

    assert head["title"] == "the long one"
    assert head["prompt"] == "begin"
    assert (head["turns"], head["tokens"], head["compactions"]) == (
        state.turn,
        state.context_size,
        state.compactions,
    )


def test_a_fork_of_a_long_session_opens_at_once_too(store: Store, tmp_path: Path) -> None:
    """It has a checkpoint of what it has in common with the other, and only that is taken from it."""
    made, _ = copied(store, tmp_path)
    with opened_again(made) as session:
        session.append("title", text="since then")
    forked = fork(made, made.newest(), 1_790_000_100.0)
    read, whole = read_log(made.log(forked), like(made)), read_whole(made.log(forked), like(made))

    assert read.covered > SIZE
    assert read.state.session_id == forked
    assert read.state.title == "since then"
    check_same_but_past(read.state, whole.state)
    assert (read.number, read.damaged) == (whole.number, [])


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link to nowhere"])
def test_what_is_no_file_is_no_checkpoint(store: Store, tmp_path: Path, kind: str) -> None:
    """A project may come with anything under that name: the log is read, and nothing hangs."""
    made, checkpoint = copied(store, tmp_path)
    checkpoint.unlink()
    ways: dict[str, Callable[[], object]] = {
        "folder": checkpoint.mkdir,
        "pipe": lambda: os.mkfifo(checkpoint),
        "device": lambda: checkpoint.symlink_to("/dev/zero"),
        "link to nowhere": lambda: checkpoint.symlink_to(tmp_path / "nowhere"),
    }
    ways[kind]()

    assert read_log(log_of(made), like(made)).covered == 0
    assert fork(made, made.newest(), 1_790_000_100.0)


odd_blocks = st.dictionaries(
    st.sampled_from(["type", "text", "content", "input", "tool_use_id", "id", "name", "source", "thinking"]),
    st.sampled_from(
        ["text", "tool_use", "tool_result", "image", "thinking", None, 7, [], [1], {}, {"type": 1}]
    ),
    max_size=5,
)


@settings(max_examples=60)
@given(block=odd_blocks)
def test_a_checkpoint_with_blocks_of_any_shape_never_fails(store: Store, block: dict[str, Any]) -> None:
    """Well-formed as a file and odd inside: it is used or not, and then all is read."""
    path = store.folder(store.newest()) / NAME
    whole = path.read_bytes()
    head, _, body = whole.partition(b"\n")
    found = msgspec.msgpack.decode(body, strict=False)
    found["view"]["placed"][-1][2] = block
    try:
        path.write_bytes(sealed(msgspec.json.decode(head, type=Head), msgspec.msgpack.encode(found)))
        loaded = read_checkpoint(log_of(store), store.root, count=TOOLS.count, price=TOOLS.price)
        assert loaded is None or isinstance(loaded.state, State)
    finally:
        path.write_bytes(whole)
