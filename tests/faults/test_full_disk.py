"""F48: a disk that takes no more, a file-size limit, folders that may not be written: the work goes on."""

import ctypes
import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.events import Notice, SummaryStarted
from agent.offline import MessagesServer, Reply, Script, calls, last_text_starts, says, when
from agent.session.care import STUCK, WRITTEN
from agent.session.log import read_records
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.command import Command, Ran, ended

SUMMARY = when(last_text_starts(OPENING), says("<summary>1. Pending work: none</summary>"))
WORK = (*(calls("bash", command=f"seq {number} 40000") for number in range(3)), says("Done."))
RUN = "agent -p go --permission-mode bypass"
NO_SPACE = "No space left on device"
DAC_OVERRIDE, DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


@contextmanager
def command(folder: Path, *turns: Reply) -> Iterator[tuple[Command, MessagesServer]]:
    """`agent` with a model that replies ``turns``; no request is refused."""
    with MessagesServer(Script(*turns, routes=[SUMMARY])) as server:
        yield Command(root=folder, url=server.url), server
    assert server.refusals == []


def warnings(ran: Ran) -> list[str]:
    """The lines for the user that tell of the disk."""
    return [line for line in ran.complaints if "cannot be" in line or "could not be" in line]


def check_lines(log: Path) -> None:
    """Each line of a log is a whole record."""
    data = log.read_bytes()
    assert data.endswith(b"\n")
    assert all(json.loads(line)["id"] for line in data.splitlines())


def test_f48_a_d_a_file_size_limit(tmp_path: Path) -> None:
    """The turn is done, with one warning and no half record; the settings are as they were; it can be resumed."""
    settings = '{"model": "claude-sonnet-5-5"}\n'
    with command(tmp_path, *WORK, says("Hello.")) as (agent, server):
        (agent.home / "settings.json").write_text(settings, "ascii")
        ran = agent.shell(f"ulimit -f 64; {RUN}")
        assert (ran.code, ran.text) == (0, "Done.\n")
        assert len(warnings(ran)) == 1
        assert "File too large" in warnings(ran)[0]
        assert "compaction paused: no space" in warnings(ran)[0]
        assert ran.err.splitlines()[-1].endswith("  # without its end: File too large")
        [log] = agent.project.glob(".transcripts/*.jsonl")
        check_lines(log)
        assert (agent.home / "settings.json").read_text("ascii") == settings
        assert agent.run("-c", "-p", "hi").text == "Hello.\n"
        assert len(server.queries) == len(WORK) + 1


def test_a_compaction_that_is_due_ends_a_headless_turn(tmp_path: Path) -> None:
    """At the threshold nothing can be put away: exit code 1, and what to do; no summary was paid for."""
    with command(tmp_path, *WORK) as (agent, server):
        ran = agent.shell(f"ulimit -f 40; {RUN} --context-window 24000")
        assert ran.code == 1
        assert "free some space" in ran.complaints[-1]
        assert all(OPENING not in str(request.body) for request in server.queries)


def on_small_disk(agent: Command, script: str) -> Ran:
    """Run ``script`` where the folder of sessions is on a disk of 1 MB, whose files are copied out at the end."""
    disk = agent.root / "disk"
    disk.mkdir()
    (agent.project / ".transcripts").symlink_to(disk / "transcripts")
    inner = f"mount -t tmpfs -o size=1m none {disk} && mkdir {disk}/transcripts || exit 77; {script}"
    ran = agent.shell(
        f"export -f agent; unshare -rm bash -c {shlex.quote(f'{inner}; code=$?; cp {disk}/transcripts/*.jsonl .; exit $code')}"
    )
    if ran.code in (1, 77) and not ran.out:
        pytest.skip("no file system can be mounted here")
    return ran


@pytest.mark.parametrize("is_freed", [True, False])
def test_a_disk_that_is_full_at_the_start(tmp_path: Path, is_freed: bool) -> None:
    """The session is had all the same, with one warning; with room it is whole, and invisible to git."""
    fill = f"head -c 5M /dev/zero > {tmp_path}/disk/fill 2> /dev/null;"
    free = f"truncate -s 0 {tmp_path}/disk/fill" if is_freed else "true"
    ignored = f"cp {tmp_path}/disk/transcripts/.gitignore {tmp_path}/ignored"
    with command(tmp_path, calls("bash", command=free), says("Done.")) as (agent, _):
        ran = on_small_disk(agent, f"{fill} {RUN}; code=$?; {ignored}; (exit $code)")
        assert (ran.code, ran.text) == (0, "Done.\n")
        assert len(warnings(ran)) == 1
        [log] = agent.project.glob("*.jsonl")
        records = [record for _, record in read_records(log) if record]
        assert [record["type"] for record in records][:1] == (["session"] if is_freed else [])
        assert (tmp_path / "ignored").read_text("ascii") == ("*\n" if is_freed else "")


@pytest.mark.parametrize("is_freed", [True, False])
def test_f48_b_a_full_disk(tmp_path: Path, is_freed: bool) -> None:
    """The turn goes on with one warning; once there is room all that waited is written."""
    fill, free = (
        f"{words} {tmp_path}/disk/fill; true" for words in ("head -c 5M /dev/zero >", "truncate -s 0")
    )
    turns = (
        calls("bash", command=fill),
        *WORK[:2],
        calls("bash", command=free if is_freed else "true"),
        says("Done."),
    )
    with command(tmp_path, *turns) as (agent, _):
        ran = on_small_disk(agent, RUN)
        assert (ran.code, ran.text) == (0, "Done.\n")
        assert len(warnings(ran)) == 1
        [log] = agent.project.glob("*.jsonl")
        check_lines(log)
        records = [record for _, record in read_records(log) if record]
        ends = [record for record in records if record["type"] == "end"]
        assert len(ends) == (2 if is_freed else 0)
        assert ("# without its end" in ran.err) is not is_freed
        numbers = [int(record["id"][1:]) for record in records]
        assert numbers == list(range(1, len(numbers) + 1))


