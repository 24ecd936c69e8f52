"""A session that dies at any moment goes on: whatever its log held by then, the next request is accepted."""

from pathlib import Path

import pytest

from agent.events import CallFinished, CallStarted, ReplyReceived
from agent.offline import calls, last_text_starts, says, system_has, thinks, when
from agent.session.closing import LOST, NOT_STARTED
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.invariants import SUBAGENT

FILES = {"a.txt": "one\n", "b.txt": "two\n"}
STEPS = (
    thinks("Hm.") + says("I look.") + calls("read", file_path="a.txt") + calls("read", file_path="b.txt"),
    calls("edit", file_path="a.txt", old_string="one", new_string="1") + calls("bash", command="echo x"),
    calls("task", description="d", prompt="p") + says("A long story. " * 300),
    calls("compact"),
    says("Done."),
)
ROUTES = (
    when(system_has(SUBAGENT), says("Found.")),
    when(last_text_starts(OPENING), says("<summary>1. Pending work: none</summary>")),
)


def log_of(harness: Harness) -> bytes:
    """What the log holds."""
    return harness.agent.session.log.path.read_bytes()


async def test_killed_behind_every_record(tmp_path: Path) -> None:
    """Cut behind any record, and inside it, the log can be resumed; the next two turns work, one after a resume."""
    hellos = [says("Hello.")] * 400
    async with scenario(tmp_path, *STEPS, *hellos, files=FILES, routes=ROUTES, may_move=True) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        whole = log_of(harness)
        lines = whole.splitlines(keepends=True)
        assert len(lines) > 25
        for number in range(1, len(lines)):
            await harness.resume(log=b"".join(lines[:number]) + lines[number][: number % 3 * 7])
            assert (await harness.turn("hi")).text == "Hello."
            await harness.resume(is_killed=True)
            assert (await harness.turn("hi")).text == "Hello."
            assert log_of(harness).startswith(b"".join(lines[:number]))
        await harness.resume(log=whole)


async def test_killed_while_a_tool_runs(tmp_path: Path) -> None:
    """The call that ran may have taken effect, the one behind it was not started; done results are kept."""
    reply = (
        calls("read", file_path="a.txt")
        + calls("bash", command="echo x >> log.txt")
        + calls("write", file_path="c.txt", content="")
    )
    logs: list[bytes] = []
    async with scenario(
        tmp_path, reply, says("Done."), says("Hello."), files=FILES, may_move=True
    ) as harness:
        harness.once(
            lambda event: isinstance(event, CallStarted) and event.call["name"] == "bash",
            lambda: logs.append(log_of(harness)),
        )
        await harness.turn("Go.")
        await harness.resume(log=logs[0])
        read, bash, write = [record["content"] for record in harness.log_records("result")]
        assert "one" in read
        assert (bash, write) == (LOST, NOT_STARTED)
        assert (await harness.turn("hi")).text == "Hello."
        assert harness.log_records("end")[0]["reason"] == "process ended"


@pytest.mark.parametrize("kind", [ReplyReceived, CallFinished])
async def test_killed_between_reply_and_answer(tmp_path: Path, kind: type) -> None:
    """All calls are answered on load, once; opened twice nothing is added."""
    logs: list[bytes] = []
    async with scenario(
        tmp_path, STEPS[0], says("Done."), says("Hello."), files=FILES, may_move=True
    ) as harness:
        harness.once(kind, lambda: logs.append(log_of(harness)))
        await harness.turn("Go.")
        await harness.resume(log=logs[0])
        first = len(harness.log_records())
        await harness.resume(is_killed=True)
        assert len(harness.log_records()) == first
        assert len(harness.log_records("result")) == 2
        assert (await harness.turn("hi")).text == "Hello."
