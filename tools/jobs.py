"""Background processes of the session: started with a log, looked after, ended."""

import asyncio
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

from tools.process import end_group, is_group_alive, start
from tools.running import JobLog, Jobs
from tools.sandbox import launched
from tools.spill import make_private_folder

FOLDER = ".task_outputs"
"""Where logs are, in whatever folder holds the session's files."""
_COPIED_BYTES = 1 << 20
_KILL = re.compile(r"\s*kill (?:-\w+ )?-- -(\d{1,9})\s*")


def start_job(
    jobs: Jobs, command: str, *, cwd: Path, env: Mapping[str, str], log: Path, shown_log: str
) -> Popen[bytes]:
    """Start ``bash -c command`` with its output in ``log`` (0600) and list it.

    Raises:    OSError: the log cannot be made, or bash cannot be started.
    """
    make_private_folder(log.parent)
    output = os.open(log, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        how = launched(jobs.sandbox, command, cwd=cwd, env=env)
        process = start(how.argv, cwd=how.cwd, env=how.env, output=output)
    except BaseException:
        os.close(output)
        raise
    jobs.running[process.pid] = (command, shown_log)
    jobs.processes[process.pid] = process
    jobs.logs[process.pid] = JobLog(log, output)
    return process


def look(jobs: Jobs) -> dict[int, tuple[str, str]]:
    """Return the jobs that still run, after dropping the others from ``jobs.running``; bring back logs that are gone."""
    for pid in list(jobs.running):
        if pid in jobs.logs:
            _bring_back(jobs.logs[pid])
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
    if jobs.sandbox is not None:
        await asyncio.to_thread(jobs.sandbox.end)


def named_to_end(jobs: Jobs, command: str) -> Popen[bytes] | None:
    """Return the background process that ``command`` is to end, if it does nothing else: `kill -- -PID` of one that runs."""
    found = _KILL.fullmatch(command)
    return jobs.processes[int(found[1])] if found and int(found[1]) in look(jobs) else None


def _drop(jobs: Jobs, pid: int) -> None:
    del jobs.running[pid]
    del jobs.processes[pid]
    if pid in jobs.pipes:
        jobs.pipes.pop(pid).close()
    if pid in jobs.logs:
        log = jobs.logs.pop(pid)
        _bring_back(log)
        os.close(log.descriptor)


def _bring_back(log: JobLog) -> None:
    """Write on where a log is gone, as after `git clean`, whose process still writes it; what stands there is its beginning.

    A disk that refuses is tried again at the next look. A project that is gone as a whole is not made again.
    """
    with suppress(OSError):
        if os.fstat(log.descriptor).st_nlink:
            return
        homes = (folder.parent for folder in log.path.parents if folder.name == FOLDER)
        next(homes, log.path.parent).stat()
        make_private_folder(log.path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with os.fdopen(os.open(log.path, flags, 0o600), "ab") as copy:
            while data := os.pread(log.descriptor, _COPIED_BYTES, copy.tell()):
                copy.write(data)
                copy.flush()