def without_privileges() -> None:
    """Let the modes of files hold for root too, in the child that is about to start."""
    for capability in (DAC_OVERRIDE, DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def as_anybody(agent: Command, *args: str) -> Ran:
    """Run it as somebody for whom modes hold."""
    return ended(agent.start_anew(*args, preexec_fn=without_privileges))


def test_f48_c_a_session_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """In mid-session: the log goes on, the archive cannot be made, which is said once; nothing is lost from view."""
    story = says("A long story. " * 400) + calls("bash", command="sh ./close")
    with command(tmp_path, story, calls("compact"), calls("compact"), says("Done.")) as (agent, server):
        (agent.project / "close").write_text("chmod 555 .transcripts .transcripts/*/")
        ran = as_anybody(agent, "-p", "go", "--permission-mode", "bypass")
        assert (ran.code, ran.text) == (0, "Done.\n")
        assert len([line for line in ran.complaints if "compaction paused" in line]) == 1
        assert "A long story" in str(server.queries[-1].body["messages"])
        [log] = agent.project.glob(".transcripts/*.jsonl")
        check_lines(log)
        assert [record["type"] for _, record in read_records(log) if record][-1] == "end"


def test_f48_c_from_the_start(tmp_path: Path) -> None:
    """The session is kept under the user's home instead, and can be resumed from there."""
    with command(tmp_path, says("Done."), says("Hello.")) as (agent, _):
        (agent.project / ".transcripts").mkdir(mode=0o555)
        ran = as_anybody(agent, "-p", "go")
        assert (ran.code, ran.text, ran.complaints) == (0, "Done.\n", [])
        assert len(list(agent.home.glob("projects/*/.transcripts/*.jsonl"))) == 1
        assert as_anybody(agent, "-c", "-p", "hi").text == "Hello.\n"


@pytest.mark.parametrize("home", ["unset HOME", "unset AGENT_HOME; export HOME=/dev/null/home"])
def test_f48_e_no_home(tmp_path: Path, home: str) -> None:
    """Without a home folder the session is kept in the project all the same."""
    with command(tmp_path, says("Done.")) as (agent, _):
        ran = agent.shell(f"{home}; agent -p go")
        assert (ran.code, ran.text, ran.complaints) == (0, "Done.\n", [])
        assert len(list(agent.project.glob(".transcripts/*.jsonl"))) == 1


class FullDisk:
    """A log's file that takes nothing more, until it is freed."""

    def __init__(self, harness: Harness) -> None:
        self._descriptor = harness.agent.session.log._descriptor
        self._file = os.dup(self._descriptor)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, self._descriptor)
        os.close(full)

    def free(self) -> None:
        """Let it take bytes again."""
        os.dup2(self._file, self._descriptor)
        os.close(self._file)


async def test_one_warning_a_turn(tmp_path: Path) -> None:
    """Each turn that cannot be written says so once, the first that can says that; nothing is missing then."""
    step = calls("bash", command="echo x")
    async with scenario(tmp_path, *[step, says("Done.")] * 4) as harness:
        disk = FullDisk(harness)
        stuck = STUCK.format(NO_SPACE)
        for told in ([stuck], [stuck, stuck]):
            assert (await harness.turn("Go.")).text == "Done."
            assert [notice.text for notice in harness.of(Notice)] == told
        disk.free()
        for _ in range(2):
            assert (await harness.turn("Go.")).text == "Done."
            assert [notice.text for notice in harness.of(Notice)] == [stuck, stuck, WRITTEN]
        assert len(harness.log_records("message")) == 4 * 4


async def test_at_the_threshold_the_user_is_asked(tmp_path: Path) -> None:
    """The turn ends and says what to do; a further one goes on without; with room it is compacted."""
    step = calls("bash", command="seq 9000")
    turns = [*[step] * 3, says("Done."), says("Hello.")]
    how: dict[str, Any] = {"config": {"window": 40_000}, "may_move": True}
    async with scenario(tmp_path, *turns, routes=[SUMMARY], **how) as harness:
        disk = FullDisk(harness)
        ended_first = await harness.turn("Go.")
        assert ended_first.reason == "limit"
        assert "free some space there" in ended_first.problem
        assert await harness.agent.compactor.compact("manual", "") is False
        assert (await harness.turn("go on")).text == "Done."
        disk.free()
        assert (await harness.turn("hi")).text == "Hello."
        assert harness.log_records("compaction")


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_disk_that_is_full_when_the_summary_comes(tmp_path: Path, is_known: bool) -> None:
    """Known before, the history stays as it is; else the record of the compaction waits like any other."""
    disks: list[FullDisk] = []

    def fill() -> None:
        disks.append(FullDisk(harness))
        if is_known:
            harness.agent.session.append("note", text="the first that is refused")

    story = says("A long story. " * 400)
    async with scenario(tmp_path, story, says("Done."), routes=[SUMMARY], may_move=True) as harness:
        await harness.turn("Tell me.")
        harness.once(SummaryStarted, fill)
        assert await harness.agent.compactor.compact("manual", "") is not is_known
        assert harness.log_records("compaction") == []
        assert (await harness.turn("Go.")).text == "Done."
        disks[0].free()
        await harness.resume()
        assert len(harness.log_records("compaction")) == (not is_known)
        assert ("A long story" in str(harness.server.queries[-1].body["messages"])) is is_known
