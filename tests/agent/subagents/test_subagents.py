"""Subagents: a fresh history, a log of their own; and an honest report, whatever became of them (F27)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent.calls.approval import Answer, Question
from agent.events import CallFinished, CallStarted, FromSubagent, TurnEnded
from agent.loop import Limits
from agent.offline import Reply, always, calls, empty, error, first_text_has, says, system_has, thinks, when
from agent.offline.script import Always, Route, Turn
from agent.session.log import read_records
from hooks.events import Outcome, PreToolUse, Stop, SubagentStop, UserPromptSubmit
from tests.support.agent import FakeApprover, Harness, scenario
from tests.support.delegation import does, ordered
from tests.support.invariants import SUBAGENT, is_subagents

TASK = calls("task", description="look", prompt="Look into it.")


def sub(*turns: Turn | Always) -> Route:
    """What subagents answer."""
    return when(system_has(SUBAGENT), *turns)


def report(harness: Harness) -> dict[str, Any]:
    """The result of the only task call."""
    [result] = [record for record in harness.log_records("result") if record["name"] == "task"]
    return result


async def test_its_cost_is_told_to_the_cent(tmp_path: Path) -> None:
    """At its end, on its card and in the record of it: each subagent's own, all requests counted."""
    usage = {"input_tokens": 123_456, "output_tokens": 789}
    busy: list[Turn] = [
        calls("bash", command="ls").having(usage=usage),
        error(529),
        says("Two.").having(usage=usage),
    ]
    routes = [
        when(first_text_has("Busy."), *busy),
        when(first_text_has("Idle."), says("One.").having(usage=usage)),
    ]
    batch = calls("task", description="a", prompt="Busy.") + calls("task", description="b", prompt="Idle.")
    async with scenario(tmp_path, batch, says("Done."), routes=routes) as harness:
        await harness.turn("go")
        ends = {one.call: one.work for one in harness.of(FromSubagent) if isinstance(one.event, TurnEnded)}
        cards = {one.call["id"]: one.facts["work"] for one in harness.of(CallFinished)}
        records = {one["agent"]: one["spent"]["usd"] for one in harness.log_records("subagent")}
        agents = {one.call: one.agent for one in harness.of(FromSubagent)}
        assert ends == cards
        assert {agents[id_]: work["usd"] for id_, work in cards.items()} == records
        assert sorted(work["steps"] for work in cards.values()) == [1, 2]
        assert harness.state.spent_usd > sum(records.values()) > 0.76


async def test_what_a_subagent_is(tmp_path: Path) -> None:
    """Fresh history, own system prompt, no task tool, own log beside; its text, log and cost come back."""
    look = calls("bash", command="ls").having(usage={"input_tokens": 100_000, "output_tokens": 0})
    async with scenario(
        tmp_path, says("Secret plan.") + TASK, says("Done."), routes=[sub(look, says("Three files."))]
    ) as harness:
        await harness.turn("A private word.")
        first = next(request for request in harness.server.queries if is_subagents(request))
        assert "task" not in [tool["name"] for tool in first.body["tools"]]
        assert "private word" not in json.dumps(first.body)
        assert "Secret plan" not in json.dumps(first.body)
        assert first.body["messages"][0]["content"][-1]["text"] == "Look into it."
        assert report(harness)["content"].startswith("Three files.\n(log of the subagent: .transcripts/")
        log = harness.agent.session.log.path.with_suffix("") / "task-001.jsonl"
        assert str(log.relative_to(harness.project)) in report(harness)["content"]
        assert next(record["type"] for _, record in read_records(log) if record) == "session"
        assert harness.state.spent_usd > 0.2
        assert harness.state.context_size < 20_000
        events = [event.event for event in harness.of(FromSubagent) if event.agent == "task-001"]
        assert isinstance(events[-1], TurnEnded)


