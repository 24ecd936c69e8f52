"""A damaged log: whichever line is lost, doubled or not as it was written, what is left can be gone on with."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.errors import SessionError
from agent.session.bridge import LOST_CALL, LOST_RESULT, LOST_START
from agent.session.rewind import Files, files_at, prompts
from agent.session.session import Session, Tools
from agent.session.store import Store
from compaction.messages import text

HEAD = {"model": "m", "mode": "ask", "system": [text("system")], "tools": [], "window": 100_000}
NOW = 1_790_000_000.0
TOOLS = Tools(count=lambda block: len(str(block)), price=lambda *_: 0.0, clock=lambda: NOW)
CALLS = ("a", "b")
TURNS = 3
RECEIPT = {
    "layer": "summary",
    "trigger": "auto",
    "before": 9_000,
    "after": 4_000,
    "window": 100_000,
    "archive": "",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.of(tmp_path, tmp_path / "home")


@pytest.fixture
def log(store: Store) -> Path:
    """The log of a session of three turns with two calls each, the first turn archived by a compaction."""
    session = Session.create(store, store.root, HEAD, tools=TOOLS)
    session.append("context", content=[text("context")], files={}, turn=1)
    for turn in range(1, TURNS + 1):
        session.append("message", role="user", content=[text(f"go {turn}")], said=[0], turn=turn)
        calls = [f"{name}{turn}" for name in CALLS]
        blocks = [{"type": "tool_use", "id": call, "name": "bash", "input": {}} for call in calls]
        reply(session, text("hm"), *blocks)
        for call in calls:
            session.append("call", call=call, name="bash")
        results = [session.append("result", **result(call)) for call in calls]
        session.answer(results, [text("and this")], said=[0])
        reply(session, text(f"done {turn}"))
        session.append("end", of="turn", reason="done")
        if turn == 1:
            ids = [placed.id for placed in session.state.view][2:-1]
            changes = [{"ids": ids, "role": "user", "blocks": [text("a summary")]}]
            session.append("compaction", layer="summary", changes=changes, files=[], receipt=RECEIPT)
    session.close()
    return session.log.path


def reply(session: Session, *blocks: Any) -> None:
    sha = session.state.prefix_sha
    step = session.state.step + 1
    session.append("message", role="assistant", content=list(blocks), model="m", prefix_sha=sha, step=step)


def result(call: str) -> dict[str, Any]:
    return {"call": call, "name": "bash", "content": f"result of {call}", "is_error": False, "facts": {}}


def opened(store: Store, log: Path) -> Session:
    session = Session.resume(store, log.stem, store.root, tools=TOOLS)
    session.close()
    return session


def said(session: Session) -> str:
    return json.dumps(session.state.view.messages("kept", "m"))


def _from_a_prompt(lines: list[bytes]) -> list[bytes]:
    prompts = [at for at, line in enumerate(lines) if b'"text":"go ' in line]
    return lines[prompts[0] :] if prompts else []


Damage = Callable[[list[bytes], int], list[bytes]]
DAMAGES: dict[str, Damage] = {
    "garbled": lambda lines, at: [*lines[:at], b'{"v":1,"id":"r9\n', *lines[at + 1 :]],
    "gone": lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    "doubled": lambda lines, at: [*lines[: at + 1], *lines[at:]],
    "cut off": lambda lines, at: lines[: at + 1],
    "swapped": lambda lines, at: [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]],
    "gone up to the next prompt": lambda lines, at: [*lines[:at], *_from_a_prompt(lines[at + 1 :])],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_any_one_line(store: Store, log: Path, damage: Damage) -> None:
    """It opens, can be sent, and is the same at the next opening; only without its head it is no session."""
    lines = log.read_bytes().splitlines(keepends=True)
    for at in range(1, len(lines)):
        log.write_bytes(b"".join(damage(lines, at)))
        session = opened(store, log)
        assert session.faults() == [], (at, lines[at])
        again = opened(store, log)
        assert said(again) == said(session)
        assert again.faults() == []


def test_what_is_lost_is_said(store: Store, log: Path) -> None:
    """A result, a call, the beginning: in the place where it stood."""
    lines = log.read_bytes().splitlines(keepends=True)
    types = [json.loads(line)["type"] for line in lines]
    newest_result = len(lines) - 1 - types[::-1].index("result")
    log.write_bytes(b"".join(DAMAGES["gone"](lines, newest_result)))
    assert said(opened(store, log)).count(LOST_RESULT) == 1
    messages = [at for at, kind in enumerate(types) if kind == "message"]
    log.write_bytes(b"".join(DAMAGES["gone"](lines, messages[-3])))
    assert said(opened(store, log)).count(LOST_CALL) == len(CALLS)
    kept = [line for at, line in enumerate(lines) if at not in (1, messages[0])]
    log.write_bytes(b"".join(kept))
    assert LOST_START in said(opened(store, log))


@pytest.mark.parametrize("odd", [7, "x", None, [1], {"a": 1}])
def test_a_field_that_is_not_as_it_was_written(store: Store, log: Path, odd: Any) -> None:
    """It opens, or one line says that it cannot be gone on with; nothing else is raised."""
    lines = log.read_bytes().splitlines(keepends=True)
    for at, line in enumerate(lines):
        record = json.loads(line)
        for field in record.keys() - {"id", "type"}:
            changed = json.dumps({**record, field: odd}).encode() + b"\n"
            log.write_bytes(b"".join([*lines[:at], changed, *lines[at + 1 :]]))
            try:
                session = opened(store, log)
            except SessionError:
                continue
            assert session.faults() == [], (field, line)


@pytest.mark.parametrize(
    "odd", [7, None, [], {}, {"type": "text"}, {"type": "tool_use", "id": [], "name": "x"}]
)
def test_a_block_that_is_not_as_it_was_written(store: Store, log: Path, odd: Any) -> None:
    """A record with it, or with a field of it that is no text, is damage: it is bridged, and nothing of it is sent."""
    lines = log.read_bytes().splitlines(keepends=True)
    for at, line in enumerate(lines):
        record = json.loads(line)
        of_record = [record, *record.get("changes", [])]
        lists = [holder[name] for holder in of_record for name in ("content", "blocks") if name in holder]
        for blocks in (one for one in lists if isinstance(one, list)):
            whole = list(blocks)
            fields = [{**whole[0], name: odd} for name in whole[0].keys() - {"type", "input"}]
            for changed in (odd, *fields):
                blocks[0] = changed
                log.write_bytes(
                    b"".join([*lines[:at], json.dumps(record).encode() + b"\n", *lines[at + 1 :]])
                )
                session = opened(store, log)
                assert (at + 1 in session.damaged, session.faults()) == (True, []), (changed, line)
            blocks[:] = whole


FILE = {"path": "/p/a\0b", "is_there": True, "mode": 420, "link": "", "sha256": "", "kept": ""}
NULS: list[dict[str, Any]] = [
    {"type": "result", "call": "x", "name": "bash", "content": "", "spill": {"path": "a\0b"}, "facts": {}},
    {"type": "result", "call": "x", "name": "bash", "content": "", "facts": {"job": {"log": "a\0b"}}},
    {"type": "subagent", "agent": "a", "number": 1, "log": "a", "files": ["a\0b"], "spent": {}},
    {"type": "compaction", "layer": "micro", "changes": [], "files": [{"path": "a\0b"}], "receipt": {}},
    {"type": "snapshot", **FILE},
    {"type": "snapshot", **FILE, "path": "/p/a", "link": "a\0b"},
    {"type": "snapshot", **FILE, "path": "/p/a", "kept": "a\0b"},
]


@pytest.mark.parametrize("odd", NULS)
def test_a_path_that_can_be_none_is_damage(store: Store, log: Path, odd: dict[str, Any]) -> None:
    """No call of the system takes one with a NUL: the record is named, and nothing is looked for there."""
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines, json.dumps({"v": 1, "id": "r90", "turn": 3, **odd}).encode() + b"\n"]))
    session = opened(store, log)
    assert session.damaged == [len(lines) + 1]
    assert [files_at(session.state, point) for point, _ in prompts(session.state)] == [
        Files(ours=[], others=[], lost=[], astray=[])
    ] * TURNS


def test_a_log_that_cannot_be_opened_is_not_held(store: Store, log: Path) -> None:
    """Whoever mends it can open it then, also the same process."""
    whole = log.read_bytes()
    log.write_bytes(b"{}\n")
    with pytest.raises(SessionError, match="no readable record"):
        opened(store, log)
    log.write_bytes(whole)
    assert opened(store, log).forked_from == ""


def test_what_is_no_log_is_passed_over(store: Store, log: Path) -> None:
    """A folder, a pipe, a link to nowhere, an empty and an unreadable file beside the sessions."""
    store.log("20260101-000000-aaaaaa").mkdir()
    os.mkfifo(store.log("20260101-000001-aaaaaa"))
    store.log("20260101-000002-aaaaaa").symlink_to("/nowhere")
    store.log("20260101-000003-aaaaaa").touch()
    store.log("20260101-000004-aaaaaa").write_bytes(os.urandom(3_000))
    assert list(store.newest_first()) == [log.stem]
    assert store.newest() == log.stem


def with_a_skill(store: Store) -> Path:
    """Return the log of a session in which the user asked for a skill while a call ran."""
    session = Session.create(store, store.root, HEAD, tools=TOOLS)
    session.append("message", role="user", content=[text("go")], said=[0], turn=1)
    reply(session, {"type": "tool_use", "id": "a", "name": "bash", "input": {}})
    results = [session.append("result", **result("a"))]
    skill = {"at": 1, "name": "tidy", "given": "it", "path": "/s/tidy/SKILL.md", "sha256": "s"}
    session.answer(results, [text("/tidy it"), text("the text of it")], said=[0], skills=[skill])
    session.close()
    return session.log.path


def skills_of(session: Session) -> list[str]:
    """Return the texts that the state takes for those of skills."""
    blocks = {placed.id: placed.block for placed in session.state.view}
    return [
        str(blocks[id_].get("text"))
        for id_, kind in session.state.kinds.items()
        if kind == "skill" and id_ in blocks
    ]


def test_a_skill_stays_one_where_calls_are_lost(store: Store) -> None:
    """What stands before it is another number of texts then; the skill is the same text as before."""
    log = with_a_skill(store)
    assert skills_of(opened(store, log)) == ["the text of it"]
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(line for line in lines if b'"tool_use"' not in line))
    session = opened(store, log)
    assert LOST_CALL in said(session)
    assert skills_of(session) == ["the text of it"]


@pytest.mark.parametrize("odd", ["5", "[5]", '[{"at":"1"}]', '[{"at":1,"name":"tidy"}]', "null"])
def test_skills_that_are_not_as_they_were_written(store: Store, odd: str) -> None:
    """The line counts as damaged; the rest can be gone on with."""
    log = with_a_skill(store)
    record = json.loads(log.read_bytes().splitlines()[-1])
    lines = log.read_text().splitlines(keepends=True)
    lines[-1] = json.dumps({**record, "skills": json.loads(odd)}) + "\n"
    log.write_text("".join(lines))
    session = opened(store, log)
    assert session.faults() == []
    assert session.damaged
    assert skills_of(session) == []
