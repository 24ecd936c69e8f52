"""`!command`: the user's own."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from agent.terminal.shell import STOPPED, Ended, run_shell
from agent.terminal.shell_output import HEAD_CHARS, HEAD_LINES, HELD_BACK, TAIL_CHARS, TAIL_LINES, Output
from tools.collector import Collector


async def ran(command: str, project: Path, lines: list[str]) -> Ended:
    """Run a command; ``lines`` gets what is shown."""
    output = Output(lines.extend, Collector(project / "spill.txt", limit_chars=30_000))
    ended = await run_shell(command, project, output)
    await output.finish(mark_id="shell-r1", project=project)
    return ended


async def said(command: str, project: Path) -> list[str]:
    """Return what a command shows, and how it ended."""
    lines: list[str] = []
    ended = await ran(command, project, lines)
    return [*lines, ended.words]


async def until(condition: Callable[[], bool]) -> None:
    """Wait until ``condition`` holds."""
    for _ in range(1_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come true")


async def test_output_and_exit_code(tmp_path: Path) -> None:
    """Both streams, line by line, a last one without its end too; a signal's code is a shell's."""
    assert await said("pwd; echo e >&2; printf half", tmp_path) == [str(tmp_path), "e", "half", "exit code 0"]
    assert await said("exit 3", tmp_path) == ["exit code 3"]
    assert await said("kill -9 $$", tmp_path) == ["exit code 137"]


async def test_its_input_is_empty_and_its_output_is_text(tmp_path: Path) -> None:
    """The terminal belongs to the prompt; colours and control characters do not reach it."""
    command = "cat; [ -t 0 ] || [ -t 1 ] || (: < /dev/tty) || echo none; printf '\\033[31mred\\033[0m \\a\\n'"
    *_, none, red, ended = await said(command, tmp_path)
    assert (none, red, ended) == ("none", "red \\x07", "exit code 0")


async def test_it_is_over_when_the_shell_is(tmp_path: Path) -> None:
    """What it left running keeps the pipe, and not the prompt; the user is told."""
    began = time.monotonic()
    lines = await said("sleep 30 & echo $! > pid; echo here", tmp_path)
    assert time.monotonic() - began < 10
    assert lines == ["here", "exit code 0; what it started still runs; its output is not shown any more"]
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
    """The whole group; what it printed stands, also what it printed at its end."""
    lines: list[str] = []
    command = "trap 'echo bye; exit 1' TERM; echo here; (sleep 2; touch late) & echo $! > pid; wait"
    running = asyncio.ensure_future(ran(command, tmp_path, lines))
    mark = tmp_path / "pid"
    await until(lambda: mark.exists() and mark.read_text().endswith("\n"))
    running.cancel()
    await asyncio.wait([running])
    assert running.result().words == STOPPED
    assert lines == ["here", "bye"]
    child = Path(f"/proc/{mark.read_text().strip()}/stat")
    await until(lambda: not child.exists() or child.read_text().split()[2] == "Z")


async def test_a_flood_leaves_the_scrollback_to_the_user(tmp_path: Path) -> None:
    """Ten megabytes, as lines and as one line: beginning and end are shown, and exactly how much is not."""
    for command in (
        "yes | head -c 10000000",
        "head -c 10000000 /dev/zero | tr '\\0' x",
        "yes '' | head -100001",
    ):
        lines: list[str] = []
        await ran(command, tmp_path, lines)
        held = lines.index(HELD_BACK)
        assert held <= HEAD_LINES
        assert len(lines) <= HEAD_LINES + TAIL_LINES + 2
        text, said_of_it = "\n".join(lines), lines[held + 1]
        assert len(text) <= HEAD_CHARS + TAIL_CHARS + 500
        assert said_of_it.endswith("all of it is in spill.txt")
        left_out = int(said_of_it.split()[1].replace(",", ""))
        shown = sum(len(line) + 1 for line in lines[:held]) + len("\n".join(lines[held + 2 :]))
        written = (tmp_path / "spill.txt").stat().st_size
        assert written - left_out - shown in {0, 1}


async def test_what_the_model_gets_whole_is_shown_whole(tmp_path: Path) -> None:
    """Many short lines: held back while they come, for nobody knows how many there will be, and shown at the end."""
    lines: list[str] = []
    await ran("seq 1 3000; printf half", tmp_path, lines)
    assert lines[HEAD_LINES] == HELD_BACK
    del lines[HEAD_LINES]
    assert lines == [*map(str, range(1, 3_001)), "half"]


@given(pieces=st.lists(st.tuples(st.text(alphabet="ab\n", max_size=400), st.integers(1, 40)), max_size=8))
async def test_no_line_is_lost_or_doubled_at_the_fold(pieces: list[tuple[str, int]]) -> None:
    """However it is cut into reads: what is shown is the output, or its beginning and its end."""
    shown: list[str] = []
    with TemporaryDirectory() as folder:
        output = Output(shown.extend, Collector(Path(folder) / "spill.txt", limit_chars=2_000))
        for text, times in pieces:
            output.take((text * times).encode())
        await output.finish(mark_id="shell-r1", project=Path(folder))
    whole = "".join(text * times for text, times in pieces)
    lines = whole.removesuffix("\n").split("\n") if whole else []
    if HELD_BACK not in shown:
        assert shown == lines
        return
    at = shown.index(HELD_BACK)
    rest = shown[at + 1 :]
    if len(whole) <= 2_000:
        assert shown[:at] + rest == lines
    else:
        assert lines[:at] == shown[:at]
        assert whole.removesuffix("\n").endswith("\n".join(rest[1:]))
