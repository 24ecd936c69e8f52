"""Sessions: made, resumed, forked; the state is what the log adds up to."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.errors import SessionError
from agent.session.closing import LOST, NOT_STARTED
from agent.session.log import read_records
from agent.session.session import Session, Tools
from agent.session.state import LOST_OUTPUT, State
from agent.session.store import SESSION_ID, TYPED, Store, new_id
from compaction.messages import text
from compaction.pairs import broken_pairs
from compaction.view import Change

HEAD = {"model": "m", "mode": "ask", "system": [text("system")], "tools": [], "window": 100_000}
NOW = 1_790_000_000.0
TODO = {"content": "t", "status": "pending", "activeForm": "t"}


def price(model: str, usage: Any) -> float | None:
    return None if model == "unpriced" else usage.get("output_tokens", 0) / 100


TOOLS = Tools(count=lambda block: len(str(block)), price=price, clock=lambda: NOW)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.of(tmp_path, tmp_path / "home")


@pytest.fixture
def session(store: Store) -> Iterator[Session]:
    made = Session.create(store, store.root, HEAD, tools=TOOLS)
    yield made
    made.close()


def again(store: Store, session: Session) -> Session:
    session.close()
    return Session.resume(store, session.state.session_id, store.root, tools=TOOLS)


def prompt(session: Session, words: str) -> None:
    session.append("message", role="user", content=[text(words)], said=[0], turn=session.state.turn + 1)


def reply(session: Session, *blocks: Any, **fields: Any) -> None:
    session.append(
        "message",
        role="assistant",
        content=list(blocks),
        **{"model": "m", "prefix_sha": session.state.prefix_sha, "step": session.state.step + 1, **fields},
    )


def call(id_: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": "bash", "input": {"command": "ls"}}


def result(session: Session, id_: str, content: str = "done", **facts: Any) -> str:
    return session.append("result", call=id_, name="bash", content=content, is_error=False, facts=facts)


def messages(state: State) -> Any:
    return state.view.messages("kept", "m")


def test_a_session_is_on_disk_from_its_first_record_on(store: Store, session: Session) -> None:
    """Its log is private, its folder too, and git sees neither."""
    path = session.log.path

    assert SESSION_ID.fullmatch(session.state.session_id)
    assert [record and record["type"] for _, record in read_records(path)] == ["session"]
    assert [
        stat.S_IMODE(each.stat().st_mode) for each in (path, path.with_suffix(""), store.transcripts)
    ] == [
        0o600,
        0o700,
        0o700,
    ]
    assert (store.transcripts / ".gitignore").read_text() == "*\n"
    assert list(store.newest_first()) == [session.state.session_id]
    with pytest.raises(SessionError, match="no session to continue"):
        store.newest()
    (store.folder(session.state.session_id) / TYPED).write_text("{}")
    assert store.newest() == session.state.session_id, "what was typed there and not sent is gone on with"
    (store.folder(session.state.session_id) / TYPED).unlink()
    prompt(session, "go")
    assert store.newest() == session.state.session_id


def eventful(session: Session) -> None:
    """One turn with everything that a state keeps."""
    session.append("context", content=[text("context")], files={"AGENTS.md": "1"}, turn=1)
    prompt(session, "go")
    reply(session, text("hm"), call("a"), usage={"input_tokens": 90, "output_tokens": 10})
    session.append("call", call="a", name="bash")
    known = {"/f": {"sha256": "1", "ranges": [[1, 2]], "is_whole": False, "lines": 9}}
    shown = {"path": "/f", "sha256": "1", "key": "all"}
    more: dict[str, Any] = {
        "known": known,
        "shown": shown,
        "todos": [TODO],
        "cwd": "/tmp",
        "marks": ["1-0-bash"],
    }
    results = [result(session, "a", compact="f", **more)]
    session.append("steering", text="and this")
    session.answer(results, [text("and this")], said=[0], steering=[session.state.last])
    spent = {"usd": 1.5, "is_known": True, "input_tokens": 5, "cached_tokens": 0, "output_tokens": 0}
    session.append("subagent", agent="task-001", number=1, files=["/log"], spent=spent)
    session.append("model", model="other")
    session.append("mode", mode="plan")
    session.append("end", of="turn", reason="done")
    spill = {"path": "long.txt", "sha256": "1", "bytes": 9}
    ran = session.append("shell", command="ls")
    session.append("output", shell=ran, exit_code=0, content="told", marks=["shell-r1"], spill=spill)


def test_resuming_gives_the_same_state(store: Store, session: Session) -> None:
    """Everything that stands beside the view comes back with it: prompts, todos, files, marks, cost, meter."""
    eventful(session)
    before = session.state

    after = again(store, session).state

    for name in State.__dataclass_fields__.keys() - {"view", "timeline", "count", "price"}:
        assert getattr(after, name) == getattr(before, name), name
    assert messages(after) == messages(before)
    assert (after.earlier, after.active, after.spent.usd) == (["go", "and this"], [], 1.6)
    assert after.shown_before("/f", "1", "all") == "a"
    assert after.is_own_mark("1-0-bash")
    assert (after.compact_wish, str(after.cwd), after.todos) == ("f", "/tmp", [TODO])
    assert list(after.shells.values()) == ["told"]


def test_an_output_that_is_lost_leaves_its_place(store: Store, session: Session) -> None:
    """A line that cannot be read costs what a command printed, and nothing of the message that carried it."""
    ran = session.append("shell", command="ls")
    session.append("output", shell=ran, exit_code=0, content="told", marks=[], spill=None)
    carried = list(session.state.shells)
    session.append("message", role="user", content=[text("look")], said=[0], shells=carried, turn=1)
    assert messages(session.state) == [{"role": "user", "content": [text("told"), text("look")]}]
    session.close()
    lines = session.log.path.read_bytes().splitlines(keepends=True)
    lines[2] = b"rubbish\n"
    session.log.path.write_bytes(b"".join(lines))

    after = Session.resume(store, session.state.session_id, store.root, tools=TOOLS)

    assert messages(after.state) == [{"role": "user", "content": [text(LOST_OUTPUT), text("look")]}]
    assert after.state.prompts == [(1, "look")]
    after.close()


@pytest.mark.parametrize("started", [True, False])
def test_a_call_without_a_result_is_answered_on_load(store: Store, session: Session, started: bool) -> None:
    """A call that had started may have taken effect, and says so; one that had not says that."""
    prompt(session, "go")
    reply(session, call("a"), call("b"))
    session.append("call", call="a", name="bash")
    result(session, "a", "done a")
    if started:
        session.append("call", call="b", name="bash")

    resumed = again(store, session)

    answers = {block["tool_use_id"]: block["content"] for block in messages(resumed.state)[-1]["content"]}
    assert answers == {"a": "done a", "b": LOST if started else NOT_STARTED}
    assert broken_pairs(messages(resumed.state)) == []
    assert not resumed.state.is_turn_open
    resumed.close()


def test_a_turn_that_a_crash_left_open_is_ended(store: Store, session: Session) -> None:
    """The prompt of a dead turn is an earlier prompt, not the active request."""
    prompt(session, "go")
    assert session.state.active == ["go"]

    resumed = again(store, session)

    assert (resumed.state.active, resumed.state.earlier) == ([], ["go"])
    resumed.close()


def test_ids_and_steps_never_come_twice(store: Store, session: Session) -> None:
    """Also not behind a torn line, whose id nobody knows."""
    prompt(session, "go")
    session.close()
    with session.log.path.open("ab") as file:
        file.write(b'{"v":1,"id":"r3","type":"no')

    resumed = Session.resume(store, session.state.session_id, store.root, tools=TOOLS)
    prompt(resumed, "more")
    resumed.close()

    ids = [record["id"] for _, record in read_records(session.log.path) if record]
    assert len(ids) == len(set(ids))
    assert "r3" not in ids
    assert resumed.damaged == [3]


def test_a_second_writer_gets_a_fork(store: Store, session: Session) -> None:
    """One writer a log: the second works on a copy with its own id, and the first is left alone."""
    prompt(session, "go")
    before = session.log.path.read_bytes()

    fork = Session.resume(store, session.state.session_id, store.root, tools=TOOLS)
    prompt(fork, "another way")

    assert fork.forked_from == session.state.session_id != fork.state.session_id
    assert session.log.path.read_bytes() == before
    assert [block["text"] for block in messages(fork.state)[0]["content"]] == ["go", "another way"]
    fork.close()
    once_more = Session.resume(store, fork.state.session_id, store.root, tools=TOOLS)
    assert once_more.state.session_id == fork.state.session_id
    once_more.close()


def test_a_log_without_a_readable_record_is_no_session(store: Store) -> None:
    """It is refused with its name, not resumed as an empty one."""
    store.log("20260101-000000-abcdef").write_bytes(b"\x00" * 100)

    with pytest.raises(SessionError, match="20260101-000000-abcdef holds no readable record"):
        Session.resume(store, "20260101-000000-abcdef", store.root, tools=TOOLS)


def test_a_compaction_record_changes_the_view(store: Store, session: Session) -> None:
    """Its blocks stand as recorded, its files are the session's own, its cost counts, a wish is granted."""
    prompt(session, "go")
    wish = result(session, "a", compact="")
    session.answer([wish])
    gone = [placed.id for placed in session.state.view]
    session.append(
        "compaction",
        layer="summary",
        trigger="manual",
        changes=[Change(ids=gone, role="user", blocks=[text("summary")])],
        files=[{"path": "a.md", "sha256": "0", "bytes": 1}],
        receipt={"usage": {"output_tokens": 100}},
        context_files={"AGENTS.md": "2"},
    )

    state = again(store, session).state

    assert messages(state) == [{"role": "user", "content": [text("summary")]}]
    assert state.is_own_file(store.root / "a.md")
    assert (state.spent.usd, state.compactions, state.compact_wish) == (1.0, 1, None)
    assert state.context_files == {"AGENTS.md": "2"}


