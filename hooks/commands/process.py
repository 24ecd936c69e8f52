"""Runs the command of one hook: input on stdin, output capped, ended with its whole group when its time is up."""

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

MAX_STDOUT_BYTES = 8 << 20
MAX_STDERR_BYTES = 64 << 10
TERM_GRACE_S = 0.5
"""What a group has between TERM and KILL."""
_DRAIN_S = 0.3
"""How long what a child of the hook still writes is waited for once the hook itself has ended."""
_PIECE_BYTES = 256 << 10
_FIRST_PAUSE_S = 0.002
_LONGEST_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is started, where, and with what in its environment."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    code: int
    """Exit code; -N: killed by signal N."""
    stdout: str
    stderr: str
    is_cut: bool = False
    """It wrote more to stdout than is kept."""
    is_late: bool = False
    """Its time was up: it and all of its group were ended."""


class _Output:
    """One output of a process: read as it comes, so that the writer never waits; kept up to ``max_bytes``."""

    def __init__(self, max_bytes: int) -> None:
        self.is_cut = False
        self._kept = bytearray()
        self._max_bytes = max_bytes
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._read_end, self._take)

    def text(self) -> str:
        """Return what was kept."""
        return self._kept.decode("utf-8", "replace")

    def close(self) -> None:
        """Stop reading. May be called again."""
        if not self.ended.is_set():
            self.ended.set()
            self._loop.remove_reader(self._read_end)
            os.close(self._read_end)

    def _take(self) -> None:
        with suppress(BlockingIOError):  # another reader of this turn of the loop was quicker
            data = os.read(self._read_end, _PIECE_BYTES)
            room = self._max_bytes - len(self._kept)
            self.is_cut |= len(data) > room
            self._kept += data[:room]
            if not data:
                self.close()


async def run(start: Start) -> Ended:
    """Run a command to its end and return how it ended, whoever still holds its pipes.

    Contract: back within ``timeout_s`` and a second; whatever cancels it, KILL has been sent to the group when it is
    left. Raises OSError: it cannot be started.
    """
    with ExitStack() as stack:
        # A file: it can be read or left alone, and neither holds us.
        stdin = stack.enter_context(tempfile.TemporaryFile())
        stdin.write(start.stdin)
        stdin.seek(0)
        outputs = [_Output(MAX_STDOUT_BYTES), _Output(MAX_STDERR_BYTES)]
        for output in outputs:
            stack.callback(output.close)
        try:
            process = _popen(start, stdin.fileno(), outputs)
        finally:
            for output in outputs:
                os.close(output.write_end)
        is_late = not await _wait(process, start.timeout_s)
        with suppress(TimeoutError):  # a child of the hook holds them: what it writes later is nobody's
            await asyncio.wait_for(asyncio.gather(*(output.ended.wait() for output in outputs)), _DRAIN_S)
        stdout, stderr = outputs
        return Ended(
            code=process.returncode or 0,
            stdout=stdout.text(),
            stderr=stderr.text(),
            is_cut=stdout.is_cut,
            is_late=is_late,
        )


def _popen(start: Start, stdin: int, outputs: Sequence[_Output]) -> subprocess.Popen[bytes]:
    stdout, stderr = outputs
    return subprocess.Popen(
        list(start.argv),
        cwd=start.cwd,
        env=dict(start.env),
        stdin=stdin,
        stdout=stdout.write_end,
        stderr=stderr.write_end,
        start_new_session=True,
    )


async def _wait(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    """Wait for ``process`` itself; False when its time was up, and then its group has been ended."""
    try:
        if await _ends_within(process, timeout_s):
            return True
        _signal_group(process, signal.SIGTERM)
        await _ends_within(process, TERM_GRACE_S)
    except asyncio.CancelledError:
        _kill(process)
        raise
    _kill(process)
    return False


async def _ends_within(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + timeout_s, _FIRST_PAUSE_S
    # Polled: it works on any system and thread, and leaves no watcher behind when cancelled.
    while process.poll() is None:
        if (left := deadline - loop.time()) <= 0:
            return False
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
    return True


def _kill(process: subprocess.Popen[bytes]) -> None:
    _signal_group(process, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # stuck in the kernel: nothing more can be done
        process.wait(1)


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is there; macOS: only zombies are
        os.killpg(process.pid, number)
