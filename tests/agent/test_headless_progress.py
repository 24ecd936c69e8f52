"""Plain lines about a turn: one a call, one an answer, one a compaction."""

from typing import Any, cast

import pytest

from agent.api.reply_block import TextDelta
from agent.events import (
    CallFinished,
    CallStarted,
    Compacted,
    Event,
    FromSubagent,
    ReplyReceived,
    StepStarted,
)
from agent.progress import Progress, about_call, thousands
from compaction.messages import ToolResultBlock, ToolUseBlock, text, tool_result


def lines(*events: Event) -> list[str]:
    now = iter(range(100))
    progress = Progress(lambda: float(next(now)))
    return [line for event in events for line in progress.lines(event)]


def bash(command: str = "pytest -q") -> ToolUseBlock:
    return {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": command}}


def finished(
    call: ToolUseBlock, content: Any = "ok", *, is_error: bool = False, **facts: Any
) -> CallFinished:
    result = {"type": "tool_result", "tool_use_id": "a", "content": content, "is_error": is_error}
    return CallFinished(call=call, result=cast("ToolResultBlock", result), facts=facts)


def reply(*content: Any) -> ReplyReceived:
    return ReplyReceived(message_id="", model="", content=content, stop_reason="", usage={}, size=58_300)


STEP = StepStarted(step=3, size=1, is_estimate=False)


def test_a_call_is_one_line() -> None:
    """What ran, how it ended, how long it took, how large the context is."""
    call = bash()
    found = lines(STEP, TextDelta(text="x"), reply(call), CallStarted(call=call), finished(call, exit_code=1))
    assert found == ["step 3 · bash pytest -q · exit 1 · 1.0 s · context 58.3k"]


def test_an_answer_is_one_line() -> None:
    """A reply without calls."""
    assert lines(STEP, reply(text("hi"))) == ["step 3 · answer · 1.0 s · context 58.3k"]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (finished(bash(), note="212 lines"), "step 0 · bash pytest -q · 212 lines"),
        (
            finished(bash(), "Refused: no\nmore", is_error=True),
            "step 0 · bash pytest -q · failed: Refused: no",
        ),
        (finished(bash(), [{"type": "text"}], is_error=True), "step 0 · bash pytest -q · failed"),
        (finished(bash("echo\nrm x")), "step 0 · bash echo"),
        (finished(bash("x" * 100)), f"step 0 · bash {'x' * 79}…"),
    ],
)
def test_outcomes_are_short(event: CallFinished, line: str) -> None:
    """One line of at most so many characters, whatever came of it; never started, it took no time."""
    assert lines(event) == [line]


def test_a_subagent_is_named() -> None:
    """Its steps are counted apart."""
    inner = [
        FromSubagent(agent="task-001", call="t1", work={}, event=event) for event in (STEP, reply(text("hi")))
    ]
    assert lines(StepStarted(step=9, size=1, is_estimate=False), *inner) == [
        "task-001 · step 3 · answer · 1.0 s · context 58.3k"
    ]


def test_a_subagent_begins_and_ends() -> None:
    """What it is for, before its first line; steps and cost at its end, as far as the price is known."""
    task: ToolUseBlock = {
        "type": "tool_use",
        "id": "t1",
        "name": "task",
        "input": {"description": "look", "prompt": "Look around."},
    }
    work = {"steps": 3, "size": 900, "usd": 0.041, "is_known": False}
    result = tool_result("t1", "Seen.")
    told = lines(
        CallStarted(call=task),
        FromSubagent(agent="task-001", call="t1", work=work, event=STEP),
        FromSubagent(agent="task-001", call="t1", work=work, event=reply(text("hi"))),
        CallFinished(call=task, result=result, facts={"note": "Seen.", "work": work}),
    )
    assert told == [
        "task-001 · begins · look",
        "task-001 · step 3 · answer · 1.0 s · context 58.3k",
        "step 0 · task look · 3 steps · $0.04+? · Seen. · 3.0 s",
    ]


def test_a_compaction_tells_its_sizes() -> None:
    """And where the archive is, if there is one."""
    receipt = {"layer": "summary", "before": 92_100, "after": 950, "archive": "a.md"}
    assert lines(Compacted(record={"receipt": receipt})) == [
        "compacted · summary · 92.1k → 950 · archive a.md"
    ]


def test_what_a_call_is_about() -> None:
    """The first field that says it; nothing when none does."""
    assert about_call({"old_string": "x", "file_path": "a.py"}) == "a.py"
    assert about_call({"todos": []}) == ""
    assert thousands(999) == "999"