def test_notes_have_their_effects(session: Session) -> None:
    """A refused wish, a refused steering, a corrected size, a refused binding, a paid request, a price unknown."""
    session.append("steering", text="x")
    refused = session.state.last
    session.append("result", call="a", name="compact", content="", facts={"compact": "f"})
    session.append("note", text="", compact_refused=True, refused=refused, corrected_tokens=777)
    session.append("note", text="", binding_refused=True, usage={"output_tokens": 50})
    session.append("model", model="unpriced")
    session.append("note", text="", usage={"output_tokens": 50})
    session.append("of the future", anything=1)
    state = session.state

    assert (state.compact_wish, state.waiting, state.context_size) == (None, {}, 777)
    assert (state.is_binding_refused, state.spent_usd, state.spent.is_known) == (True, 0.5, False)


def test_a_project_that_cannot_be_written_keeps_its_sessions_at_home(tmp_path: Path) -> None:
    """Sessions then live under the user's home, one folder a project."""
    project, home = tmp_path / "file", tmp_path / "home"
    project.write_text("no folder can be made below a file")

    store = Store.of(project, home)

    assert store.root.is_relative_to(home / "projects")
    assert store.transcripts.is_dir()
    assert Store.of(project, home) == store
    assert Store.of(tmp_path / "other" / ".." / "file", home).root != store.root


