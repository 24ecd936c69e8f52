"""A process that is killed while its subagents work: what they did is not lost, and is counted."""

import os
import re
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent.offline import MessagesServer, Recorded, Reply, Request, Script, calls, says
from agent.session.log import read_records
from agent.session.records import Record
from tests.support.agent import scenario
from tests.support.command import WAIT_S, Command, ended
from tests.support.delegation import billed_usd, does, ordered
from tests.support.invariants import is_subagents, main_requests, messages_of

HANG = "touch {0}; while [ -e {0} ]; do sleep 0.1; done"
"""A command that says that it runs, and ends once the test, or its folder, is no more."""
ORDERS = ("Look at the numbers.", "Mend the notes.", "Say yes.")
TODOS = [{"content": "mend", "status": "completed"}, {"content": "check it", "status": "pending"}]


def reads_the_spill(request: Request) -> Reply:
    """Ask for the file in which the numbers of the first subagent stand in full, and for its log."""
    [log] = re.findall(r"\(log of the subagent: (.*task-001\.jsonl)\)", str(request.body["messages"]))
    session = Path(log).parent.name
    spill = f".task_outputs/tool-results/{session}/task-001/1-0-bash.txt"
    return calls("read", file_path=spill, limit=3) + calls("read", file_path=log, limit=1)


def script() -> Script:
    """Two subagents that are at work when the end comes, one of them behind a spill and a change, and one that is done."""
    look = says("Many numbers.") + calls("bash", command="seq 1 20000")
    mend = calls("write", file_path="notes.txt", content="mended\n") + calls("todo_write", todos=TODOS)
    return Script(
        says("I share it out.") + ordered(*ORDERS),
        reads_the_spill,
        says("I go on with what is there."),
        routes=[
            does(ORDERS[0], look, calls("bash", command=HANG.format("one"))),
            does(ORDERS[1], mend, says("Half of it.") + calls("bash", command=HANG.format("two"))),
            does(ORDERS[2], says("Yes.")),
        ],
    )


def records_of(command: Command) -> list[Record]:
    """Those of the only session."""
    [path] = (command.project / ".transcripts").glob("*.jsonl")
    return [record for _, record in read_records(path) if record]


def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


@contextmanager
def killed(tmp_path: Path) -> Generator[tuple[MessagesServer, Command]]:
    """A session whose process was killed once two subagents were at work and the third was done."""
    with MessagesServer(script()) as server:
        command = Command(root=tmp_path, url=server.url)
        try:
            process = command.start("-p", "Share it out.", "--permission-mode", "bypass")
            until(lambda: all((command.project / name).exists() for name in ("one", "two")))
            until(lambda: any(record["type"] == "result" for record in records_of(command)))
            os.kill(process.pid, signal.SIGKILL)
            ended(process)
            yield server, command
        finally:
            for name in ("one", "two"):
                (command.project / name).unlink(missing_ok=True)


def results_of(request: Recorded) -> list[dict[str, Any]]:
    """The results in the message that answers the three calls."""
    answer = [message for message in messages_of(request) if message["role"] == "user"][1]
    return [dict(block) for block in answer["content"] if block["type"] == "tool_result"]


def test_what_they_did_is_told_and_counted(tmp_path: Path) -> None:
    """The results say that the process ended, what was said and changed, and where the log is; all is paid for once."""
    with killed(tmp_path) as (server, command):
        ran = command.run("-c", "-p", "Go on.", "--output-format", "json")
        assert ran.messages[-1]["result"] == "I go on with what is there."
        assert server.refusals == []
        first, second, third = results_of(main_requests(server.queries)[-1])
        for result, agent, said in ((first, "001", "Many numbers."), (second, "002", "Half of it.")):
            assert result["is_error"]
            assert "incomplete (the process ended while it worked; its last call" in result["content"]
            assert "after 2 steps" in result["content"]
            assert said in result["content"]
            assert result["content"].endswith(f"/task-{agent}.jsonl)")
        assert "(it changed: notes.txt)" in second["content"]
        assert "(still open on its list: check it)" in second["content"]
        assert third["content"].startswith("Yes.")
        ends = [record for record in records_of(command) if record["type"] == "subagent"]
        spent = sum(record["spent"]["usd"] for record in ends)
        assert abs(spent - billed_usd(filter(is_subagents, server.queries))) < 1e-9
        assert sum("the process ended" in str(record.get("problem")) for record in ends) == 2
        shown = command.run("sessions", "show", ran.messages[-1]["session_id"]).text
        assert "3 subagents" in shown.lower()
        assert shown.count("incomplete: the process ended while it worked") == 2


def test_their_files_can_be_read(tmp_path: Path) -> None:
    """Log and spill of a killed subagent are the session's own: they are read whatever the mode."""
    with killed(tmp_path) as (server, command):
        command.run("-c", "-p", "Go on.", "--permission-mode", "plan")
        answer = messages_of(main_requests(server.queries)[-1])[-1]["content"]
        spill, log = [str(block["content"]) for block in answer if block["type"] == "tool_result"]
        assert "     1\t1\n" in spill or "1\t1\n" in spill
        assert '"agent":"task-001"' in log


async def test_one_that_had_just_ended(tmp_path: Path) -> None:
    """Its answer is the result, however little of its end the session's own log holds; it is paid for once."""
    routes = [does("Say yes.", says("Yes."))]
    turns = (ordered("Say yes."), says("Done."), *[says("Hello.")] * 4)
    async with scenario(tmp_path, *turns, routes=routes, may_move=True) as harness:
        await harness.turn("Go.")
        spent = harness.state.delegated.usd
        lines = harness.agent.session.log.path.read_bytes().splitlines(keepends=True)
        end = next(number for number, line in enumerate(lines) if b'"type":"result"' in line)
        for number in (end - 1, end):  # behind its beginning, and behind its end
            await harness.resume(log=b"".join(lines[:number]))
            [result] = harness.log_records("result")
            assert not result["is_error"]
            assert result["content"].startswith("Yes.\n(log of the subagent: ")
            assert harness.state.delegated.usd == spent > 0
            assert (await harness.turn("hi")).text == "Hello."
