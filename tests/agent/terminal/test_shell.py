"""`!command`: the user's own."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.terminal.shell import run_shell


async def said(command: str, project: Path) -> list[str]:
    lines: list[str] = []

    def say(more: Sequence[str]) -> None:
        lines.extend(more)

    await run_shell(command, project, say)
    return lines


async def until(condition: Callable[[], bool]) -> None:
    """Wait until ``condition`` holds."""
    for _ in range(1_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come true")


async def test_output_and_exit_code(tmp_path: Path) -> None:
    """Both streams, line by line, a last one without its end too; the code only if it is not zero."""
    assert await said("pwd; echo e >&2; printf half", tmp_path) == [str(tmp_path), "e", "half"]
    assert await said("exit 3", tmp_path) == ["exit 3"]


async def test_its_input_is_empty_and_its_output_is_text(tmp_path: Path) -> None:
    """The terminal belongs to the prompt; colours and control characters do not reach it."""
    assert await said("cat; printf '\\033[31mred\\033[0m \\a\\n'", tmp_path) == ["red \\x07"]


async def test_it_is_over_when_the_shell_is(tmp_path: Path) -> None:
    """What it left running keeps the pipe, and not the prompt; the user is told."""
    began = time.monotonic()
    lines = await said("sleep 30 & echo $! > pid; echo here", tmp_path)
    assert time.monotonic() - began < 10
    assert lines == ["here", "what it started still runs; its output is not shown any more"]
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


async def test_cancelled_after_the_shell_it_is_ended_all_the_same(tmp_path: Path) -> None:
    """In the moment in which the output is waited for that is still on its way."""
    running = asyncio.ensure_future(said("sleep 30 & echo $! > pid", tmp_path))
    mark = tmp_path / "pid"
    await until(lambda: mark.exists() and mark.read_text().endswith("\n"))
    await asyncio.sleep(0.1)
    running.cancel()
    await asyncio.wait([running])
    child = Path(f"/proc/{mark.read_text().strip()}/stat")
    await until(lambda: not child.exists() or child.read_text().split()[2] == "Z")


async def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    """The project is gone; a NUL."""
    (line,) = await said("ls", tmp_path / "gone")
    assert line.startswith("it cannot be run: ")
    (line,) = await said("ls \0", tmp_path)
    assert line.startswith("it cannot be run: ")


async def test_cancelled_it_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """The whole group."""
    running = asyncio.ensure_future(said("(sleep 2; touch late) & echo $! > pid; wait", tmp_path))
    mark = tmp_path / "pid"
    await until(lambda: mark.exists() and mark.read_text().endswith("\n"))
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    child = Path(f"/proc/{mark.read_text().strip()}/stat")
    await until(lambda: not child.exists() or child.read_text().split()[2] == "Z")
