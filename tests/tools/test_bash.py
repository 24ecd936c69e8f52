"""bash: what comes back, when it comes back, and that nothing is left running."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.sandboxes import NEEDS_SANDBOX, sandbox_of
from tests.support.tools import Bench, count_descriptors, make_bench, text_of
from tools.bash import BASH, MAX_TIMEOUT_S
from tools.jobs import end_jobs, look

HEARTBEAT = """\
import time
while True:
    with open("hb.log", "a") as log:
        log.write("x")
    time.sleep(0.1)
"""


@pytest.fixture(params=["free", pytest.param("sandboxed", marks=NEEDS_SANDBOX)])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    """A session whose commands run as they are, and one whose commands run in the sandbox."""
    sandbox = sandbox_of(tmp_path) if request.param == "sandboxed" else None
    async for bench in checked(make_bench(tmp_path, sandbox=sandbox)):
        yield bench


@pytest.fixture
async def free(tmp_path: Path) -> AsyncIterator[Bench]:
    """A session without a sandbox."""
    async for bench in checked(make_bench(tmp_path)):
        yield bench


async def checked(bench: Bench) -> AsyncIterator[Bench]:
    descriptors = count_descriptors()
    yield bench
    await end_jobs(bench.services.jobs)
    assert count_descriptors() == descriptors


def is_running(word: str) -> bool:
    return subprocess.run(["pgrep", "-f", word], capture_output=True, check=False).returncode == 0


async def wait_for(bench: Bench, text: str) -> None:
    """Wait until ``text`` was streamed to the screen."""
    for _ in range(500):
        if text in "".join(bench.live):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(bench.live)


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("echo hi", "hi\n[exit code 0]", 0),
        ("printf hi", "hi\n[exit code 0]", 0),
        ("true", "(no output)\n[exit code 0]", 0),
        ("echo out; echo err >&2; exit 3", "out\nerr\n[exit code 3]", 3),
        ("kill -9 $$", "(no output)\n[exit code 137, as when killed by SIGKILL]", 137),
        ("exit 200", "(no output)\n[exit code 200]", 200),
    ],
)
async def test_output_and_exit_code(command: str, text: str, code: int, bench: Bench) -> None:
    """Both streams in order, then the exit code, always; a code other than 0 is a result, not a failure."""
    result = await bench.call(BASH, command=command)
    assert (result.content, result.is_error, result.facts["exit_code"]) == (text, False, code)
    assert result.facts["duration_s"] >= 0


async def test_note_for_the_screen(free: Bench) -> None:
    """The card says the number of lines, or the exit code when it is not 0."""
    notes = [
        (await free.call(BASH, command=command)).facts["note"] for command in ("echo a", "seq 3", "exit 2")
    ]
    assert notes == ["1 line", "3 lines", "exit 2"]


@pytest.mark.parametrize(
    ("letter", "command", "said"),
    [
        ("a", "sleep 30 & echo done", "done"),
        ("b", "sleep 30 </dev/null >/dev/null & echo done", "done"),
        ("c", f"{sys.executable} -m http.server 0 & sleep 0.3; echo up", "up"),
        ("d", "sleep 30 >/dev/null 2>&1 </dev/null & echo done", "done"),
    ],
)
async def test_f01_returns_when_the_shell_ends(letter: str, command: str, said: str, free: Bench) -> None:
    """F01: a child that holds the pipe does not hold the call; it is said, listed, and ends with the session."""
    started = time.monotonic()
    result = await free.call(BASH, command=command)
    assert time.monotonic() - started < 2
    assert said in text_of(result)
    assert "still runs in the background" in text_of(result)
    assert not result.is_error
    assert (await free.call(BASH, command="echo ok")).content == "ok\n[exit code 0]"
    assert [job for job, _ in look(free.services.jobs).values()] == [command]
    await end_jobs(free.services.jobs)
    assert look(free.services.jobs) == {}


async def test_what_still_runs_can_go_on_writing(free: Bench) -> None:
    """The pipe of what was left behind is read on: it neither breaks nor blocks."""
    await free.call(BASH, command="(sleep 0.6; head -c 300000 /dev/zero; echo $? >code) & echo done")
    for _ in range(300):
        await asyncio.sleep(0.02)
        if not look(free.services.jobs):
            break
    assert (free.project / "code").read_text() == "0\n"


async def test_child_in_a_session_of_its_own_can_go_on_writing(free: Bench) -> None:
    """What left the group is listed as long as it holds the pipe."""
    await free.call(BASH, command="setsid bash -c 'sleep 0.6; echo late; echo $? >code' & echo done")
    assert len(look(free.services.jobs)) == 1
    for _ in range(300):
        await asyncio.sleep(0.02)
        if not look(free.services.jobs):
            break
    assert (free.project / "code").read_text() == "0\n"


@pytest.mark.parametrize(
    ("letter", "command", "said"),
    [
        ("a", "cat", "(no output)\n[exit code 0]"),
        ("b", 'read x; echo "got:$x"', "got:\n"),
        (
            "c",
            "git init -q; git -c core.editor='sh -c \"read x; exit 1\"' commit --allow-empty",
            "exit code 1",
        ),
        ("d", f"{sys.executable} -c 'input(\"Name? \")'", "Name? "),
        ("d", f"{sys.executable} -c 'input(\"Name? \")'", "EOFError"),
        ("tty", "cat </dev/tty", "exit code 1"),
    ],
)
async def test_f02_stdin_is_empty(letter: str, command: str, said: str, bench: Bench) -> None:
    """F02 a-d: whoever asks gets end-of-file at once, also from the terminal, and the result comes back."""
    started = time.monotonic()
    result = await bench.call(BASH, command=command)
    assert time.monotonic() - started < 3
    assert said in text_of(result)


@pytest.mark.parametrize("wrapper", ["{}", "({} | cat)", "trap '' TERM; {}"])
async def test_f04_timeout_ends_the_whole_group(wrapper: str, bench: Bench) -> None:
    """F04: everything the command started ends, the output so far stays, the timeout is named."""
    script = bench.project / f"hb-{os.getpid()}.py"
    script.write_text(HEARTBEAT)
    command = f"echo BEFORE; {wrapper.format(f'{sys.executable} {script}')}; echo AFTER"
    started = time.monotonic()
    result = await bench.call(BASH, command=command, timeout=1)
    assert time.monotonic() - started < 4
    text = text_of(result)
    assert text.startswith("BEFORE\n")
    assert "AFTER\n" not in text
    assert "timed out after 1 s" in text
    assert f"give `timeout` (at most {MAX_TIMEOUT_S}) or `run_in_background`]" in text
    assert (result.is_error, result.facts["note"]) == (True, "timed out after 1 s")
    size = (bench.project / "hb.log").stat().st_size
    await asyncio.sleep(0.5)
    assert (bench.project / "hb.log").stat().st_size == size
    assert not is_running(str(script))
    assert look(bench.services.jobs) == {}


@pytest.mark.parametrize(
    ("timeout", "said"),
    [
        (100_000, "not milliseconds (100 if that was meant)"),
        (601, "more than 0 and at most 600"),
        (0, "more than 0"),
        (-1, "more than 0"),
        ("soon", "a valid number"),
    ],
)
async def test_timeouts_out_of_range_are_refused(timeout: float, said: str, free: Bench) -> None:
    """A timeout is in seconds; one that can only be milliseconds is refused with the likely value."""
    result = await free.call(BASH, command="echo no", timeout=timeout)
    assert result.is_error
    assert said in text_of(result)


@pytest.mark.parametrize("command", ["echo a\0b", "echo \ud800"])
async def test_text_that_cannot_be_passed_is_refused(command: str, free: Bench) -> None:
    """NUL and lone surrogates cannot be arguments; the message says what to use."""
    result = await free.call(BASH, command=command)
    assert result.is_error
    assert "printf" in text_of(result)


async def test_too_long_a_command_is_refused(bench: Bench) -> None:
    """The system's limit for an argument is explained, with the way out."""
    result = await bench.call(BASH, command="echo " + "x" * 3_000_000)
    assert result.is_error
    assert "script" in text_of(result)


