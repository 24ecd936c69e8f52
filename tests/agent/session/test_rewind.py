"""Snapshots and going back: what is kept, what comes back, what is asked about, what is said."""

import os
import stat
from pathlib import Path

from agent.offline import Reply, calls, says, when
from agent.offline.script import system_has
from agent.session.loading import read_whole
from agent.session.records import encode
from agent.session.snapshots import MAX_KEPT_BYTES, Snapshots
from tests.support.agent import Harness, scenario
from tests.support.rewinding import hashes, now, rewind
from tests.support.rig import Rig, rig


def edit(path: str, old: str, new: str) -> Reply:
    return calls("read", file_path=path) + calls("edit", file_path=path, old_string=old, new_string=new)


def snapshots(harness: Harness) -> list[str]:
    return [Path(one["path"]).name for one in harness.log_records("snapshot")]


async def asked(made: Rig, words: str, key: str) -> None:
    """Type /rewind and answer its question."""
    made.repl.submit(f"/rewind {words}")
    await made.until(lambda: made.approver.is_asking)
    made.approver.answer(key)
    await made.until(lambda: not made.repl.is_busy)
    made.harness.breaks.append(len(made.harness.server.queries))


async def test_the_first_change_of_a_turn_is_kept(tmp_path: Path) -> None:
    """Once a file and turn, before the change, private, named by its hash; also where there was no file."""
    async with scenario(
        tmp_path,
        edit("a.py", "1", "2"),
        edit("a.py", "2", "3") + calls("write", file_path="new.py", content="n\n"),
        says("One."),
        edit("a.py", "3", "4"),
        says("Two."),
        files={"a.py": "x = 1\n"},
    ) as harness:
        (harness.project / "a.py").chmod(0o755)
        await harness.turn("go")
        await harness.turn("on")
        assert snapshots(harness) == ["a.py", "new.py", "a.py"]
        first, new, second = harness.log_records("snapshot")
        kept = harness.project / first["kept"]
        assert kept.read_text("utf-8") == "x = 1\n"
        assert kept.name == first["sha256"]
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert (first["mode"], first["is_there"], new["is_there"], new["kept"]) == (0o755, True, False, "")
        assert (harness.project / second["kept"]).read_text("utf-8") == "x = 3\n"


