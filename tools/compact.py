"""The compact tool: the model asks for the history to be summarised."""

from tools.base import Facts, Tool, ToolContext, ToolInput, ToolResult, describe


class CompactInput(ToolInput):
    """Input of the compact tool."""

    focus: str = ""


async def _run(input: CompactInput, ctx: ToolContext) -> ToolResult:
    return ToolResult(
        content="The history will be summarised after this batch.",
        facts=Facts(compact=input.focus.strip(), note="asked for"),
    )


COMPACT = Tool(name="compact", description=describe("compact"), input_model=CompactInput, run=_run)
