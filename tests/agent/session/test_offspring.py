"""What is taken from the log of a subagent whose process was killed, and what is not."""

import json
from pathlib import Path

import pytest

from agent.events import CallStarted
from agent.offline import calls, says
from agent.session.records import Record
from tests.support.agent import Harness, scenario

ORDER = calls("task", description="d", prompt="p")
SECRET = "a text that belongs to nobody here"


def begun(log: str) -> Record:
    """The record of a beginning."""
    spent = {"usd": 0.0, "is_known": True, "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0}
    about = {"agent": "task-001", "number": 1, "description": "d", "log": log, "is_open": True}
    return {"v": 1, "id": "r90", "parent": "r4", "at": "", "type": "subagent", "spent": spent, **about}


def planted(harness: Harness, log: str, place: Path) -> bytes:
    """The session's log behind the call, with a beginning that names ``log``; at ``place`` stands one with a text."""
    lines = harness.agent.session.log.path.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"type":"call"' in line)
    call = json.loads(lines[at])["call"]
    place.parent.mkdir(parents=True, exist_ok=True)
    message = {
        **begun(""),
        "type": "message",
        "role": "assistant",
        "model": "m",
        "prefix_sha": "",
        "content": [{"type": "text", "text": SECRET}],
    }
    place.write_text(f"{json.dumps(message)}\n")
    return b"".join([*lines[: at + 1], json.dumps({**begun(log), "call": call}).encode() + b"\n"])


@pytest.mark.parametrize(
    "log",
    ["../other/task-001.jsonl", "task-001.jsonl", ".transcripts/task-001.jsonl", "\0", "gone/task-001.jsonl"],
)
async def test_no_log_elsewhere_is_read(tmp_path: Path, log: str) -> None:
    """A record may name what it will: only what lies in a session's folder is one of ours; the cost is unknown then."""
    async with scenario(tmp_path, ORDER, says("x"), says("y"), says("Hello."), may_move=True) as harness:
        await harness.turn("Go.")
        place = harness.project / ("other/task-001.jsonl" if "\0" in log or "gone" in log else log)
        await harness.resume(log=planted(harness, log, place.resolve()))
        [result] = harness.log_records("result")
        assert result["content"].startswith("incomplete (the process ended while it worked")
        assert SECRET not in str(harness.log_records())
        assert not harness.state.spent.is_known
        place.unlink(missing_ok=True)


async def test_a_log_that_is_damaged(tmp_path: Path) -> None:
    """What can be read of it counts; lines that cannot are passed over."""
    logs: list[bytes] = []
    turns = [ORDER, says("I look.") + calls("bash", command="true"), says("x"), says("y"), says("Hello.")]
    async with scenario(tmp_path, *turns, may_move=True) as harness:
        harness.once(CallStarted, lambda: None)
        await harness.turn("Go.")
        path = harness.agent.session.log.path
        lines = path.read_bytes().splitlines(keepends=True)
        end = next(number for number, line in enumerate(lines) if b'"type":"subagent"' in line)
        logs.append(b"".join(lines[: end + 1]))
        own = path.with_suffix("") / "task-001.jsonl"
        kept = own.read_bytes().splitlines(keepends=True)
        own.write_bytes(b"".join([*kept[:4], b"{nothing\xff\n", *kept[4:5], b'{"v":1,"id":"r9","ty']))
        await harness.resume(log=logs[0])
        [result] = harness.log_records("result")
        assert "the process ended" in result["content"]
        assert "I look." in result["content"]
        assert harness.state.delegated.usd > 0