async def test_a_large_file_is_not_kept_and_this_is_said(tmp_path: Path) -> None:
    """The change goes through; going back names what stays."""
    large = "x" * 99 + "\n"
    async with rig(tmp_path, edit("a.txt", "first", "other"), says("One.")) as made:
        path = made.harness.project / "a.txt"
        path.write_text("first\n" + large * (MAX_KEPT_BYTES // 100), "utf-8")
        await made.says("go", "One.")
        assert "is over 20,000,000 bytes: /rewind cannot bring it back" in made.text
        await rewind(made, "1 files", "nothing to go back to")
        await rewind(made, "1")
        assert "not kept, so they stay as they are: `" in made.text
        assert path.read_text("utf-8").startswith("other\n")


async def test_a_file_changed_by_another_is_asked_about(tmp_path: Path) -> None:
    """It is named; no leaves it alone, yes puts it back; one that is ours is put back in any case."""
    async with rig(
        tmp_path,
        edit("a.py", "1", "2") + edit("b.py", "1", "2"),
        says("One."),
        files={"a.py": "x = 1\n", "b.py": "y = 1\n"},
    ) as made:
        project = made.harness.project
        before = hashes(project)
        await made.says("go", "One.")
        (project / "a.py").write_text("mine\n", "utf-8")
        await asked(made, "1", "n")
        assert "changed by something else since: `a.py`\n" in made.text
        assert (made.harness.read("a.py"), made.harness.read("b.py")) == ("mine\n", "y = 1\n")
        await rewind(made, "undo")
        assert (made.harness.read("a.py"), made.harness.read("b.py")) == ("mine\n", "y = 2\n")
        (project / "b.py").unlink()
        await asked(made, "1", "y")
        assert hashes(project) == before
        await rewind(made, "undo")
        assert made.harness.read("a.py") == "mine\n"
        assert not (project / "b.py").exists()


async def test_what_a_subagent_changes_counts(tmp_path: Path) -> None:
    """To the parent's turn, and as changed by us."""
    task = calls("task", description="d", prompt="p")
    async with rig(
        tmp_path,
        task,
        says("One."),
        routes=[when(system_has("You are a subagent"), edit("a.py", "1", "2"), says("Changed."))],
        files={"a.py": "x = 1\n"},
    ) as made:
        await made.says("go", "One.")
        assert made.harness.read("a.py") == "x = 2\n"
        assert snapshots(made.harness) == ["a.py"]
        await rewind(made, "1 files")
        assert made.harness.read("a.py") == "x = 1\n"


async def test_files_alone_and_conversation_alone(tmp_path: Path) -> None:
    """Files: the model is told, the conversation stays. Conversation: files stay, also for a later way back."""
    async with rig(
        tmp_path,
        edit("a.py", "1", "2"),
        says("One."),
        says("Two."),
        edit("b.py", "1", "2"),
        says("Three."),
        files={"a.py": "x = 1\n", "b.py": "y = 1\n"},
    ) as made:
        start = hashes(made.harness.project)
        await made.says("go", "One.")
        await rewind(made, "1 files")
        assert made.filled == []
        assert hashes(made.harness.project) == start
        await made.says("on", "Two.")
        last = made.harness.server.queries[-1].body["messages"][-1]["content"]
        assert "put these files back as they were" in last[0]["text"]
        await made.says("further", "Three.")
        await rewind(made, "3 conversation")
        assert made.harness.read("b.py") == "y = 2\n"
        await rewind(made, "1")
        assert hashes(made.harness.project) == start


async def test_what_is_put_back_is_whole(tmp_path: Path) -> None:
    """Mode and link are as they were, folders that are gone are made; damaged bytes are not put anywhere."""
    async with rig(
        tmp_path,
        edit("sub/a.sh", "1", "2") + edit("link.py", "1", "2"),
        says("One."),
        files={"sub/a.sh": "1\n", "b.py": "1\n"},
    ) as made:
        project = made.harness.project
        script, link = project / "sub" / "a.sh", project / "link.py"
        script.chmod(0o751)
        link.symlink_to("b.py")
        await made.says("go", "One.")
        script.unlink()
        script.parent.rmdir()
        kept = project / made.harness.log_records("snapshot")[1]["kept"]
        await asked(made, "1 files", "y")
        assert (script.read_text("utf-8"), stat.S_IMODE(script.stat().st_mode)) == ("1\n", 0o751)
        assert (link.is_symlink(), made.harness.read("b.py")) == (True, "1\n")
        await rewind(made, "undo")
        kept.write_bytes(b"?")
        await rewind(made, "1 files", "its kept bytes are gone or damaged")
        assert made.harness.read("b.py") == "2\n"


async def test_the_list_and_what_it_refuses(tmp_path: Path) -> None:
    """Prompts by number; a number that is none, a word that is none, nothing to undo."""
    async with rig(tmp_path, says("One."), says("Two.")) as made:
        await made.says("/rewind", "no prompt to go back to")
        await made.says("/rewind undo", "no /rewind to undo")
        await made.says("first  words", "One.")
        await made.says("second", "Two.")
        await made.says("/rewind", "  1  first words\n  2  second\n/rewind N goes back")
        for words in ("0", "3", "x", "1 all", "99999999999"):
            await rewind(made, words, "no such prompt")
        await rewind(made, "1 files", "no file was changed")
        await rewind(made, "1")
        assert made.filled == ["first  words"]
        await made.says(
            "/rewind", "no prompt to go back to\nleft behind:\nbranch  1       now  2 prompts from: first"
        )
        for words in ("branch", "branch 2", "branch x", "branch 1 all", "branches"):
            await rewind(made, words, "no such ")


async def test_a_fork_goes_back_behind_its_beginning(tmp_path: Path) -> None:
    """With the bytes that the session kept which it came from."""
    async with rig(tmp_path, edit("a.py", "1", "2"), says("One."), files={"a.py": "1\n"}) as made:
        before = now(made)
        await made.says("go", "One.")
        await made.says("/fork", "resumed")
        await rewind(made, "1")
        assert now(made)[1] == before[1]
        assert now(made)[0]["messages"] == []


async def test_a_way_back_that_is_lost_is_named(tmp_path: Path) -> None:
    """A `rewind` to a record that nobody knows has no effect on load, and counts as damage."""
    async with scenario(tmp_path, says("One."), says("Two.")) as harness:
        await harness.turn("go")
        log = harness.agent.session.log.path
        bad = {"v": 1, "id": "r90", "type": "rewind", "turn": 1, "to": "r77", "what": "both", "files": []}
        await harness.resume(log=log.read_bytes() + encode(bad))
        assert len(harness.agent.session.damaged) == 1
        await harness.turn("on")
        log.write_bytes(log.read_bytes().replace(encode(bad), b""))


async def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    """The change goes through; the file is not taken for one that was not there."""
    async with rig(tmp_path, edit("a.py", "1", "2"), says("One."), files={"a.py": "1\n"}) as made:
        made.desk.agent.session.log.path.with_suffix("").joinpath("files").write_text("in the way", "utf-8")
        await made.says("go", "One.")
        assert "`a.py` is not kept for /rewind: " in made.text
        await rewind(made, "1")
        assert "not kept, so they stay as they are: `a.py`" in made.text
        assert made.harness.read("a.py") == "2\n"


async def test_a_file_that_gave_way_to_something_else(tmp_path: Path) -> None:
    """A folder in its place stays, and this is said; a link that leads nowhere goes and comes back."""
    async with rig(
        tmp_path,
        edit("a.py", "1", "2") + edit("b.py", "1", "2"),
        says("One."),
        files={"a.py": "1\n", "b.py": "1\n"},
    ) as made:
        project = made.harness.project
        await made.says("go", "One.")
        (project / "a.py").unlink()
        (project / "a.py").mkdir()
        (project / "b.py").unlink()
        (project / "b.py").symlink_to("nowhere")
        await asked(made, "1", "y")
        assert "`a.py` stays as it is: it is no file any more" in made.text
        assert (made.harness.read("b.py"), (project / "a.py").is_dir()) == ("1\n", True)
        await rewind(made, "undo")
        assert str((project / "b.py").readlink()) == "nowhere"
        await asked(made, "1 files", "n")


async def test_a_name_that_is_no_text_is_not_kept(tmp_path: Path) -> None:
    """A record could not name it; a change goes through and this is said."""
    async with scenario(tmp_path) as harness:
        odd = Path(os.fsdecode(b"/tmp/\xff.py"))
        said = await Snapshots(harness.agent.session).before_change(odd)
        assert said.endswith("is not kept for /rewind: its name is not UTF-8")
        assert snapshots(harness) == []


async def test_a_folder_that_has_become_a_link_is_not_followed(tmp_path: Path) -> None:
    """What is outside the project is no file of ours, whatever its name: it is not asked about, and stays."""
    async with rig(tmp_path, edit("sub/a.py", "1", "2"), says("One."), files={"sub/a.py": "1\n"}) as made:
        project, outside = made.harness.project, tmp_path / "outside"
        await made.says("go", "One.")
        outside.mkdir()
        (outside / "a.py").write_text("2\n", "utf-8")
        (project / "sub").rename(project / "moved")
        (project / "sub").symlink_to(outside)
        await rewind(made, "1 files", "a folder on the way to it is a link now")
        await rewind(made, "1")
        assert "a folder on the way to it is a link now, so they stay as they are: `sub/a.py`" in made.text
        assert (outside / "a.py").read_text("utf-8") == "2\n"
        (project / "sub").unlink()
        (project / "moved").rename(project / "sub")
        await rewind(made, "undo")
        await rewind(made, "1")
        assert made.harness.read("sub/a.py") == "1\n"


async def test_what_could_not_be_put_back_is_still_ours(tmp_path: Path) -> None:
    """A file that a /rewind could not change stands as we left it: the next one puts it back unasked, also after a resume."""
    async with rig(
        tmp_path,
        edit("a.py", "1", "2") + edit("b.py", "1", "2"),
        says("One."),
        files={"a.py": "1\n", "b.py": "1\n"},
    ) as made:
        path = made.harness.project / "a.py"
        await made.says("go", "One.")
        path.chmod(0o444)
        await rewind(made, "1 files", "`a.py` was not put back")
        assert (made.harness.read("a.py"), made.harness.read("b.py")) == ("2\n", "1\n")
        path.chmod(0o644)
        session = made.desk.agent.session
        assert read_whole(session.log.path, session.state).state.written == session.state.written
        await rewind(made, "1 files", "files put back: `a.py`\n")
        assert (made.harness.read("a.py"), "changed by something else" in made.text) == ("1\n", False)


async def test_what_is_changed_during_the_question_stays(tmp_path: Path) -> None:
    """Yes is an answer for the files that were named, not for one that was changed while it was waited for."""
    async with rig(
        tmp_path,
        edit("a.py", "1", "2") + edit("b.py", "1", "2"),
        says("One."),
        files={"a.py": "1\n", "b.py": "1\n"},
    ) as made:
        await made.says("go", "One.")
        (made.harness.project / "a.py").write_text("mine\n", "utf-8")
        made.repl.submit("/rewind 1 files")
        await made.until(lambda: made.approver.is_asking)
        (made.harness.project / "b.py").write_text("mine, too\n", "utf-8")
        made.approver.answer("y")
        await made.until(lambda: not made.repl.is_busy)
        assert "changed while you were asked, so they stay as they are: `b.py`\n" in made.text
        assert (made.harness.read("a.py"), made.harness.read("b.py")) == ("1\n", "mine, too\n")
