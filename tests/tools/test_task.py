"""The task tool: what comes back of a subagent."""

from pathlib import Path

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.base import ToolError
from tools.orders import Order, SubagentReport, Work
from tools.task import TASK

WORK = Work(steps=3, size=9_000, usd=0.02, is_known=True)


def bench_with(tmp_path: Path, report: SubagentReport, asked: list[tuple[str, str, str | None]]) -> Bench:
    async def spawn(order: Order) -> SubagentReport:
        asked.append((order.description, order.prompt, order.agent_type))
        if order.agent_type == "unknown":
            raise ToolError("There is no agent type `unknown`.")
        return report

    return make_bench(tmp_path, spawn=spawn)


def report(text: str, problem: str = "") -> SubagentReport:
    return SubagentReport(text=text, log=".transcripts/s/task-001.jsonl", work=WORK, problem=problem)


async def test_the_final_text_and_the_log_come_back(tmp_path: Path) -> None:
    """Nothing else of the subagent's work is in the result."""
    asked: list[tuple[str, str, str | None]] = []
    bench = bench_with(tmp_path, report("It is in a.py.\nLine 3.\n"), asked)

    result = await bench.call(TASK, description="find it", prompt="where?", agent_type="explore")

    expected = "It is in a.py.\nLine 3.\n(log of the subagent: .transcripts/s/task-001.jsonl)"
    assert (text_of(result), result.is_error) == (expected, False)
    assert asked == [("find it", "where?", "explore")]
    assert result.facts["note"] == "It is in a.py."
    assert result.facts["work"] == WORK


@pytest.mark.parametrize(
    ("text", "problem", "words"),
    [
        pytest.param(
            "The three bugs are: 1.",
            "cut at the output limit",
            "incomplete (cut at the output limit) after 3 steps; what the subagent said last:\nThe three bugs are: 1.",
            id="a",
        ),
        pytest.param(
            " ",
            "",
            "incomplete (it ended without an answer) after 3 steps; the subagent said nothing.",
            id="b",
        ),
        pytest.param(
            "",
            "the API failed",
            "incomplete (the API failed) after 3 steps; the subagent said nothing.",
            id="c",
        ),
        pytest.param(
            "so far",
            "50 steps",
            "incomplete (50 steps) after 3 steps; what the subagent said last:\nso far",
            id="d",
        ),
    ],
)
async def test_f27_what_did_not_finish_is_said(tmp_path: Path, text: str, problem: str, words: str) -> None:
    """An error that names the reason, with whatever text there was."""
    bench = bench_with(tmp_path, report(text, problem), [])

    result = await bench.call(TASK, description="d", prompt="p")

    assert result.is_error
    assert text_of(result) == f"{words}\n(log of the subagent: .transcripts/s/task-001.jsonl)"
    assert result.facts["note"].startswith("incomplete: ")


async def test_what_was_done_is_told(tmp_path: Path) -> None:
    """Files, open todos and what still runs stand in a line each, also behind a whole answer; long lists are counted."""
    done = SubagentReport(
        text="Done.",
        log="l.jsonl",
        work=WORK,
        files=[f"src/{number:03d}.py" for number in range(200)],
        todos=["write\nthe tests"],
        jobs=["pid 7 `serve` (output in o.log)"],
    )
    result = await bench_with(tmp_path, done, []).call(TASK, description="d", prompt="p")
    assert not result.is_error
    text, files, todos, jobs, log = text_of(result).split("\n")
    assert (text, log) == ("Done.", "(log of the subagent: l.jsonl)")
    assert files.startswith("(it changed: src/000.py, src/001.py, ")
    assert files.endswith(", 140 more)")
    assert todos == "(still open on its list: write the tests)"
    assert jobs == "(still running, also for you: pid 7 `serve` (output in o.log))"


async def test_what_was_done_so_far_is_told_of_an_incomplete_one(tmp_path: Path) -> None:
    """So that its parent need not begin again; a whole answer says itself what is worth knowing."""
    done = ["ran make: exit code 2 (step 2)", "read a.py 1-9 (step 1)"]
    broken = SubagentReport(text="", log="l.jsonl", work=WORK, problem="the API failed", done=done)
    told = text_of(await bench_with(tmp_path, broken, []).call(TASK, description="d", prompt="p"))
    assert told.split("\n")[1:] == [
        "(done so far, the newest first: ran make: exit code 2 (step 2); read a.py 1-9 (step 1))",
        "(log of the subagent: l.jsonl)",
    ]
    whole = SubagentReport(text="Yes.", log="l.jsonl", work=WORK, done=done)
    told = text_of(await bench_with(tmp_path, whole, []).call(TASK, description="d", prompt="p"))
    assert "done so far" not in told


async def test_a_long_answer_is_spilled(tmp_path: Path) -> None:
    """The result keeps the limit, the whole text is on disk, the log is still named last."""
    text = "word " * 10_000
    bench = bench_with(tmp_path, report(text), [])

    result = await bench.call(TASK, description="d", prompt="p")

    assert len(text_of(result)) <= 30_000
    assert result.spill is not None
    assert (bench.project / result.spill.path).read_text() == text
    assert text_of(result).endswith("(log of the subagent: .transcripts/s/task-001.jsonl)")
    assert result.facts["marks"]


async def test_f26_a_subagent_starts_no_subagents(tmp_path: Path) -> None:
    """Without spawn the refusal can be read and acted on."""
    result = await make_bench(tmp_path).call(TASK, description="d", prompt="p")

    assert result.is_error
    assert "do this work yourself" in text_of(result)


@pytest.mark.parametrize(
    "arguments",
    [
        {"description": "d", "prompt": "p", "agent_type": "unknown"},
        {"description": "d", "prompt": ""},
        {"description": "d"},
    ],
)
async def test_a_wrong_order_is_refused(tmp_path: Path, arguments: dict[str, str]) -> None:
    """Unknown types and empty orders come back as errors."""
    result = await bench_with(tmp_path, report("x"), []).call(TASK, **arguments)

    assert result.is_error
