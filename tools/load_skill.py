"""The load_skill tool: the instructions of a skill from the catalog."""

from tools.base import Facts, Tool, ToolContext, ToolError, ToolInput, ToolResult, describe
from tools.limits import LIST_CHARS, fit

_SHOWN_NAME_CHARS = 60


class LoadSkillInput(ToolInput):
    """Input of the load_skill tool."""

    name: str


async def _run(input: LoadSkillInput, ctx: ToolContext) -> ToolResult:
    try:
        body = ctx.services.skills.body(input.name)
    except KeyError as problem:
        raise ToolError(_unknown(input.name, ctx)) from problem
    text, spill, marks = await fit(body, limit_chars=LIST_CHARS, tool_name="load_skill", ctx=ctx)
    facts = Facts(note=input.name)
    if marks:
        facts["marks"] = marks
    return ToolResult(content=text, spill=spill, facts=facts)


def _unknown(name: str, ctx: ToolContext) -> str:
    shown = name if len(name) <= _SHOWN_NAME_CHARS else f"{name[:_SHOWN_NAME_CHARS]}…"
    names = ", ".join(f"`{known}`" for known in ctx.services.skills.names())
    offered = f"The skills are: {names}." if names else "There are no skills here."
    return f"There is no skill {shown!r}. {offered}"


LOAD_SKILL = Tool(
    name="load_skill",
    description=describe("load_skill"),
    input_model=LoadSkillInput,
    run=_run,
    is_read_only=True,
)