async def test_missing_bash_is_said(free: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bash on PATH the model is told so."""
    monkeypatch.setenv("PATH", str(free.project))
    result = await free.call(BASH, command="echo x")
    assert result.is_error
    assert "could not be started: No such file or directory (`bash`)" in text_of(result)


@pytest.mark.parametrize("is_impatient", [False, True])
async def test_interrupt_keeps_output_and_ends_the_group(is_impatient: bool, bench: Bench) -> None:
    """A cancelled call returns what it had and leaves nothing running, also when cancelled again at once."""
    script = bench.project / f"int-{os.getpid()}.py"
    script.write_text(HEARTBEAT)
    call = asyncio.ensure_future(
        bench.call(BASH, command=f"trap '' TERM; echo BEFORE; {sys.executable} {script}")
    )
    await wait_for(bench, "BEFORE")
    started = time.monotonic()
    call.cancel()
    if is_impatient:
        await asyncio.sleep(0.05)
        call.cancel()
    result = await call
    assert time.monotonic() - started < 3
    assert text_of(result).startswith("BEFORE\n")
    assert "interrupted by the user after" in text_of(result)
    assert result.is_error
    assert not is_running(str(script))


async def test_a_command_that_is_ended_can_tidy_up(bench: Bench) -> None:
    """TERM comes first, and what is printed then stands in the result."""
    result = await bench.call(
        BASH, command="trap 'echo tidied; exit' TERM; while :; do sleep 0.05; done", timeout=0.6
    )
    assert "tidied\n[timed out after 0.6 s" in text_of(result)


async def test_output_is_streamed_while_it_runs(bench: Bench) -> None:
    """The screen gets the text before the command ends, without colours, and all of it by the end."""
    call = asyncio.ensure_future(
        bench.call(BASH, command=r"printf '\033[31mfirst\n'; sleep 0.4; echo second")
    )
    await wait_for(bench, "first")
    assert not call.done()
    await call
    assert "".join(bench.live) == "first\nsecond\n"


async def test_pagers_and_git_do_not_wait(bench: Bench) -> None:
    """Of the environment only what would wait for keys is changed."""
    result = await bench.call(BASH, command='echo "$PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT"')
    assert text_of(result).startswith("cat cat 0\n")
