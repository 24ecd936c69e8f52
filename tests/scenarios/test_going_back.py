"""Going back where something is in the way: files that became something else, other models, turns that run."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.offline import Reply, calls, says, thinks
from tests.support.rewinding import now, rewind, turn
from tests.support.rig import Rig, rig


def edit(path: str, old: str = "1", new: str = "2") -> Reply:
    return calls("read", file_path=path) + calls("edit", file_path=path, old_string=old, new_string=new)


async def said_yes(made: Rig, words: str) -> None:
    """Type /rewind and let the files be put back that something else changed."""
    made.repl.submit(f"/rewind {words}")
    await made.until(lambda: made.approver.is_asking)
    made.approver.answer("y")
    await made.until(lambda: not made.repl.is_busy)
    made.harness.breaks.append(len(made.harness.server.queries))


def to_a_file(project: Path) -> None:
    """Let `a.py` lead to a file that has a second name, which is written in place."""
    os.link(project / "b.py", project / "c.py")
    (project / "a.py").symlink_to("b.py")


def to_a_folder(project: Path) -> None:
    """Let it lead to a folder."""
    (project / "a.py").symlink_to(".git")


def to_a_pipe(project: Path) -> None:
    """Let it lead to a pipe, which nobody writes to."""
    os.mkfifo(project / "pipe")
    (project / "a.py").symlink_to("pipe")


@pytest.mark.parametrize("put", [to_a_file, to_a_folder, to_a_pipe])
async def test_a_link_in_its_place(tmp_path: Path, put: Callable[[Path], None]) -> None:
    """The link goes, what it leads to stays; and it comes back."""
    async with rig(tmp_path, edit("a.py"), says("One."), files={"a.py": "1\n", "b.py": "b\n"}) as made:
        path = made.harness.project / "a.py"
        await made.says("go", "One.")
        path.unlink()
        put(made.harness.project)
        led_to = path.readlink()
        await said_yes(made, "1")
        assert (path.is_symlink(), made.harness.read("a.py"), made.harness.read("b.py")) == (
            False,
            "1\n",
            "b\n",
        )
        await rewind(made, "undo")
        assert path.readlink() == led_to


async def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """What is not put back is named and not said to be back; the other file is. Later it goes unasked: we wrote it last."""
    async with rig(
        tmp_path, edit("sub/a.py") + edit("b.py"), says("One."), files={"sub/a.py": "1\n", "b.py": "1\n"}
    ) as made:
        folder = made.harness.project / "sub"
        await made.says("go", "One.")
        folder.chmod(0o555)
        await rewind(made, "1")
        assert "files put back: `b.py`\n" in made.text
        assert "`sub/a.py` was not put back: it or its folder is read-only; `chmod u+w` lets" in made.text
        assert made.harness.read("sub/a.py") == "2\n"
        folder.chmod(0o755)
        await rewind(made, "undo")
        assert (made.harness.read("sub/a.py"), made.harness.read("b.py")) == ("2\n", "2\n")
        await rewind(made, "1")
        assert (made.harness.read("sub/a.py"), made.harness.read("b.py")) == ("1\n", "1\n")


async def test_nothing_that_can_be_put_back(tmp_path: Path) -> None:
    """Files alone, and the only one is a folder now: no way back is made, and none is promised."""
    async with rig(tmp_path, edit("a.py"), says("One."), files={"a.py": "1\n"}) as made:
        await made.says("go", "One.")
        (made.harness.project / "a.py").unlink()
        (made.harness.project / "a.py").mkdir()
        await said_yes(made, "1 files")
        assert "`a.py` stays as it is: it is no file any more" in made.text
        assert "takes it back" not in made.text
        await rewind(made, "undo", "no /rewind to undo")


async def test_another_mode_is_not_a_change(tmp_path: Path) -> None:
    """A file that was made executable since is put back unasked, with the mode that it had."""
    async with rig(tmp_path, edit("a.py"), says("One."), files={"a.py": "1\n"}) as made:
        path = made.harness.project / "a.py"
        path.chmod(0o640)
        await made.says("go", "One.")
        path.chmod(0o755)
        await rewind(made, "1")
        assert (made.harness.read("a.py"), stat.S_IMODE(path.stat().st_mode)) == ("1\n", 0o640)
        await rewind(made, "undo")
        assert (made.harness.read("a.py"), stat.S_IMODE(path.stat().st_mode)) == ("2\n", 0o755)


async def test_behind_a_change_of_the_model(tmp_path: Path) -> None:
    """The model stays the new one; the thinking of the old one does not harm, there and back."""
    think = [thinks("Hm.") + calls("bash", command="echo a"), thinks("So.") + says("done")]
    async with rig(tmp_path, *think * 5, may_move=True) as made:
        await turn(made, "one")
        await turn(made, "two")
        before = now(made)
        await made.says("/model claude-opus-4-8", "model claude-opus-4-8")
        await turn(made, "three")
        await rewind(made, "3")
        assert now(made)[0]["ids"] == before[0]["ids"]
        await rewind(made, "2")
        await turn(made, "two again")
        await rewind(made, "branch 1")
        await turn(made, "four")
        sent = made.harness.server.queries[-1].body
        assert sent["model"] == "claude-opus-4-8"
        assert "three" in str(sent["messages"])


async def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    """The next command runs in the project, and the model is told."""
    async with rig(
        tmp_path,
        calls("bash", command="mkdir sub && cd sub"),
        says("One."),
        calls("bash", command="cd .. && rmdir sub"),
        says("Two."),
        calls("bash", command="pwd"),
        says("Three."),
    ) as made:
        await turn(made, "one")
        await turn(made, "two")
        await rewind(made, "2")
        await turn(made, "three")
        told = str(made.harness.server.queries[-1].body["messages"][-1])
        assert "is gone; this ran in the project]" in told
        assert str(made.harness.project) in told


async def test_while_a_turn_runs(tmp_path: Path) -> None:
    """It waits for the end of the turn, and then takes back what that did; a second time there is nothing."""
    async with rig(
        tmp_path,
        calls("bash", command="until [ -e go ]; do sleep 0.01; done"),
        edit("a.py"),
        says("One."),
        files={"a.py": "1\n"},
    ) as made:
        made.repl.submit("one")
        await made.until(lambda: made.harness.log_records("call"))
        made.repl.submit("/rewind 1")
        await made.until(made.repl.waiting)
        (made.harness.project / "go").touch()
        await made.until(lambda: "takes it back" in made.text and not made.repl.is_busy)
        assert "One." in made.text
        assert (now(made)[0]["messages"], made.harness.read("a.py")) == ([], "1\n")
        await rewind(made, "1", "no such prompt")