def test_finding_a_session(store: Store) -> None:
    """By its id, by a beginning or end that only one has; else the error names the choices."""
    with pytest.raises(SessionError, match="no session to continue"):
        store.newest()
    with pytest.raises(SessionError, match="no session `x` in"):
        store.find("x")
    for name, age in (("20260101-000000-aaaaaa", 2), ("20260102-000000-bbbbbb", 1)):
        store.log(name).write_text('{"v":1,"id":"r1","type":"session"}\n')
        os.utime(store.log(name), (NOW - age, NOW - age))
    (store.transcripts / "20260103-000000-cccccc.jsonl").touch()
    (store.transcripts / "notes.jsonl").write_text("{}")

    assert list(store.newest_first()) == ["20260102-000000-bbbbbb", "20260101-000000-aaaaaa"]
    assert store.find("20260101-000000-aaaaaa") == "20260101-000000-aaaaaa"
    assert store.find("bbbbbb") == "20260102-000000-bbbbbb"
    with pytest.raises(SessionError, match="fits several"):
        store.find("2026")
    with pytest.raises(SessionError, match="the newest is 20260102-000000-bbbbbb"):
        store.find("dddd")


def test_ids_say_when() -> None:
    """A session's id begins with its start in UTC and is never twice the same."""
    ids = {new_id(0.0) for _ in range(50)}

    assert all(SESSION_ID.fullmatch(each) and each.startswith("19700101-000000-") for each in ids)
    assert len(ids) > 1