@pytest.mark.parametrize(
    ("turns", "text", "problem"),
    [
        pytest.param(
            [says("The three bugs are: 1.").having(stop_reason="max_tokens")] * 4,
            "The three bugs are: 1.",
            "cut at the output limit",
            id="a",
        ),
        pytest.param([empty(), empty()], "", "answered twice with nothing", id="b"),
        pytest.param([always(error(500))], "", "500", id="c"),
        pytest.param(
            [always(says("Still on it.") + calls("bash", command="true"))], "Still on it.", "50 steps", id="d"
        ),
        pytest.param(
            [says("Found a bug.") + calls("bash", command="true"), empty(), empty()],
            "Found a bug.",
            "answered twice with nothing",
            id="e",
        ),
        pytest.param([error(400, "no such thing")], "", "no such thing", id="refused-request"),
        pytest.param([says("No.").having(stop_reason="refusal")], "", "declined", id="refusal"),
    ],
)
async def test_f27_incomplete(tmp_path: Path, turns: list[Any], text: str, problem: str) -> None:
    """The result is an error that says why, with whatever text there was; the parent goes on."""
    async with scenario(
        tmp_path, TASK, says("Done."), routes=[sub(*turns)], patience={"max_tries": 3}
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        result = report(harness)
        assert result["is_error"]
        assert result["content"].startswith("incomplete (")
        assert problem in result["content"]
        assert text in result["content"]


async def test_f27_a_cut_answer_that_went_on_is_whole(tmp_path: Path) -> None:
    """An answer that came in pieces, cut at the output limit, is given to the parent as one."""
    first = says("The three bugs are: 1. a wr").having(stop_reason="max_tokens")
    async with scenario(
        tmp_path, TASK, says("Done."), routes=[sub(first, says("ong sign 2. a leak."))]
    ) as harness:
        await harness.turn("Go.")
        assert not report(harness)["is_error"]
        assert report(harness)["content"].startswith("The three bugs are: 1. a wrong sign 2. a leak.\n")


async def test_an_unknown_type(tmp_path: Path) -> None:
    """Refused before anything is started, naming the types there are."""
    odd = calls("task", description="d", prompt="p", agent_type="wizard")
    async with scenario(tmp_path, odd, says("Done.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert (
            "There is no agent type `wizard`. The types are: explore, general, plan."
            in report(harness)["content"]
        )
        assert harness.log_records("subagent") == []


async def test_four_at_a_time(tmp_path: Path) -> None:
    """Six tasks of one reply: four run at once, and the results stand in call order."""
    tasks = [calls("task", description="d", prompt=f"Part {number}.") for number in range(6)]
    six = Reply(parts=tuple(part for task in tasks for part in task.parts))
    sources = always(lambda request: says(f"About {request.last_text}").having(delay_s=0.2))
    async with scenario(tmp_path, six, says("Done."), routes=[sub(sources)]) as harness:
        await harness.turn("Go.")
        assert harness.server.peak_open == 4
        results = [record["content"] for record in harness.log_records("result")]
        assert len(results) == 6
        answer = harness.server.queries[-1].body["messages"][-1]["content"]
        assert [block["content"].split(".")[0] for block in answer] == [f"About Part {n}" for n in range(6)]
        logs = sorted(harness.agent.session.log.path.with_suffix("").glob("task-*.jsonl"))
        assert len(logs) == 6
        assert harness.state.subagents == 6


async def test_an_interrupt_stops_all(tmp_path: Path) -> None:
    """All of them end, keep what they had, and the parent can go on and be resumed."""
    tasks = TASK + TASK + TASK
    slow = always(says("I begin.") + calls("bash", command="sleep 30"))
    async with scenario(tmp_path, tasks, says("Hello."), routes=[sub(slow)]) as harness:

        def begun() -> bool:
            return sum(isinstance(event.event, CallStarted) for event in harness.of(FromSubagent)) == 3

        turn = asyncio.ensure_future(harness.turn("Go."))
        await harness.until(begun)
        harness.interrupt()
        assert (await turn).reason == "interrupted"
        results = harness.log_records("result")
        assert len(results) == 3
        assert all("incomplete (interrupted by the user)" in result["content"] for result in results)
        assert all("I begin." in result["content"] for result in results)
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."


async def test_spills_of_a_subagent(tmp_path: Path) -> None:
    """Under the session's folder and its own name; the parent may read them."""
    seq = calls("bash", command="seq 1 20000")
    async with scenario(
        tmp_path,
        TASK,
        says("Done."),
        routes=[sub(seq, says("Long."))],
        mode="ask",
        rules={"allow": ["bash(seq:*)"]},
    ) as harness:
        await harness.turn("Go.")
        [spill] = (harness.project / ".task_outputs").glob("tool-results/*/*/*.txt")
        assert spill.parent.name == "task-001"
        assert spill.parent.parent.name == harness.state.session_id
        assert harness.state.is_own_file(spill)
        await harness.resume()
        assert harness.state.is_own_file(spill)


async def test_the_same_rules(tmp_path: Path) -> None:
    """Permissions and hooks hold for a subagent's calls, and questions and hooks name it."""
    agents = []

    def note(event: PreToolUse) -> None:
        agents.append((event.tool_name, event.agent))

    approver = FakeApprover(False)
    turns = [calls("bash", command="touch made"), says("I could not.")]
    async with scenario(
        tmp_path,
        TASK,
        says("Done."),
        routes=[sub(*turns)],
        mode="ask",
        approver=approver,
        hooks=[(PreToolUse, note)],
    ) as harness:
        await harness.turn("Go.")
        assert agents == [("task", ""), ("bash", "task-001")]
        assert [question.agent for question in approver.questions] == ["task-001"]
        assert not (harness.project / "made").exists()


async def test_hooks_of_a_subagent(tmp_path: Path) -> None:
    """Its prompt is the model's, not the user's, and its end is not the turn's: SubagentStop alone is fired."""
    seen: list[str] = []

    def hear(event: UserPromptSubmit) -> None:
        seen.append(f"prompt {event.prompt}")

    def stop(event: Stop) -> Outcome | None:
        seen.append(f"stop {event.last_text}")
        return None

    def sub_stop(event: SubagentStop) -> None:
        seen.append(f"{event.agent} {event.last_text}")

    hooks = [(UserPromptSubmit, hear), (Stop, stop), (SubagentStop, sub_stop)]
    async with scenario(tmp_path, TASK, says("Done."), routes=[sub(says("Found."))], hooks=hooks) as harness:
        await harness.turn("Go.")
        assert seen == ["prompt Go.", "task-001 Found.", "stop Done."]


async def test_known_content_and_history_stay_apart(tmp_path: Path) -> None:
    """What a subagent read is not known to the parent; its thinking and calls are its own."""
    turns = [thinks("Hm.") + calls("read", file_path="a.txt"), says("It says a.")]
    edit = calls("edit", file_path="a.txt", old_string="a", new_string="b")
    async with scenario(
        tmp_path, TASK, edit, says("Done."), routes=[sub(*turns)], files={"a.txt": "a\n"}
    ) as harness:
        await harness.turn("Go.")
        assert harness.log_records("result")[-1]["is_error"], "the parent has to read the file itself"
        assert harness.read("a.txt") == "a\n"


async def test_a_subagent_compacts_its_own_history(tmp_path: Path) -> None:
    """The compact tool of a subagent leaves the parent's history as it is."""
    summary = says("<summary>1. Pending work: none</summary>")
    turns = [says("A long story. " * 300) + calls("compact"), summary, says("Found.")]
    async with scenario(tmp_path, TASK, says("Done."), routes=[sub(*turns)]) as harness:
        await harness.turn("Go.")
        assert report(harness)["content"].startswith("Found.")
        assert harness.state.compactions == 0
        [archive] = harness.agent.session.log.path.with_suffix("").glob("task-001/archive-*.md")
        assert harness.state.is_own_file(archive)


async def test_after_a_kill_the_next_subagent_is_fresh(tmp_path: Path) -> None:
    """A log that a killed subagent left behind is not taken for the next one's."""
    slow = says("Old thoughts.") + calls("bash", command="sleep 30")
    logs: list[bytes] = []
    async with scenario(
        tmp_path, TASK, TASK, says("Done."), routes=[sub(slow, says("New."))], may_move=True
    ) as harness:

        def die() -> None:
            logs.append(harness.agent.session.log.path.read_bytes())
            asyncio.get_running_loop().call_soon(harness.interrupt)

        harness.once(
            lambda event: isinstance(event, FromSubagent) and isinstance(event.event, CallStarted), die
        )
        await harness.turn("Go.")
        await harness.resume(log=logs[0])
        assert (await harness.turn("Again.")).text == "Done."
        fresh = [request for request in harness.server.queries if is_subagents(request)][-1]
        assert "Old thoughts." not in json.dumps(fresh.body)
        assert len(list(harness.agent.session.log.path.with_suffix("").glob("task-*.jsonl"))) == 2


async def test_the_cost_limit_holds_for_subagents(tmp_path: Path) -> None:
    """A subagent may spend what the session has left, not more."""
    dear = calls("bash", command="true").having(usage={"input_tokens": 100_000, "output_tokens": 0})
    async with scenario(
        tmp_path, TASK, routes=[sub(always(dear))], config={"limits": Limits(max_cost_usd=0.5)}
    ) as harness:
        assert (await harness.turn("Go.")).reason == "limit"
        assert "--max-cost" in report(harness)["content"]
        assert harness.state.spent_usd < 0.9


async def test_the_cost_limit_is_one_for_all_that_run(tmp_path: Path) -> None:
    """What four spend side by side adds up: each ends at its next step, and so does the parent; what they said is kept."""
    dear = says("So far.") + calls("bash", command="true")
    dear = dear.having(usage={"input_tokens": 50_000, "output_tokens": 0})
    limits = Limits(max_cost_usd=0.5)
    four = ordered("Part A.", "Part B.", "Part C.", "Part D.")
    async with scenario(tmp_path, four, routes=[sub(always(dear))], config={"limits": limits}) as harness:
        assert (await harness.turn("Go.")).reason == "limit"
        results = [record["content"] for record in harness.log_records("result")]
        assert len(results) == 4
        assert all("--max-cost 0.5" in text for text in results)
        assert all("So far." in text for text in results)
        assert 0.5 <= harness.state.spent_usd < 0.5 + 4 * 0.1


async def test_a_job_lives_on_and_is_told(tmp_path: Path) -> None:
    """What a subagent started in the background is the session's: its result says so, /status lists it, its end ends it."""
    serve = calls("bash", command="sleep 300", run_in_background=True)
    async with scenario(tmp_path, TASK, says("Done."), routes=[sub(serve, says("It serves."))]) as harness:
        await harness.turn("Go.")
        [(pid, command)] = harness.agent.background().items()
        assert command == "sleep 300"
        told = f"(still running, also for you: pid {pid} `sleep 300` (output in .task_outputs/"
        assert told in report(harness)["content"]
        await harness.close()
        assert not Path(f"/proc/{pid}").exists()


class FaultyApprover(FakeApprover):
    """Has a bug."""

    async def ask(self, question: Question) -> Answer:
        """Fail."""
        raise RuntimeError(f"no answer for {question.agent}")


async def test_a_fault_of_ours_costs_the_subagent_only(tmp_path: Path) -> None:
    """Its call says so, with what was said and where the log is; cost is counted, the others and the parent go on."""
    two = ordered("Ask.", "Do not.")
    routes = [does("Ask.", says("I try.") + calls("bash", command="touch x")), does("Do not.", says("Well."))]
    async with scenario(
        tmp_path, two, says("Done."), routes=routes, mode="ask", approver=FaultyApprover(True)
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        results = {record["content"].split("\n")[0]: record for record in harness.log_records("result")}
        [bad, good] = sorted(results, key=lambda line: line == "Well.")
        assert bad == (
            "incomplete (a fault of this program ended it: RuntimeError) after 1 step; "
            "what the subagent said last:"
        )
        assert "\nI try.\n(log of the subagent: " in results[bad]["content"]
        assert results[bad]["is_error"]
        assert good == "Well."
        ends = [one for one in harness.log_records("subagent") if not one.get("is_open")]
        assert all(one["spent"]["usd"] > 0 for one in ends)
        assert harness.agent.subagents.running == {}
