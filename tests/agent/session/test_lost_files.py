"""`git clean -fdx` in mid-session: the log is written again, and every file whose content it holds."""

import shutil
import subprocess
from pathlib import Path

import pytest

from agent import wiring
from agent.events import Notice
from agent.offline import calls, last_text_starts, says, when
from agent.session.care import PUT_BACK
from agent.session.log import SessionLog
from agent.session.lost_files import missing_files
from compaction.summary import OPENING
from tests.support.agent import FakeApprover, Harness, scenario
from tests.support.reachable import sha

SUMMARY = when(last_text_starts(OPENING), *[says("<summary>1. Pending work: none</summary>")] * 3)
STORY = "A long story. " * 1_200
CLEAN = ("git", "clean", "-fdxq")
CUT = calls("bash", command="seq 40000")
"""Its output is cut by the tool: the whole stands in a file and nowhere else."""
ODD = b'null\n{"v":1,"id":"x1","type":"compaction","files":[7,{"path":1}]}\n'
WHOLE = calls("bash", command="seq 2000") + calls("write", file_path="new.txt", content="words " * 700)


def clean(harness: Harness) -> None:
    """Remove all that git does not know."""
    subprocess.run(CLEAN, cwd=harness.project, check=True)
    assert not harness.agent.session.log.path.exists()


def unclean(harness: Harness) -> bytes:
    """What git sees of the session."""
    command = ("git", "status", "--porcelain")
    return subprocess.run(command, cwd=harness.project, capture_output=True, check=True).stdout


def said(harness: Harness) -> list[str]:
    """What the user was told."""
    return [notice.text for notice in harness.of(Notice)]


def files_of(harness: Harness) -> dict[str, str]:
    """Path -> hash of what compactions put on disk."""
    records = harness.log_records("compaction")
    return {file["path"]: file["sha256"] for record in records for file in record["files"]}


async def test_git_clean_in_mid_session(tmp_path: Path) -> None:
    """The log is whole again with a note, so are the archives of two summaries; the lock is held; git sees nothing."""
    turns = [WHOLE, says(STORY), says(STORY), says("Done."), says("Hello.")]
    async with scenario(tmp_path, *turns, routes=[SUMMARY], may_move=True) as harness:
        for prompt in ("Tell me.", "And more."):
            await harness.turn(prompt)
            assert await harness.agent.compactor.compact("manual", "")
        files, log = files_of(harness), harness.agent.session.log.path
        before = log.read_bytes()
        assert len(files) > 3
        clean(harness)
        assert (await harness.turn("Go on.")).text == "Done."
        assert log.read_bytes().startswith(before)
        assert [record["text"] for record in harness.log_records("note")] == [PUT_BACK]
        assert said(harness) == [PUT_BACK]
        assert {path: sha((harness.project / path).read_bytes()) for path in files} == files
        assert unclean(harness) == b""
        fork = wiring.resume(harness.shared, harness.state.session_id)
        assert fork.session.forked_from == harness.state.session_id
        fork.session.close()
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."


async def test_what_stands_nowhere_else_is_said_once(tmp_path: Path) -> None:
    """The whole of an output that its tool cut is in no record: removed while no session is open, it is gone."""
    turns = [CUT, says("Seen."), says("Done."), says("Done."), says("Hello.")]
    async with scenario(tmp_path, *turns, routes=[SUMMARY]) as harness:
        await harness.turn("Go.")
        await harness.close()
        shutil.rmtree(harness.project / ".task_outputs")
        await harness.resume(is_killed=True)
        await harness.turn("Go on.")
        await harness.turn("Go on.")
        [words] = said(harness)
        assert words.startswith("1 of the session's kept texts are gone and stand nowhere else")
        assert words.endswith("1-0-bash.txt")
        await harness.resume()
        assert said(harness) == [words] * 2, "who opens it anew does not know yet"


async def test_what_the_layers_put_aside(tmp_path: Path) -> None:
    """Results, inputs, long prompts: from the log, with the same hash, at a resume and from a damaged log too."""
    steps = [calls("bash", command=f"seq {number} {number + 4_000}") for number in range(5)]
    turns = [*steps, says("Done."), says("Hello.")]
    how = {"config": {"window": 60_000}, "routes": [SUMMARY], "may_move": True}
    async with scenario(tmp_path, *turns, **how) as harness:
        assert (await harness.turn("Look. " + "Words of mine. " * 4_000)).text == "Done."
        files = files_of(harness)
        assert len(files) > 1
        for path in files:
            (harness.project / path).unlink()
        whole = harness.agent.session.log.path.read_bytes()
        await harness.resume(log=whole + ODD)
        assert {path: sha((harness.project / path).read_bytes()) for path in files} == files
        assert said(harness) == []
        await harness.resume(log=whole)
        assert (await harness.turn("hi")).text == "Hello."


async def test_git_clean_while_a_subagent_works(tmp_path: Path) -> None:
    """Its log is put back too, and the parent looks after the files."""
    task = calls("task", description="d", prompt="p")
    turns = [task, calls("bash", command=f"{' '.join(CLEAN)}; echo cleaned"), says("Found."), says("Done.")]
    async with scenario(tmp_path, *turns, approver=FakeApprover(True)) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert set(said(harness)) == {PUT_BACK}
        log = harness.agent.session.log.path
        assert log.exists()
        assert (log.with_suffix("") / "task-001.jsonl").exists()


async def test_what_is_missing(tmp_path: Path) -> None:
    """A file that is gone, all of a folder that is gone, and nothing else, wherever they lie."""
    async with scenario(tmp_path) as harness:
        folders = [harness.project / name for name in ("one", "two", "file")]
        paths = [folder / name for folder in folders for name in ("a.txt", "b\n.txt")]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            path.write_text("x")
            harness.state.own_files[str(path)] = None
        assert missing_files(harness.state) == []
        paths[1].unlink()
        shutil.rmtree(folders[1])
        shutil.rmtree(folders[2])
        folders[2].write_text("no folder any more")
        assert missing_files(harness.state) == [str(path) for path in paths[1:]]
        harness.state.own_files.clear()


def test_a_project_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    """Then the records wait, as for a disk that refuses."""
    folder = tmp_path / "project" / ".transcripts"
    folder.mkdir(parents=True)
    log = SessionLog(folder / "s.jsonl")
    shutil.rmtree(tmp_path / "project")
    log.append({"v": 1, "id": "r1", "type": "note"})
    log.sync()
    assert isinstance(log.problem, FileNotFoundError)
    assert list(tmp_path.iterdir()) == []
    log.close()


@pytest.mark.parametrize("is_whole", [True, False])
def test_another_file_in_the_place_of_the_log(tmp_path: Path, is_whole: bool) -> None:
    """It is put aside, not written over."""
    path = tmp_path / "s.jsonl"
    log = SessionLog(path)
    log.append({"v": 1, "id": "r1", "type": "note"})
    path.unlink()
    path.write_bytes(b"other\n" if is_whole else b"")
    log.close()
    assert b'"r1"' in path.read_bytes()
    [other] = [one for one in tmp_path.iterdir() if one != path]
    assert other.read_bytes() == (b"other\n" if is_whole else b"")
