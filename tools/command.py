"""One foreground command from start to end: its output, its ending, the directory it leaves."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from time import monotonic

from tools.collector import Collector
from tools.process import OutputPipe, complete, end_group, is_group_alive, start, wait_for_end
from tools.sandbox import Sandbox, launched
from tools.shell_directory import DirectoryReport

_DRAIN_S = 0.3
"""How long the pipe may stay open after the shell's end, for output still on its way."""
_OUT_OF_TIME = "timed out"
_LIVE_CHARS = 4_000
"""The most that one tick sends to the screen; of a flood only the newest part is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a command ended."""

    process: Popen[bytes]
    """Ended and reaped."""
    duration_s: float
    problem: str
    """Why it was ended; empty when it ended by itself."""
    cwd: Path | None
    """Where the shell was at its end, if it could say so."""
    open_pipe: OutputPipe | None
    """Held by something left running; its output is thrown away from now on."""
    has_left_behind: bool
    """Something it started still runs."""

    @property
    def is_out_of_time(self) -> bool:
        """It was ended because it took longer than it may."""
        return self.problem.startswith(_OUT_OF_TIME)


class Live:
    """What the screen is told while a command runs: collected, sent at each tick."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._pending = ""

    def add(self, text: str) -> None:
        """Take ``text`` in."""
        self._pending = (self._pending + text)[-_LIVE_CHARS:]

    def flush(self) -> None:
        """Send what has come since the last time."""
        if self._pending:
            self._send(self._pending)
            self._pending = ""


class Command:
    """A command with the environment and directory it is to run in."""

    def __init__(
        self,
        text: str,
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout_s: float,
        sandbox: Sandbox | None = None,
    ) -> None:
        self._text = text
        self._sandbox = sandbox
        self._cwd = cwd
        self._env = env
        self._timeout_s = timeout_s

    async def run(self, collector: Collector, live: Live) -> Ending:
        """Run it with its output going to ``collector``, and as text to ``live``.

        Raises:    OSError: it could not be started.
        Contract:  a cancellation ends the whole process group and is reported as the ending's problem.
        """
        report = _make_report(self._env.get("BASH_ENV"))
        pipe = OutputPipe(lambda data: live.add(collector.feed(data)))
        try:
            ending = await self._run(pipe, report, live=live)
        except BaseException:
            pipe.close()
            raise
        finally:
            if report:
                report.close()
        return ending

    async def _run(self, pipe: OutputPipe, report: DirectoryReport | None, *, live: Live) -> Ending:
        process = self._start(pipe, report)
        started = monotonic()
        problem = await self._wait(process, pipe, live=live)
        if problem or self._sandbox:
            # In a sandbox all that is left is about to end by itself; it must have when the result is there.
            await complete(_end(process, pipe))
        live.flush()
        has_left_behind = not pipe.ended.is_set() or is_group_alive(process.pid)
        if problem or not has_left_behind:
            pipe.close()
        pipe.ignore_rest()
        return Ending(
            process=process,
            duration_s=monotonic() - started,
            problem=problem,
            cwd=report.read(self._is_directory) if report else None,
            open_pipe=None if pipe.ended.is_set() else pipe,
            has_left_behind=has_left_behind and not problem,
        )

    def _start(self, pipe: OutputPipe, report: DirectoryReport | None) -> Popen[bytes]:
        try:
            how = launched(
                self._sandbox,
                self._text,
                cwd=self._cwd,
                env=self._env,
                startup=report.file if report else None,
            )
            return start(
                how.argv,
                cwd=how.cwd,
                env=how.env,
                output=pipe.write_end,
                inherited=[report.descriptor] if report else [],
            )
        finally:
            pipe.close_write_end()

    def _is_directory(self, path: Path) -> bool:
        return self._sandbox.is_directory(path) if self._sandbox else path.is_dir()

    async def _wait(self, process: Popen[bytes], pipe: OutputPipe, *, live: Live) -> str:
        """Wait for the shell and a little for its output; return why it must be ended, or nothing."""
        started = monotonic()
        try:
            if not await wait_for_end(process, timeout_s=self._timeout_s, tick=live.flush):
                return f"{_OUT_OF_TIME} after {self._timeout_s:g} s"
            await _drain(pipe)
        except asyncio.CancelledError:
            # Asked to stop: everything is ended, and what was received is the result.
            return f"interrupted by the user after {monotonic() - started:.1f} s"
        return ""


async def _end(process: Popen[bytes], pipe: OutputPipe) -> None:
    await end_group(process)
    await _drain(pipe)


async def _drain(pipe: OutputPipe) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(pipe.ended.wait(), _DRAIN_S)


def _make_report(user_value: str | None) -> DirectoryReport | None:
    """Return a report, or None where the system has no room for one: then the directory stays as it is."""
    try:
        return DirectoryReport(user_value)
    except OSError:
        return None
