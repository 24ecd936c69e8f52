"""Background processes of the session: started with a log, looked after, ended."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import Popen

from tools.base import Jobs
from tools.process import end_group, is_group_alive, start
from tools.spill import make_private_folder


def start_job(
    jobs: Jobs, command: str, *, cwd: Path, env: Mapping[str, str], log: Path, shown_log: str
) -> Popen[bytes]:
    """Start ``bash -c command`` with its output in ``log`` (0600) and list it.

    Raises:    OSError: the log cannot be made, or bash cannot be started.
    """
    make_private_folder(log.parent)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        process = start(["bash", "-c", command], cwd=cwd, env=env, output=output)
    finally:
        os.close(output)
    jobs.running[process.pid] = (command, shown_log)
    jobs.processes[process.pid] = process
    return process


def look(jobs: Jobs) -> dict[int, tuple[str, str]]:
    """Return the jobs that still run, after dropping the others from ``jobs.running``."""
    for pid in list(jobs.running):
        has_ended = jobs.processes[pid].poll() is not None and not is_group_alive(pid)
        # What left the group (`setsid`) cannot be ended by us, but breaks if nobody reads its pipe.
        if has_ended and not (pid in jobs.pipes and jobs.pipes[pid].is_open):
            _drop(jobs, pid)
    return dict(jobs.running)


async def end_jobs(jobs: Jobs) -> None:
    """End all jobs with all they started: TERM, then KILL. None is listed afterwards."""
    running = [jobs.processes[pid] for pid in look(jobs)]
    await asyncio.gather(*(end_group(process) for process in running))
    for process in running:
        _drop(jobs, process.pid)


def _drop(jobs: Jobs, pid: int) -> None:
    del jobs.running[pid]
    del jobs.processes[pid]
    if pid in jobs.pipes:
        jobs.pipes.pop(pid).close()
