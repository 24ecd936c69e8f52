"""What stands around a session: its branch, its banner, its farewell, its history, the list of others."""

import asyncio
import contextlib
import subprocess
from pathlib import Path

import pytest

from agent.offline import says
from agent.terminal import git_branch
from agent.terminal.farewell import Surroundings, farewell_lines, welcome_lines
from agent.terminal.history import history_of
from tests.support.rig import rig

AROUND = Surroundings(place="~/code", branch="main", notes={"AGENTS.md": 1_234}, skills=2)


def make_repository(folder: Path) -> None:
    """Make an empty repository whose branch is `trunk`."""
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(folder)], check=True)


async def test_the_branch(tmp_path: Path) -> None:
    """Name, a star when files are changed, nothing outside of a repository or without git."""
    assert (await git_branch.branch(tmp_path), await git_branch.head(tmp_path)) == ("", "")
    assert await git_branch.branch(tmp_path / "nowhere") == ""
    make_repository(tmp_path)
    assert (await git_branch.branch(tmp_path), await git_branch.head(tmp_path)) == ("trunk", "trunk")
    (tmp_path / "new").touch()
    assert await git_branch.branch(tmp_path) == "trunk*"


def test_parsed() -> None:
    """A detached head has no name of its own."""
    assert git_branch.parsed("# branch.oid x\n# branch.head (detached)\n") == "(detached)"
    assert git_branch.parsed("garbage") == ""


async def test_the_branch_is_watched(tmp_path: Path) -> None:
    """It is told at once, and until the watch is cancelled."""
    heard: list[str] = []
    is_heard = asyncio.Event()

    def hear(branch: str) -> None:
        heard.append(branch)
        is_heard.set()

    watching = asyncio.ensure_future(git_branch.watch(tmp_path, hear))
    await is_heard.wait()
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
    assert heard == [""]


async def test_welcome_and_farewell(tmp_path: Path) -> None:
    """The banner; after turns what they came to and how to go on; on return what is resumed."""
    async with rig(tmp_path, says("Hello."), is_running=False) as made:
        session = made.harness.agent.session
        assert welcome_lines(session, AROUND) == [
            "palimpsest 0.1.0 · claude-sonnet-5-5 · ~/code (main)",
            "AGENTS.md 1.2k tokens · 2 skills · permissions: bypass · /help, Esc interrupts, Ctrl-C twice leaves",
        ]
        assert farewell_lines(session.state, "agent -r {}") == []
        await made.harness.turn("look\nat it")
        total, resume = farewell_lines(session.state, "agent -r {}")
        assert total.startswith("1 turn · ")
        assert "(0% from cache)" in total
        assert resume == f"resume: agent -r {session.state.session_id}"
        session.damaged.append(3)
        session.forked_from = "another"
        lines = welcome_lines(session, Surroundings(place="x", branch="", notes={}, skills=0, idle_s=7_300))
        assert lines[0].endswith("· x")
        assert lines[2] == f"resumed {session.state.session_id} · 1 turn · 2h ago · last: look at it"
        assert lines[3] == "session another is open elsewhere: this is a fork of it"
        assert lines[4] == "the log has 1 damaged line; all that is readable is here"


async def test_history(tmp_path: Path) -> None:
    """Kept per project, the newest first, in a private folder; a disk that refuses costs the history alone."""
    history = history_of(tmp_path / "a", tmp_path / "home")
    history.append_string("one\ntwo")
    history.append_string("three")
    again = history_of(tmp_path / "a", tmp_path / "home")
    assert [entry async for entry in again.load()] == ["three", "one\ntwo"]
    other = history_of(tmp_path / "b" / "a", tmp_path / "home")
    assert [entry async for entry in other.load()] == []
    assert (tmp_path / "home" / "history").stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").touch()
    history_of(tmp_path / "a", tmp_path / "file").append_string("x")


@pytest.mark.parametrize("what", ["missing", "a folder"])
async def test_a_history_file_that_cannot_be_used(tmp_path: Path, what: str) -> None:
    """Nothing is loaded, nothing is kept, nothing is raised."""
    history = history_of(tmp_path / "a", tmp_path / "home")
    (folder,) = (tmp_path / "home").iterdir()
    folder.rmdir()
    if what == "a folder":
        folder.parent.joinpath("history").touch()
    history.append_string("x")
    assert [entry async for entry in history.load()] == []
