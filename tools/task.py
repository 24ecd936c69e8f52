"""The task tool: a piece of work given to a subagent, of which only the outcome comes back."""

import time
from collections.abc import Sequence

from pydantic import Field

from tools.base import Facts, NotRun, Tool, ToolContext, ToolInput, ToolResult, describe
from tools.limits import LIST_CHARS, fit
from tools.orders import Order, SubagentReport

_ROOM_CHARS = 3_000
"""Kept free for the lines around the subagent's text."""
_NOTE_CHARS = 200
"""Of the answer's first line, for the card."""
_LISTED_CHARS = 600
"""Of a list in one of these lines."""


class TaskInput(ToolInput):
    """Input of the task tool."""

    description: str = Field(min_length=1, description="The work in 3 to 8 words, for the user")
    prompt: str = Field(min_length=1)
    agent_type: str | None = None


async def _run(input: TaskInput, ctx: ToolContext) -> ToolResult:
    if ctx.services.spawn is None:
        raise NotRun("A subagent cannot start subagents; do this work yourself.")
    began = time.monotonic()
    report = await ctx.services.spawn(
        Order(
            call_id=ctx.call_id,
            description=input.description,
            prompt=input.prompt,
            agent_type=input.agent_type,
        )
    )
    text, spill, marks = await fit(
        report.text, limit_chars=LIST_CHARS - _ROOM_CHARS, tool_name="task", ctx=ctx
    )
    facts = facts_of(report)
    facts["duration_s"] = time.monotonic() - began
    if marks:
        facts["marks"] = marks
    return ToolResult(content=told(report, text), is_error=bool(problem_of(report)), spill=spill, facts=facts)


def facts_of(report: SubagentReport) -> Facts:
    """Return what the screen shows of a report."""
    problem = problem_of(report)
    return Facts(note=f"incomplete: {problem}" if problem else _first_line(report.text), work=report.work)


def problem_of(report: SubagentReport) -> str:
    """Return why a subagent did not finish; empty when it did."""
    return report.problem or ("" if report.text.strip() else "it ended without an answer")


def told(report: SubagentReport, text: str) -> str:
    """Return what the model is told of a subagent; ``text``: what of the report's text is to stand there."""
    problem = problem_of(report)
    lines = [_opening(report, problem), text.rstrip("\n")]
    lines += [
        _listed("it changed", report.files, ", "),
        _listed("done so far, the newest first", report.done if problem else (), "; "),
        _listed("still open on its list", report.todos, "; "),
    ]
    lines += [
        _listed("still running, also for you", report.jobs, "; "),
        f"(log of the subagent: {report.log})",
    ]
    return "\n".join(line for line in lines if line.strip())


def _opening(report: SubagentReport, problem: str) -> str:
    if not problem:
        return ""
    steps = report.work["steps"]
    after = f" after {steps} step{'s' if steps != 1 else ''}" if steps else ""
    said = "what the subagent said last:" if report.text.strip() else "the subagent said nothing."
    return f"incomplete ({problem}){after}; {said}"


def _listed(what: str, items: Sequence[str], between: str) -> str:
    """Return ``items`` in one line of a bounded length; empty where there are none."""
    if not items:
        return ""
    shown, chars = list[str](), 0
    for item in items:
        flat = " ".join(item.split())
        if chars + len(flat) > _LISTED_CHARS:
            break
        shown.append(flat)
        chars += len(flat)
    left = len(items) - len(shown)
    return f"({what}: {between.join([*shown, *([f'{left} more'] if left else [])])})"


def _first_line(text: str) -> str:
    """Return the first line with words in it; a heading only where there is nothing else."""
    lines = [line.strip() for line in text.split("\n") if any(map(str.isalnum, line))]
    plain = [line for line in lines if not line.startswith("#")]
    return next(iter([*plain, *lines, text.strip()]))[:_NOTE_CHARS]


TASK = Tool(name="task", description=describe("task"), input_model=TaskInput, run=_run)
