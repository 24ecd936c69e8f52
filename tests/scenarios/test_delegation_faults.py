"""Subagents side by side of which each meets something else: every call has its result, and the others go on."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.calls.approval import Answer, Question
from agent.events import CallStarted, Compacted, FromSubagent, RetryWaiting
from agent.offline import always, calls, error, last_text_starts, says, when
from agent.offline.script import Route, Turn
from compaction.summary import OPENING
from tests.support.agent import FakeApprover, Harness, scenario
from tests.support.delegation import does, ordered

ORDERS = ("Fail at it.", "Read it all.", "Make one.", "Make two.")
SUMMARY = "<summary>1. Request and intent: read it all. 2. Nothing yet.</summary>"
LONG = "".join(f"{number:05d} a line of the ledger, as long as such lines are\n" for number in range(300))
PAGES = {f"{name}.txt": f"{name}\n{LONG}" for name in "abcdef"}
READS = [calls("read", file_path=name) for name in PAGES]


def results(harness: Harness) -> list[dict[str, Any]]:
    """The results of the tasks, in call order."""
    logged = {record["call"]: record for record in harness.log_records("result") if record["name"] == "task"}
    sent = [one.block["id"] for one in harness.state.view if one.block["type"] == "tool_use"]
    return [logged[id_] for id_ in sent if id_ in logged]


def summaries(*turns: Turn) -> Route:
    """What the model answers when it is asked for a summary."""
    return when(last_text_starts(OPENING), *turns, always(says(SUMMARY)))


MIXED = (
    summaries(),
    does(ORDERS[0], says("I try.") + calls("bash", command="true"), always(error(500))),
    does(ORDERS[1], *READS[:3], calls("compact"), *READS[3:], says("All read.")),
    does(ORDERS[2], calls("bash", command="touch one"), says("One is made.")),
    does(ORDERS[3], calls("bash", command="touch two"), says("Two is not.")),
)


async def test_one_fails_one_compacts_two_ask(tmp_path: Path) -> None:
    """Each result says what became of its own; the questions come one at a time, and name who asks."""
    approver = FakeApprover(Answer(is_allowed=True), Answer(is_allowed=False, reason="not this"))
    how = {"mode": "ask", "rules": {"allow": ["bash(true)"]}, "approver": approver, "may_move": True}
    async with scenario(
        tmp_path,
        ordered(*ORDERS),
        says("Done."),
        routes=MIXED,
        files=PAGES,
        patience={"max_tries": 3},
        **how,
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        failed, read, one, two = results(harness)
        assert failed["content"].startswith("incomplete (")
        assert "500" in failed["content"]
        assert "I try.\n(done so far, the newest first: ran true: exit code 0 (step 1))" in failed["content"]
        assert read["content"].startswith("All read.")
        compacted = [item for item in harness.of(FromSubagent) if isinstance(item.event, Compacted)]
        assert {item.agent for item in compacted} == {"task-002"}
        assert approver.most_open == 1
        assert sorted(question.agent for question in approver.questions) == ["task-003", "task-004"]
        made = [(harness.project / name).exists() for name in ("one", "two")]
        assert sorted(made) == [False, True]
        assert [record["is_error"] for record in (failed, read, one, two)] == [True, False, False, False]


@pytest.mark.parametrize("status", [429, 529, 500])
async def test_storms(tmp_path: Path, status: int) -> None:
    """Every other request of each is answered with a fault: all four get there, and each pause names its agent."""
    work: list[Turn] = [error(status), calls("bash", command="true"), error(status), says("There.")]
    routes = [does(order, *work) for order in ORDERS]
    async with scenario(tmp_path, ordered(*ORDERS), says("Done."), routes=routes) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert [record["content"].split("\n")[0] for record in results(harness)] == ["There."] * 4
        waited = [item.agent for item in harness.of(FromSubagent) if isinstance(item.event, RetryWaiting)]
        assert sorted(waited) == sorted([f"task-00{number}" for number in (1, 2, 3, 4)] * 2)


async def test_a_summary_that_fails(tmp_path: Path) -> None:
    """A subagent whose summary cannot be had goes on without one; its parent hears only its answer."""
    refused = when(last_text_starts(OPENING), always(error(500)))
    route = does("Read it all.", *READS, says("All read."))
    async with scenario(
        tmp_path,
        ordered("Read it all."),
        says("Done."),
        routes=[refused, route],
        files=PAGES,
        config={"window": 20_000},
        patience={"max_tries": 2},
        may_move=True,
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert results(harness)[0]["content"].startswith("All read.")
        assert harness.state.failed_summaries == 0, "it is not the parent's"


async def test_a_history_that_is_too_long(tmp_path: Path) -> None:
    """The server refuses a subagent's request as too long: it is made to fit, once, and the work goes on."""
    too_long = error(400, "prompt is too long: 210000 tokens > 200000 maximum")
    route = does("Read it all.", *READS[:4], too_long, *READS[4:], says("All read."))
    async with scenario(
        tmp_path,
        ordered("Read it all."),
        says("Done."),
        routes=[summaries(), route],
        files=PAGES,
        may_refuse=True,
        may_move=True,
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert results(harness)[0]["content"].startswith("All read.")
        layers = [
            item.event.receipt["trigger"]
            for item in harness.of(FromSubagent)
            if isinstance(item.event, Compacted)
        ]
        assert "reactive" in layers
        assert harness.state.compactions == 0


class Ruler(FakeApprover):
    """Says yes once another question waits, and gives a rule for both."""

    def __init__(self) -> None:
        super().__init__(True)
        self.harness: Harness | None = None

    async def ask(self, question: Question) -> Answer:
        """Return yes, and let the rule hold."""
        assert self.harness is not None
        await self.harness.until(question.waiting)
        self.harness.shared.permission.allow_always("bash(touch:*)")
        return await super().ask(question)


async def test_always_holds_for_those_that_wait(tmp_path: Path) -> None:
    """A rule that is given at the first question settles the second, which is not shown."""
    routes = [does(order, calls("bash", command="touch made"), says("Made.")) for order in ORDERS[:2]]
    approver = Ruler()
    async with scenario(
        tmp_path, ordered(*ORDERS[:2]), says("Done."), routes=routes, mode="ask", approver=approver
    ) as harness:
        approver.harness = harness
        assert (await harness.turn("Go.")).text == "Done."
        assert len(approver.questions) == 1
        assert [record["content"].split("\n")[0] for record in results(harness)] == ["Made."] * 2


STANDING = (
    does(ORDERS[0], says("Ready.")),
    does(ORDERS[1], says("I begin.") + calls("bash", command="sleep 30")),
    does(ORDERS[2], calls("bash", command="touch one"), says("No.")),
    does(ORDERS[3], calls("bash", command="touch two"), says("No.")),
)


async def test_an_interrupt_refuses_what_is_asked(tmp_path: Path) -> None:
    """The question that stands, those that wait, and what runs: all end; what is done is kept, nothing was run."""
    approver = FakeApprover(asyncio.Event())
    how = {"mode": "ask", "rules": {"allow": ["bash(sleep:*)"]}, "approver": approver}
    async with scenario(tmp_path, ordered(*ORDERS), says("Hello."), routes=STANDING, **how) as harness:
        turn = harness.start("Go.")
        await harness.until(lambda: approver.open == 1 and harness.shared.asking.waiting() == 1)
        await harness.until(lambda: len(harness.log_records("result")) == 1)
        await harness.until(
            lambda: any(isinstance(one.event, CallStarted) for one in harness.of(FromSubagent))
        )
        harness.interrupt()
        assert (await turn).reason == "interrupted"
        ready, begun, *asked = results(harness)
        assert ready["content"].startswith("Ready.")
        assert begun["content"].startswith("incomplete (interrupted by the user) after 1 step")
        assert "I begin." in begun["content"]
        assert all("incomplete (interrupted by the user)" in record["content"] for record in asked)
        assert not list(harness.project.glob("one")) + list(harness.project.glob("two"))
        assert harness.agent.subagents.running == {}
        assert (await harness.turn("hi")).text == "Hello."


async def test_steering_while_they_run(tmp_path: Path) -> None:
    """What is typed meanwhile waits for their results, stands behind them, and goes to none of them."""
    routes = [does(order, calls("bash", command="true"), says("There.")) for order in ORDERS[:2]]
    async with scenario(tmp_path, ordered(*ORDERS[:2]), says("Done."), routes=routes) as harness:
        harness.once(
            lambda event: isinstance(event, FromSubagent) and isinstance(event.event, CallStarted),
            lambda: harness.steer("Only in English."),
        )
        assert (await harness.turn("Go.")).text == "Done."
        last = harness.server.queries[-1].body["messages"][-1]["content"]
        assert [block["type"] for block in last] == ["tool_result", "tool_result", "text"]
        assert last[-1]["text"] == "Only in English."
        others = [query for query in harness.server.queries[:-1] if "English" in str(query.body)]
        assert others == []
