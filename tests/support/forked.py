"""`agent` as a process that need not load anything: it is forked from one that has (`tests.support.loaded`).

process = start(Loaded(("-p", "hello")), cwd=..., env=..., stdout=subprocess.PIPE)

What runs is the real entry in a process of its own, with its own streams, environment, folder, signals and terminal; only
the interpreter is not new, which saves two seconds of computing. `tests/test_forked.py` holds the two to the same.
"""

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Union

ROOT = Path(__file__).parents[2]
LOCALES = ("LANG", "LC_ALL", "LC_CTYPE")
Stream = int | IO[Any] | None
Process = Union["subprocess.Popen[bytes]", "Forked"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The command `agent ARGS`, or ``code`` instead of it, where a process may be forked for it."""

    args: tuple[str, ...] = ()
    code: str = ""

    @property
    def anew(self) -> Sequence[str]:
        """The command that runs it in a new interpreter."""
        if self.code:
            return [sys.executable, "-P", "-c", self.code, *self.args]
        return [sys.executable, "-P", str(ROOT / "palimpsest_agent.py"), *self.args]


def can_fork(env: Mapping[str, str]) -> bool:
    """True where no variable is set that only a new interpreter reads, and the system has what it takes."""
    is_usual = all(env.get(name, "C.UTF-8") == "C.UTF-8" for name in LOCALES)
    return is_usual and hasattr(os, "pidfd_open") and not any(name.startswith("PYTHON") for name in env)


class Forked:
    """A running process, as `subprocess.Popen` has it: its id, its pipes, its end."""

    def __init__(self, told: int, pipes: Mapping[int, int]) -> None:
        self._told = os.fdopen(told)
        self.pid = self._number()
        self.returncode: int | None = None
        self.stdin = os.fdopen(pipes[0], "wb") if 0 in pipes else None
        self.stdout = os.fdopen(pipes[1], "rb") if 1 in pipes else None
        self.stderr = os.fdopen(pipes[2], "rb") if 2 in pipes else None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; return the code. Raises subprocess.TimeoutExpired after ``timeout`` seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("agent", timeout or 0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[bytes | None, bytes | None]:
        """Close stdin, and read stdout and stderr to their ends, and close them; None for one that is no pipe."""
        until = None if timeout is None else time.monotonic() + timeout
        if self.stdin:
            self.stdin.close()
        pieces = {stream: list[bytes]() for stream in (self.stdout, self.stderr) if stream}
        unread = list(pieces)
        while unread:
            left = None if until is None else max(until - time.monotonic(), 0)
            ready, _, _ = select.select(unread, [], [], left)
            if not ready:
                raise subprocess.TimeoutExpired("agent", timeout or 0)
            for stream in ready:
                data = stream.read1()
                pieces[stream].append(data)
                if not data:
                    unread.remove(stream)
                    stream.close()
        out, err = (b"".join(pieces[stream]) if stream else None for stream in (self.stdout, self.stderr))
        self.wait(None if until is None else max(until - time.monotonic(), 0))
        return out, err

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout_s: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout_s)[0]:
            self.returncode = self._number()
            self._told.close()
        return self.returncode

    def _number(self) -> int:
        line = self._told.readline()
        assert line, "the process that forks is gone: stderr says why"
        return int(line)


def start(
    program: Loaded,
    *,
    cwd: Path,
    env: Mapping[str, str],
    streams: Sequence[Stream] = (subprocess.DEVNULL, None, None),
    is_job: bool = False,
) -> Forked:
    """Start ``program``.

    Args:      streams: stdin, stdout and stderr, as `subprocess.Popen` takes them; is_job: in a session of its own,
               as a shell starts a job at the terminal that stdin is; the process is then the one that waits for the job.
    """
    order = {
        "args": program.args,
        "code": program.code,
        "cwd": str(cwd),
        "env": dict(env),
        "is_job": is_job,
    }
    told, tells = os.pipe()
    ends = Ends(opened=[tells])
    theirs: list[int] = []
    for number, stream in enumerate(streams):
        theirs.append(theirs[1] if stream == subprocess.STDOUT else ends.of(number, stream))
    socket.send_fds(_seed(), [json.dumps(order).encode()], [*theirs, tells])
    for descriptor in ends.opened:
        os.close(descriptor)
    return Forked(told, ends.pipes)


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of what is opened for a process: ``opened`` are its own, ``pipes`` ours by the number of the stream."""

    opened: list[int]
    pipes: dict[int, int] = field(default_factory=dict)

    def of(self, number: int, stream: Stream) -> int:
        """Return what the process gets as the standard stream of that number."""
        if stream is None:
            return number
        if stream == subprocess.PIPE:
            read, write = os.pipe()
            theirs, self.pipes[number] = (read, write) if number == 0 else (write, read)
        elif stream == subprocess.DEVNULL:
            theirs = os.open(os.devnull, os.O_RDWR)
        else:
            return stream if isinstance(stream, int) else stream.fileno()
        self.opened.append(theirs)
        return theirs


@functools.cache
def _seed() -> socket.socket:
    """Start the process that forks; return the socket on which it takes orders. It ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.support.loaded", str(theirs.fileno())],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": os.devnull, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
