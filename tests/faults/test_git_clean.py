"""`git clean -fdx` while a session is open: nothing of it is lost as long as it lives, and what is gone after is said."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from agent import wiring
from agent.events import Notice
from agent.offline import MessagesServer, Script, calls, last_text_starts, says, system_has, when
from agent.session.care import PUT_BACK
from agent.session.rewind import files_at, prompts, rewind
from compaction.summary import OPENING
from tests.support.agent import FakeApprover, Harness, scenario
from tests.support.command import Command
from tests.support.invariants import SUBAGENT
from tests.support.reachable import sha

CLEAN = "git clean -fdxq"
SUMMARY = when(last_text_starts(OPENING), *[says("<summary>1. Pending work: none</summary>")] * 3)
CUT = calls("bash", command="seq 40000")
FOLDERS = (".transcripts", ".task_outputs")
PASSING = (".gitignore",)
"""Names of files that are made anew."""
HOW: dict[str, Any] = {"approver": FakeApprover(True), "may_move": True}
"""Cleaning is asked about in every mode."""
FILES = {"a.txt": "one\n", "b.txt": "two\n"}
WORK = (
    calls("read", file_path="a.txt") + calls("read", file_path="b.txt"),
    CUT + calls("edit", file_path="a.txt", old_string="one", new_string="1"),
    calls("task", description="d", prompt="p") + calls("write", file_path="b.txt", content="2\n"),
    says("A long story. " * 1_200),
)
FOUND = (CUT, says("Found."))


def kept(harness: Harness) -> dict[str, str]:
    """Path -> hash of all that stands beside the log, which itself grows."""
    found: dict[str, str] = {}
    for name in FOLDERS:
        for path in (harness.project / name).rglob("*"):
            if path.is_file() and path.name not in PASSING and path != harness.agent.session.log.path:
                found[str(path)] = sha(path.read_bytes())
    return found


def said(harness: Harness) -> list[str]:
    """What the user was told."""
    return [notice.text for notice in harness.of(Notice)]


async def worked(harness: Harness) -> None:
    """Cut an output, change two files, ask a subagent that cuts one, too; compact it all, twice."""
    await harness.turn("Tell me.")
    assert await harness.agent.compactor.compact("manual", "")
    await harness.turn("And more.")
    assert await harness.agent.compactor.compact("manual", "")


@pytest.mark.parametrize("is_resumed", [False, True])
async def test_nothing_is_lost(tmp_path: Path, is_resumed: bool) -> None:
    """Outputs that tools cut, bytes kept for /rewind, subagents' logs and outputs, archives, ledger: all come back.

    Cleaned by the agent's own command, in a session that was opened anew or not; /rewind then works.
    """
    turns = [*WORK, says("A long story. " * 900), calls("bash", command=CLEAN), says("Done.")]
    routes = [SUMMARY, when(system_has(SUBAGENT), *FOUND)]
    async with scenario(tmp_path, *turns, files=FILES, routes=routes, **HOW) as harness:
        await worked(harness)
        if is_resumed:
            await harness.resume()
        before = kept(harness)
        kinds = ("-bash.txt", "task-001.jsonl", "/files/", "archive-001.md", "archive-002.md", "/task-001/")
        assert all(any(kind in path for path in before) for kind in kinds), before
        assert (await harness.turn("Clean up.")).text == "Done."
        assert kept(harness) == before
        assert said(harness).count(PUT_BACK) == 1
        assert not [words for words in said(harness) if "gone" in words and words != PUT_BACK]
        go_back(harness)


def go_back(harness: Harness) -> None:
    """Go back to before the first prompt: the files, which were cleaned away, are as they were."""
    state = harness.state
    point, _ = prompts(state)[0]
    found = files_at(state, point)
    assert len([*found.ours, *found.others]) == 2
    assert not rewind(harness.agent.session, point, "files", [*found.ours, *found.others])
    assert [harness.read(name) for name in FILES] == list(FILES.values())


async def test_cleaned_while_an_output_comes(tmp_path: Path) -> None:
    """The output of the very command that cleans is kept whole."""
    command = f"seq 90000; {CLEAN}; seq 90000"
    async with scenario(tmp_path, calls("bash", command=command), says("Done."), **HOW) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        [result] = harness.log_records("result")
        assert sha((harness.project / result["spill"]["path"]).read_bytes()) == result["spill"]["sha256"]
        assert said(harness) == [PUT_BACK]


async def test_a_subagent_cleans(tmp_path: Path) -> None:
    """Its own outputs and its parent's come back."""
    turns = [CUT + calls("task", description="d", prompt="p"), says("Done.")]
    cleans = [CUT, calls("bash", command=CLEAN), says("Found.")]
    routes = [when(system_has(SUBAGENT), *cleans)]
    async with scenario(tmp_path, *turns, routes=routes, **HOW) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert len([path for path in kept(harness) if path.endswith("-bash.txt")]) == 2
        assert [words for words in said(harness) if "nowhere else" in words] == []


