"""The task tool: a piece of work given to a subagent, of which only the outcome comes back."""

from pydantic import Field

from tools.base import (
    Facts,
    Order,
    SubagentReport,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    describe,
)
from tools.limits import LIST_CHARS, fit

_ROOM_CHARS = 1_000
"""Kept free for the lines around the subagent's text."""


class TaskInput(ToolInput):
    """Input of the task tool."""

    description: str = Field(min_length=1, description="The work in 3 to 8 words, for the user")
    prompt: str = Field(min_length=1)
    agent_type: str | None = None


async def _run(input: TaskInput, ctx: ToolContext) -> ToolResult:
    if ctx.services.spawn is None:
        raise ToolError("A subagent cannot start subagents; do this work yourself.")
    report = await ctx.services.spawn(
        Order(
            call_id=ctx.call_id,
            description=input.description,
            prompt=input.prompt,
            agent_type=input.agent_type,
        )
    )
    problem = _problem(report)
    text, spill, marks = await fit(
        report.text, limit_chars=LIST_CHARS - _ROOM_CHARS, tool_name="task", ctx=ctx
    )
    opening = f"incomplete ({problem}); what the subagent said last:" if problem else ""
    if problem and not text.strip():
        opening = f"incomplete ({problem}); the subagent said nothing."
    lines = [opening, text.rstrip("\n"), f"(log of the subagent: {report.log})"]
    note = f"incomplete: {problem}" if problem else _first_line(report.text)
    facts = Facts(note=note, work=report.work)
    if marks:
        facts["marks"] = marks
    return ToolResult(
        content="\n".join(line for line in lines if line.strip()),
        is_error=bool(problem),
        spill=spill,
        facts=facts,
    )


def _problem(report: SubagentReport) -> str:
    if report.problem or report.text.strip():
        return report.problem
    return "it ended without an answer"


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0][:100]


TASK = Tool(name="task", description=describe("task"), input_model=TaskInput, run=_run)
