"""F26: subagents without end, or dozens at once: what they cost has a limit, and they can be stopped."""

import json
import os
import signal
import time
from pathlib import Path
from threading import Lock

from agent.offline import MessagesServer, Reply, Request, Script, always, calls, error, says
from agent.offline.script import Answer, Turn
from tests.support.agent import scenario
from tests.support.command import WAIT_S, Command, ended
from tests.support.delegation import does, ordered
from tests.support.invariants import is_subagents

THIRTY = [f"Part {number:02d}." for number in range(30)]
TASK = calls("task", description="again", prompt="Start another one.")


def about(request: Request) -> Reply:
    """Answer a subagent after 0.2 s, by its order."""
    return says(f"About {request.last_text}").having(delay_s=0.2)


class EachThird:
    """Answers each third request with 429."""

    def __init__(self) -> None:
        self.asked = 0
        self._lock = Lock()

    def __call__(self, request: Request) -> Answer:
        with self._lock:
            self.asked += 1
            return error(429) if self.asked % 3 == 0 else about(request)


async def test_a_every_reply_is_a_task(tmp_path: Path) -> None:
    """A subagent has no `task` and is told so; what comes to nothing is not paid for twice, and the turn ends."""
    async with scenario(tmp_path, always(TASK)) as harness:
        ended = await harness.turn("Go.")
        assert ended.reason == "error"
        assert "`task`" in ended.problem
        assert len(harness.server.queries) <= 10
        [first, *others] = [record["content"] for record in harness.log_records("result")]
        assert first.startswith("incomplete (the model called `task` 4 times in a row")
        assert all(text.startswith("Not run: this very order was given in this turn") for text in others)
        inside = [query for query in harness.server.queries if is_subagents(query)]
        assert "There is no tool `task`" in json.dumps(inside[-1].body["messages"])


async def test_a_what_may_help_is_not_refused(tmp_path: Path) -> None:
    """The same order may come again in another turn, or where its subagent got no answer at all, or did something."""
    faults: list[Turn] = [error(400, "no such thing"), error(400, "no such thing"), says("There.")]
    async with scenario(
        tmp_path, TASK, TASK, TASK, says("Done."), routes=[does("Start another one.", *faults)], may_move=True
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        results = [record["content"].split("\n")[0] for record in harness.log_records("result")]
        assert [text[:10] for text in results] == ["incomplete", "incomplete", "There."]


async def test_b_thirty_at_once(tmp_path: Path) -> None:
    """Four run side by side, the others wait; all results come, in the order of the calls."""
    async with scenario(
        tmp_path, ordered(*THIRTY), says("Done."), routes=[does("Part ", always(about))]
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.server.peak_open == 4
        answer = harness.server.queries[-1].body["messages"][-1]["content"]
        assert [block["content"].split("\n")[0] for block in answer] == [f"About {order}" for order in THIRTY]
        assert harness.state.subagents == 30


async def test_c_thirty_in_a_storm(tmp_path: Path) -> None:
    """With a 429 for each third request they get there all the same."""
    async with scenario(
        tmp_path, ordered(*THIRTY), says("Done."), routes=[does("Part ", always(EachThird()))]
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        answer = harness.server.queries[-1].body["messages"][-1]["content"]
        assert [block["content"].split("\n")[0] for block in answer] == [f"About {order}" for order in THIRTY]
        assert harness.server.peak_open == 4


def test_d_ctrl_c(tmp_path: Path) -> None:
    """It stops those that run and those that wait: no request comes after it, no process is left, all is answered."""
    work = calls("bash", command="echo $$ >> pids; sleep 61")
    script = Script(ordered(*THIRTY), says("Hello."), routes=[does("Part ", always(work))])
    with MessagesServer(script) as server:
        command = Command(root=tmp_path, url=server.url)
        pids = command.project / "pids"
        process = command.start("-p", "Go.", "--permission-mode", "bypass")
        end = time.monotonic() + WAIT_S
        while not pids.exists() or len(pids.read_text().split()) < 4:
            assert time.monotonic() < end
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        assert ended(process).code == 130
        asked = len(server.queries)
        assert asked == 5
        assert not [pid for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()]
        again = command.run("-c", "-p", "hi")
        assert again.text == "Hello.\n"
        results = server.queries[-1].body["messages"][2]["content"]
        told = [block["content"] for block in results if block["type"] == "tool_result"]
        assert [text[:10] for text in told] == ["incomplete"] * 4 + ["Not run: t"] * 26
        assert len(server.queries) == asked + 1
        assert server.refusals == []
