"""A program in a process group of its own: start it, read its output, wait for it, end all of it."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
TERM_GRACE_S = 1.0
"""What a group has between TERM and KILL."""
_KILL_WAIT_S = 1.0
_PIECE_BYTES = 256 * 1024
_FIRST_PAUSE_S = 0.002
_LONGEST_PAUSE_S = 0.05


def start(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    output: int,
    inherited: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start ``argv`` in a session of its own: no terminal, empty stdin, stdout and stderr both to ``output``.

    Raises:    OSError: it cannot be started.
    """
    return subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        pass_fds=tuple(inherited),
    )


class OutputPipe:
    """A pipe whose read end the event loop empties into ``feed``, until all writers are gone or `close`."""

    def __init__(self, feed: Callable[[bytes], object]) -> None:
        self._feed = feed
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._read_end, self._on_readable)
        self.ended = asyncio.Event()

    def close_write_end(self) -> None:
        """Close our copy of the write end, so that the last writer's end is the pipe's end."""
        os.close(self.write_end)

    def ignore_rest(self) -> None:
        """Throw away what still comes: the writer must neither block nor break."""
        self._feed = len

    @property
    def is_open(self) -> bool:
        """Somebody may still write."""
        return not self.ended.is_set()

    def close(self) -> None:
        """Stop reading. May be called again."""
        if self.is_open:
            self.ended.set()
            self._loop.remove_reader(self._read_end)
            os.close(self._read_end)

    def _on_readable(self) -> None:
        with suppress(BlockingIOError):
            if data := os.read(self._read_end, _PIECE_BYTES):
                self._feed(data)
            else:
                self.close()


async def wait_for_end(
    process: subprocess.Popen[bytes], *, timeout_s: float, tick: Callable[[], None]
) -> bool:
    """Wait until ``process`` itself ends, whoever holds its pipes; call ``tick`` now and then.

    Returns:   False when ``timeout_s`` passed first.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    pause = _FIRST_PAUSE_S
    # Polled, because it works on any system and thread, and leaves no watcher behind when cancelled.
    while process.poll() is None:
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(min(pause, max(0.0, deadline - loop.time())))
        tick()
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
    return True


def is_group_alive(group: int) -> bool:
    """Tell whether a process of ``group`` still runs (one that ended and was never reaped does not count)."""
    if not _signal_group(group, 0):
        return False
    stats = list(Path("/proc").glob("[0-9]*/stat"))
    return not stats or any(_is_running_member(stat, group) for stat in stats)


def _is_running_member(stat: Path, group: int) -> bool:
    with suppress(OSError):
        # The name stands in parentheses and may hold anything; state, parent and group follow it.
        state, _, member_of = stat.read_bytes().rpartition(b")")[2].split()[:3]
        return int(member_of) == group and state not in {b"Z", b"X"}
    return False


async def end_group(process: subprocess.Popen[bytes]) -> None:
    """End the whole group of ``process``: TERM, then KILL for what is left. Reaps ``process``.

    Contract:  whatever cancels it, KILL has been sent when it is left.
    """
    try:
        if _signal_group(process.pid, signal.SIGTERM):
            await _wait_until_gone(process, TERM_GRACE_S)
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # a process stuck in the kernel: nothing more can be done
            process.wait(_KILL_WAIT_S)


async def complete(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` to its end although the caller may be cancelled meanwhile, and return its result."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    return task.result()


async def _wait_until_gone(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    while loop.time() < deadline:
        if process.poll() is not None and not is_group_alive(process.pid):
            return
        await asyncio.sleep(_LONGEST_PAUSE_S / 2)


def _signal_group(group: int, number: int) -> bool:
    """Send ``number``; False if nobody is there (PermissionError: macOS says so of a group of zombies)."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
