"""bash: background jobs have a log, are listed while they run, and end with the session."""

import asyncio
import os
import shutil
import stat
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.tools import Bench, count_descriptors, make_bench, text_of
from tools.bash import BASH
from tools.jobs import end_jobs, look
from tools.process import is_group_alive
from tools.read import READ
from tools.running import Jobs


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = make_bench(tmp_path)
    descriptors = count_descriptors()
    yield bench
    await end_jobs(bench.services.jobs)
    assert bench.services.jobs == Jobs()
    assert count_descriptors() == descriptors


async def start(bench: Bench, command: str) -> int:
    result = await bench.call(BASH, command=command, run_in_background=True)
    assert not result.is_error
    return int(result.facts["job"]["pid"])


async def wait_until_ended(bench: Bench) -> None:
    for _ in range(500):
        if not look(bench.services.jobs):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(bench.services.jobs)


async def test_job_is_started_listed_and_logged(bench: Bench) -> None:
    """The call returns at once with pid and log; the log is private and fills while it runs."""
    started = time.monotonic()
    command = "echo out; echo err >&2; sleep 30"
    result = await bench.call(BASH, command=command, run_in_background=True)
    assert time.monotonic() - started < 3
    job = result.facts["job"]
    assert job["log"] == ".task_outputs/tool-results/s/1-0-bash.log"
    assert job["command"] == command
    assert f"as pid {job['pid']}; it still runs" in text_of(result)
    assert job["log"] in text_of(result)
    log = bench.project / job["log"]
    assert log.read_text() == "out\nerr\n"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert look(bench.services.jobs) == {job["pid"]: (command, job["log"])}


async def test_f02_e_stdin_is_empty_in_the_background(bench: Bench) -> None:
    """F02 e: `cat` in the background ends at once and says so."""
    result = await bench.call(BASH, command="cat; exit 7", run_in_background=True)
    assert "has ended already: exit code 7" in text_of(result)


async def test_ended_jobs_are_dropped_when_looked_at(bench: Bench) -> None:
    """A job that ended is gone from the list, and reaped."""
    pid = await start(bench, "sleep 0.4")
    assert pid in look(bench.services.jobs)
    await wait_until_ended(bench)
    assert bench.services.jobs == Jobs()
    assert not Path(f"/proc/{pid}").exists()


async def test_next_call_drops_ended_jobs(bench: Bench) -> None:
    """Any call of bash looks after the jobs."""
    await start(bench, "true")
    await bench.call(BASH, command="sleep 0.3")
    assert bench.services.jobs.running == {}


async def test_a_log_that_is_gone_comes_back(bench: Bench) -> None:
    """Before the next call, whichever it is, as often as it is removed; what the job writes then follows; nothing twice."""
    os.mkfifo(bench.project / "go")
    result = await bench.call(BASH, command="echo one; read -r _ < go; seq 100000", run_in_background=True)
    log = bench.project / result.facts["job"]["log"]
    for _ in range(2):
        shutil.rmtree(bench.project / ".task_outputs")
        assert not (await bench.call(READ, file_path=str(log))).is_error
        assert log.read_text() == "one\n"
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
    (bench.project / "go").write_text("\n")
    await wait_until_ended(bench)
    assert log.read_text() == "one\n" + "".join(f"{number}\n" for number in range(1, 100_001))


async def test_a_project_that_is_gone_is_not_made_again(bench: Bench) -> None:
    """For the sake of a log."""
    await start(bench, "sleep 30")
    shutil.rmtree(bench.project)
    assert look(bench.services.jobs)
    assert not bench.project.exists()


async def test_a_job_lasts_as_long_as_its_group(bench: Bench) -> None:
    """A job whose shell ended but whose child runs is still listed, and its child is ended with it."""
    pid = await start(bench, "sleep 30 & echo up")
    assert pid in look(bench.services.jobs)
    await end_jobs(bench.services.jobs)
    assert not is_group_alive(pid)


async def test_stubborn_jobs_are_killed(bench: Bench) -> None:
    """TERM that is ignored is followed by KILL; all jobs are ended side by side."""
    pids = [await start(bench, "trap '' TERM; while :; do sleep 0.05; done") for _ in range(3)]
    started = time.monotonic()
    await end_jobs(bench.services.jobs)
    assert time.monotonic() - started < 3
    assert not any(is_group_alive(pid) for pid in pids)


async def test_cancelled_end_still_kills(bench: Bench) -> None:
    """Ending the jobs may be cancelled: KILL is sent all the same."""
    pid = await start(bench, "trap '' TERM; while :; do sleep 0.05; done")
    ending = asyncio.ensure_future(end_jobs(bench.services.jobs))
    await asyncio.sleep(0.1)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    await asyncio.sleep(0.1)
    assert not is_group_alive(pid)


async def test_job_runs_in_the_kept_directory(bench: Bench) -> None:
    """A job starts where bash is, and does not move it."""
    (bench.project / "sub").mkdir()
    await bench.call(BASH, command="cd sub")
    await start(bench, "pwd >here; cd /")
    assert (bench.project / "sub" / "here").read_text() == f"{bench.project}/sub\n"
    assert bench.facts.cwd == bench.project / "sub"


async def test_log_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """Without a log the job is not started."""
    (tmp_path / "file").write_text("x")
    bench = make_bench(tmp_path, spill_folder=tmp_path / "file" / "s")
    result = await bench.call(BASH, command="touch started", run_in_background=True)
    assert result.is_error
    assert "Not a directory" in text_of(result)
    assert not (tmp_path / "started").exists()
