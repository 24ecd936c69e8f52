"""The calls of one reply: cut into runs, side by side where that is safe, one result each in call order."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.calls.approval import Answer, Question
from agent.calls.batch import MAX_READS, cut_into_runs
from agent.events import CallFinished, CallProgress, CallStarted, Event
from agent.hooking.words import marked
from agent.journal import append_reply
from compaction.messages import ToolUseBlock
from hooks.events import Outcome, PostToolUse, PreToolUse
from tests.support.agent import FakeApprover, scenario
from tests.support.batch import Bench, bench, call, reply_of


async def test_reads_side_by_side(tmp_path: Path) -> None:
    """Adjacent reads overlap; the results stand in call order although the last one ended first."""
    async with bench(tmp_path) as it:
        results = await it.run(call("look", 1, turns=30), call("look", 2, turns=10), call("look", 3, turns=1))
        assert it.ended == ["call_3", "call_2", "call_1"]
        assert [result["call"] for result in results] == ["call_1", "call_2", "call_3"]
        assert it.beside["call_1"] == {"call_1", "call_2", "call_3"}


async def test_every_other_call_alone(tmp_path: Path) -> None:
    """What changes something runs alone, behind what stands before it and before what stands behind it."""
    async with bench(tmp_path) as it:
        names = ["look", "look", "change", "change", "look", "task", "task", "look"]
        await it.run(*(call(name, number, turns=5) for number, name in enumerate(names)))
        assert it.beside == {
            **{f"call_{number}": {f"call_{number}"} for number in (2, 3, 4, 7)},
            **{f"call_{number}": {"call_0", "call_1"} for number in (0, 1)},
            **{f"call_{number}": {"call_5", "call_6"} for number in (5, 6)},
        }
        assert sorted(it.ended[:2]) + it.ended[2:5] == [f"call_{number}" for number in range(5)]


@pytest.mark.parametrize(("name", "most"), [("look", MAX_READS), ("task", 4)])
async def test_at_most_so_many(tmp_path: Path, name: str, most: int) -> None:
    """Eight reads at a time, four subagents."""
    async with bench(tmp_path) as it:
        results = await it.run(*(call(name, number, turns=3) for number in range(20)))
        assert it.most_running == most
        assert [result["content"] for result in results] == [f"call_{number} done" for number in range(20)]


@given(st.lists(st.sampled_from(["look", "glance", "task", "change", "other"])))
def test_runs_keep_order_and_kind(names: list[str]) -> None:
    """Runs, joined, are the calls in order; none could be joined with the one before it."""
    reads = {"look", "glance"}

    def kind(name: str) -> str:
        return "read" if name in reads else "task" if name == "task" else ""

    calls = [call(name, number) for number, name in enumerate(names)]
    runs = cut_into_runs(calls, reads.__contains__)
    assert [one for run in runs for one in run] == calls
    kinds = [{kind(one["name"]) for one in run} for run in runs]
    assert all(len(one) == 1 for one in kinds)
    assert all(len(run) == 1 for run, one in zip(runs, kinds, strict=True) if one == {""})
    assert not any(before == after != {""} for before, after in pairwise(kinds))


async def test_one_result_whatever_happens(tmp_path: Path) -> None:
    """Unknown, wrong, malformed, refused and failed calls are answered in their places; the others run."""

    def refuse(event: PreToolUse) -> Outcome | None:
        return Outcome(decision="deny", reason="not today") if event.call_id == "call_4" else None

    async with bench(tmp_path, hooks=[(PreToolUse, refuse)]) as it:
        results = await it.run(
            call("nothing", 1),
            call("look", 2, turns="many"),
            call("look", 3),
            call("change", 4),
            call("change", 5, fails=True),
            call("look", 6),
            malformed={"call_3": "{,}" + "x" * 500},
        )
        starts = (
            "There is no tool",
            "",
            "Not run: the arguments",
            "Refused: not today",
            "it failed",
            "call_6 done",
        )
        for result, start in zip(results, starts, strict=True):
            assert result["content"].startswith(start)
        assert [result["is_error"] for result in results] == [True] * 5 + [False]
        assert "x" * 300 not in results[2]["content"]
        assert it.batch.has_run
        started = [record["call"] for record in it.harness.log_records("call")]
        assert started == ["call_5", "call_6"]


async def test_nothing_could_be_run(tmp_path: Path) -> None:
    """The batch says so, and forgets it with the next reply."""
    async with bench(tmp_path) as it:
        await it.run(call("nothing", 1))
        assert not it.batch.has_run
        await it.run(call("look", 2))
        assert it.batch.has_run


async def test_events_of_a_call(tmp_path: Path) -> None:
    """Started, live output, finished; the log has `call` before the tool starts and `result` when it ended."""
    async with bench(tmp_path) as it:
        seen: list[str] = []
        it.harness.once(CallStarted, lambda: seen.extend(r["type"] for r in it.harness.log_records()))
        await it.run(call("look", 1))
        kinds = [type(event) for event in it.harness.events]
        assert kinds == [CallStarted, CallProgress, CallFinished]
        assert seen[-1] == "call"
        finished = it.harness.of(CallFinished)[0]
        assert finished.result == {"type": "tool_result", "tool_use_id": "call_1", "content": "call_1 done"}


async def test_a_hook_rewrites_the_input(tmp_path: Path) -> None:
    """The rewritten input is validated, judged and run; the log and the result say what it was; the reply stays as it came."""

    def rewrite(event: PreToolUse) -> Outcome:
        return Outcome(updated_input={"turns": 7 if event.call_id == "call_1" else "seven"})

    async with bench(tmp_path, hooks=[(PreToolUse, rewrite)]) as it:
        good, bad = await it.run(call("change", 1), call("change", 2))
        assert good["content"] == "[a hook changed `turns` before this ran, to: 7]\ncall_1 done"
        assert bad["is_error"]
        assert "turns" in bad["content"]
        [record] = it.harness.log_records("call")
        assert record["input"]["turns"] == 7


async def test_permission_judges_the_final_input(tmp_path: Path) -> None:
    """A hook cannot rewrite a call past a deny rule, nor into another path than the one that is judged."""

    def rewrite(event: PreToolUse) -> Outcome:
        return Outcome(updated_input={**event.tool_input, "file_path": "secret/b.txt"})

    async with scenario(
        tmp_path,
        mode="bypass",
        rules={"deny": ["edit(secret/**)"]},
        hooks=[(PreToolUse, rewrite)],
    ) as harness:
        reply = reply_of(call("write", 1, file_path="a.txt", content="x"))
        append_reply(harness.agent.session, reply)
        [record] = await harness.agent.loop._parts.batch.run(reply)
        result = harness.state.calls.results[record]
        harness.agent.session.answer([record])
        assert "denied by the rule `edit(secret/**)`" in result["content"]
        assert not list(harness.project.glob("**/*.txt"))


async def test_what_hooks_add_is_given_once(tmp_path: Path) -> None:
    """Contexts of both hooks and an objection after the call, with the call's name; then nothing more."""

    def before(event: PreToolUse) -> Outcome:
        return Outcome(contexts=("mind the gap",))

    def after(event: PostToolUse) -> Outcome:
        assert (event.tool_name, event.tool_response) == ("look", "call_1 done")
        return Outcome(decision="deny", reason="not formatted", notices=("a line",))

    async with bench(tmp_path, hooks=[(PreToolUse, before), (PostToolUse, after)]) as it:
        await it.run(call("look", 1))
        assert it.batch.take_contexts() == [
            marked("mind the gap", "PreToolUse", about="look call_1"),
            marked("It objects: not formatted", "PostToolUse", about="look call_1"),
        ]
        assert it.batch.take_contexts() == []
        assert "a line" in str(it.harness.events)