async def test_gone_while_no_session_was_open(tmp_path: Path) -> None:
    """The bytes of a changed file are gone for good, which is said once; those of one that is so still are kept again."""
    turns = [*WORK[:3], says("Done."), says("Hello."), says("Hello.")]
    routes = [when(system_has(SUBAGENT), *FOUND)]
    async with scenario(tmp_path, *turns, files=FILES, routes=routes, **HOW) as harness:
        await harness.turn("Go.")
        await harness.close()
        (harness.project / "b.txt").write_text("two\n", "ascii")
        shutil.rmtree(harness.agent.session.log.path.with_suffix("") / "files")
        await harness.resume(is_killed=True)
        for _ in range(2):
            assert (await harness.turn("hi")).text == "Hello."
        [words] = said(harness)
        assert words.startswith("1 of the file versions kept for /rewind")
        assert words.endswith("`a.txt`")
        assert len([path for path in kept(harness) if "/files/" in path]) == 1
        found = files_at(harness.state, prompts(harness.state)[0][0])
        assert [Path(one["path"]).name for one in found.lost] == ["a.txt"]
        assert (found.ours, found.others) == ([], [])


@pytest.mark.parametrize("is_running", [False, True])
async def test_logs_of_background_processes(tmp_path: Path, is_running: bool) -> None:
    """Cleaned by the agent's own command or by another: the log is there again, whole, and goes on; also once it has ended."""
    begun = calls("bash", command=f"echo begun; sleep {60 * is_running}", run_in_background=True)
    turns = [begun, says("Runs."), calls("bash", command=CLEAN), says("Clean."), says("Still.")]
    async with scenario(tmp_path, *turns, **HOW) as harness:
        await harness.turn("Begin.")
        log = harness.project / harness.log_records("result")[0]["facts"]["job"]["log"]
        await harness.until(lambda: log.read_text("ascii") == "begun\n")
        await harness.turn("Clean up.")
        assert log.read_text("ascii") == "begun\n"
        shutil.rmtree(harness.project / ".task_outputs")
        await harness.turn("And now?")
        assert log.read_text("ascii") == "begun\n"
        assert not [words for words in said(harness) if "gone" in words and words != PUT_BACK]


@pytest.mark.parametrize("gone", ["", ".jsonl"])
@pytest.mark.parametrize("is_put_back", [False, True])
async def test_it_has_one_writer_whatever_is_removed(tmp_path: Path, gone: str, is_put_back: bool) -> None:
    """Its folder or its log may go, and come again: who opens it meanwhile gets a fork, and nothing is said twice or lost."""
    async with scenario(tmp_path, says("One."), says("Two."), says("Three."), may_move=True) as harness:
        await harness.turn("one")
        log = harness.agent.session.log.path
        path = log.with_suffix(gone)
        before = log.read_bytes()
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        if is_put_back:
            await harness.turn("two")
        elif gone:
            log.write_bytes(before)
            harness.agent.session.sync()
        other = wiring.resume(harness.shared, log.stem)
        assert other.session.forked_from == log.stem
        other.session.append("note", text="elsewhere")
        other.session.close()
        await harness.turn("three")
        await harness.resume()
        assert harness.agent.session.damaged == []
        assert [words for _, words in harness.state.prompts] == ["one", *["two"] * is_put_back, "three"]


def test_an_empty_gitignore_is_mended(tmp_path: Path) -> None:
    """What a full disk left of ours is written at the next start; the user's own stays."""
    with MessagesServer(Script(says("Done."))) as server:
        agent = Command(root=tmp_path, url=server.url)
        for name, content in zip(FOLDERS, ("", "!*\n"), strict=True):
            (agent.project / name).mkdir()
            (agent.project / name / ".gitignore").write_text(content, "ascii")
        assert agent.here("-p", "go").code == 0
        found = [(agent.project / name / ".gitignore").read_text("ascii") for name in FOLDERS]
        assert found == ["*\n", "!*\n"]
