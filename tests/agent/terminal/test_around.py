"""What stands around a session: its branch, its banner, its farewell, its history, the list of others."""

import asyncio
import contextlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent.models import row
from agent.offline import says
from agent.terminal import git_branch
from agent.terminal.farewell import (
    CENT,
    Surroundings,
    cold_words,
    farewell_lines,
    resumed_lines,
    welcome_lines,
)
from agent.terminal.figures import seconds
from agent.terminal.history import ENTRY_BYTES, READ_BYTES, HistoryFile, history_of
from tests.support.agent import FakeClock
from tests.support.command import ROOT
from tests.support.rig import rig

NOW = 1_800_000_000.0
AROUND = Surroundings(place="~/code", branch="main", notes=["AGENTS.md 1.2k tokens"], skills=2)


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
        assert welcome_lines(session, AROUND, NOW) == [
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
        bare = Surroundings(place="x", branch="", notes=(), skills=0)
        lines = welcome_lines(session, bare, session.state.last_request_at + 299)
        assert lines[0].endswith("· x")
        assert lines[2] == f"resumed {session.state.session_id} · 1 turn · 4m ago · last: look at it"
        assert lines[3] == "session another is open elsewhere: this is a fork of it"
        assert lines[4] == "the log has 1 damaged line; all that is readable is here"


async def test_a_cold_cache_has_its_price(tmp_path: Path) -> None:
    """After its life what the next request costs more is what a write costs over a read, of all that is sent."""
    async with rig(tmp_path, says("Hello."), is_running=False) as made:
        state = made.harness.agent.session.state
        assert cold_words(state, NOW) == ""  # nothing was asked yet: nothing is lost
        await made.harness.turn("look at it " * 10_000)
        later, prices = state.last_request_at + row(state.model).cache_life_s, row(state.model).prices
        assert cold_words(state, later) == ""
        assert prices.cache_write_5m is not None
        assert prices.cache_read is not None
        more = state.context_size * (prices.cache_write_5m - prices.cache_read) / 1_000_000
        assert more > CENT
        wanted = f" · 2h ago · cache cold: the next request costs about ${more:.2f} more · last: look at it"
        assert wanted in resumed_lines(state, later + 7_000)[0]
        free = replace(state, price=lambda _model, _usage: 0.0)
        assert cold_words(free, later + 1) == "cache cold: the next request costs less than $0.01 more"
        unknown = replace(state, price=lambda _model, _usage: None)
        assert cold_words(unknown, later + 1) == "cache cold: the next request reads nothing from it"


async def test_the_farewell_tells_how_long_was_worked(tmp_path: Path) -> None:
    """The time of all turns, each from its prompt to its end, and none of what lay between; the log tells the same."""
    clock = FakeClock(step_s=1.0)
    async with rig(tmp_path, says("One."), says("Two."), is_running=False, config={"clock": clock}) as made:
        session = made.harness.agent.session
        await made.harness.turn("go")
        first = session.state.worked_s
        clock.now += 100_000
        await made.harness.turn("on")
        state = session.state
        assert 0 < first < state.worked_s < 1_000
        total, _ = farewell_lines(state, "agent -r {}")
        assert total.startswith(f"2 turns · {seconds(state.worked_s)} · ")
        assert session.read_whole().worked_s == state.worked_s


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


async def test_an_entry_stands_once_in_the_history(tmp_path: Path) -> None:
    """Where it was used last, on disk and in this run; what begins with a space is nowhere."""
    history = history_of(tmp_path / "a", tmp_path / "home")
    assert [entry async for entry in history.load()] == []
    for entry in ("one", "two\n\n+three\n", "one", " secret", "\n secret not"):
        history.append_string(entry)
    wanted = ["\n secret not", "one", "two\n\n+three\n"]
    assert history.get_strings() == wanted[::-1]
    assert [entry async for entry in history_of(tmp_path / "a", tmp_path / "home").load()] == wanted
    (file,) = (tmp_path / "home" / "history").iterdir()
    assert " secret\n" not in file.read_text().replace("\n+ secret not", "")


async def test_the_history_is_private_and_bounded(tmp_path: Path) -> None:
    """Mode 0600, also of a file that had another; a huge paste is not in it; of a huge file the end is read."""
    history = history_of(tmp_path / "a", tmp_path / "home")
    history.append_string("one")
    (file,) = (tmp_path / "home" / "history").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    history.append_string("x" * ENTRY_BYTES)
    history.append_string("two")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_size < 100
    with file.open("a") as log:
        log.write("\n# 1\n" + "+long\n" * (READ_BYTES // 6 + 100) + "\n# 1\n+new\n")
    assert [entry async for entry in history_of(tmp_path / "a", tmp_path / "home").load()] == ["new"]


def test_several_agents_append_to_one_history(tmp_path: Path) -> None:
    """Each entry is whole, whatever the others write meanwhile, and none is lost."""
    writer = (
        "import sys; from pathlib import Path; from agent.terminal.history import history_of\n"
        "history = history_of(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "for number in range(200): history.append_string('\\n'.join([sys.argv[3] + str(number)] * 400))\n"
    )
    home = tmp_path / "home"
    command = [sys.executable, "-c", writer, str(tmp_path / "a"), str(home)]
    running = [subprocess.Popen([*command, name], cwd=ROOT) for name in "abcd"]
    assert [one.wait() for one in running] == [0] * 4
    (file,) = (home / "history").iterdir()
    entries = list(HistoryFile(file).load_history_strings())
    assert sorted(entries) == sorted("\n".join([f"{name}{n}"] * 400) for name in "abcd" for n in range(200))


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