async def test_questions(tmp_path: Path) -> None:
    """The user's yes runs the call, a no goes to the model with its reason; the rule to add is named."""
    approver = FakeApprover(True, Answer(is_allowed=False, reason="too dangerous"), False)
    async with bench(tmp_path, mode="ask", approver=approver) as it:
        results = await it.run(call("change", 1), call("change", 2), call("change", 3))
        assert [result["content"] for result in results] == [
            "call_1 done",
            "Refused: too dangerous",
            "Refused: the user said no",
        ]
        assert {(question.rule, question.agent) for question in approver.questions} == {("change", "")}


async def test_questions_come_one_at_a_time(tmp_path: Path) -> None:
    """Calls side by side that must ask queue up, whoever asks."""
    approver = FakeApprover(True)

    def ask(event: PreToolUse) -> Outcome:
        return Outcome(decision="ask", reason="sure?")

    async with bench(tmp_path, mode="ask", approver=approver, hooks=[(PreToolUse, ask)]) as it:
        await it.run(*(call("look", number) for number in range(5)))
        assert len(approver.questions) == 5
        assert approver.most_open == 1


async def test_questions_wait_in_call_order(tmp_path: Path) -> None:
    """However long a hook takes for each; those that wait are counted."""
    waiting: list[int] = []

    class Counting(FakeApprover):
        async def ask(self, question: Question) -> Answer:
            await asyncio.sleep(0.2)
            waiting.append(question.waiting())
            return await super().ask(question)

    async def ask(event: PreToolUse) -> Outcome:
        await asyncio.sleep({"call_0": 0.0, "call_1": 0.09, "call_2": 0.06, "call_3": 0.03}[event.call_id])
        return Outcome(decision="ask", reason="sure?")

    approver = Counting(True)
    async with bench(tmp_path, mode="ask", approver=approver, hooks=[(PreToolUse, ask)]) as it:
        await it.run(*(call("look", number) for number in range(4)))
        assert [question.call["id"] for question in approver.questions] == [f"call_{n}" for n in range(4)]
        assert waiting == [3, 2, 1, 0]


