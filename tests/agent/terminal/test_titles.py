"""What the user calls a session, and finding it by that."""

from pathlib import Path

import pytest

from agent.errors import SessionError
from agent.offline import MessagesServer, Script, says
from agent.session.records import encode
from agent.session.store import Store, new_id, title_of
from tests.support.command import Command
from tests.support.rig import rig


def put(store: Store, *titles: str) -> str:
    """Lay a session with these titles down."""
    session = new_id(1_800_000_000.0)
    records = [{"v": 1, "id": "r1", "type": "session"}]
    records += [{"v": 1, "id": "r2", "type": "title", "text": title} for title in titles]
    store.log(session).write_bytes(b"".join(map(encode, records)))
    return session


async def test_title(tmp_path: Path) -> None:
    """It is shown, kept on one line, said by /status and the list, there after a resume; /resume finds it."""
    async with rig(tmp_path, says("One.")) as made:
        await made.says("/title", "no title; /title TEXT gives one")
        await made.says("go", "One.")
        old = made.desk.agent.session.state.session_id
        await made.says("/title Fix   the parser", "title Fix the parser; find it")
        await made.says("/clear", "now in session")
        made.repl.submit("/resume")
        await made.until(lambda: "Fix the parser" in made.list)
        made.repl.interrupt()
        await made.says("/resume fix THE parser", f"resumed {old}")
        await made.says("/status", f"title Fix the parser\nsession {old}")
        assert made.harness.shared.store.find(old[-6:]) == old


def test_resume_by_title(tmp_path: Path) -> None:
    """-r takes a title; one that several sessions have is refused in one line that names them."""
    with MessagesServer(Script(says("1"), says("2"), says("3"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one")
        store = Store(root=command.project)
        (session,) = store.newest_first()
        with store.log(session).open("ab") as log:
            log.write(encode({"v": 1, "id": "r99", "type": "title", "text": "My work"}))
        assert command.here("-r", "my work", "-p", "two").text == "2\n"
        command.here("-r", session, "--fork", "-p", "three")
        (complaint,) = command.here("-r", "my work", "-p", "four").complaints
    assert all(one in complaint for one in store.newest_first())
    assert complaint.startswith("agent: `my work` fits several sessions: ")


def test_the_newest_title_counts(tmp_path: Path) -> None:
    """An older one finds nothing; a title that is like the end of an id is one candidate more; blank finds none."""
    store = Store(root=tmp_path)
    store.make()
    one = put(store, "first", "second")
    assert title_of(store.log(one)) == "second"
    assert store.find("second") == one
    for wanted in ("first", "  "):
        with pytest.raises(SessionError, match="no session"):
            store.find(wanted)
    other = put(store, one[-6:])
    with pytest.raises(SessionError, match="fits several") as refused:
        store.find(one[-6:])
    assert one in str(refused.value)
    assert other in str(refused.value)
    assert title_of(tmp_path / "none") == ""