async def test_an_always_settles_the_waiting_ones(tmp_path: Path) -> None:
    """A rule that an answer made is applied to the questions behind it."""

    class Always(FakeApprover):
        async def ask(self, question: Question) -> Answer:
            harness.shared.permission.allow_always(question.rule)
            return await super().ask(question)

    approver = Always(True)
    three = reply_of(*(call("read", number, file_path="../outside.txt") for number in range(3)))
    async with scenario(tmp_path, mode="ask", approver=approver) as harness:
        (harness.project.parent / "outside.txt").write_text("far away\n")
        append_reply(harness.agent.session, three)
        records = await harness.agent.loop._parts.batch.run(three)
        assert not any(harness.state.calls.results[record]["is_error"] for record in records)
        harness.agent.session.answer(records)
        assert len(approver.questions) == 1


async def cancelled_at(it: Bench, wanted: type[Event], *calls: ToolUseBlock) -> list[str]:
    """Cancel the batch at an event; return the contents of the results."""
    reply = reply_of(*calls)
    append_reply(it.session, reply)
    work = asyncio.ensure_future(it.batch.run(reply))
    it.harness.once(wanted, work.cancel)
    records = await work
    contents = [it.session.state.calls.results[record]["content"] for record in records]
    it.session.answer(records)
    return contents


async def test_cancelled(tmp_path: Path) -> None:
    """It returns as usual: done results stand, the running ones say so, the others were not run."""
    async with bench(tmp_path) as it:
        one, two, three = await cancelled_at(
            it, CallFinished, call("look", 1), call("look", 2, turns=10_000), call("change", 3)
        )
        assert one == "call_1 done"
        assert two.startswith("Interrupted")
        assert three.startswith("Not run")
        assert it.running == []


async def test_cancelled_before_the_calls_begin(tmp_path: Path) -> None:
    """A cancellation that comes before their first step answers them all the same."""
    async with bench(tmp_path) as it:
        reply = reply_of(call("look", 1), call("look", 2))
        append_reply(it.session, reply)
        work = asyncio.ensure_future(it.batch.run(reply))
        asyncio.get_running_loop().call_soon(work.cancel)
        records = await work
        it.session.answer(records)
        assert len(records) == 2
        assert it.ended == []
