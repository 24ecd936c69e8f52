"""The load_skill tool: the instructions of a skill from the catalog."""

import asyncio
import difflib

from tools.base import (
    Facts,
    Instructions,
    KnownFile,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    describe,
)
from tools.limits import LIST_CHARS, fit

KEY = "skill"
"""Stands in ``Facts.shown`` where a read has its range."""
MOST_NAMED = 30
CHANGED = "(It has changed on disk since you saw it last: this is the new text.)"
_SHOWN_NAME_CHARS = 60


class LoadSkillInput(ToolInput):
    """Input of the load_skill tool."""

    name: str


async def _run(input: LoadSkillInput, ctx: ToolContext) -> ToolResult:
    found = await _load(input.name, ctx)
    if not found.is_for_model:
        raise ToolError(
            f"The skill `{input.name}` is started by the user alone: tell them of `/{input.name}`."
        )
    path, sha256 = str(found.path), found.sha256
    facts = Facts(shown={"path": path, "sha256": sha256, "key": KEY}, note=_size(found.text))
    known = ctx.facts.known.get(path)
    is_news = known is not None and known["sha256"] != sha256
    if known is None or is_news:
        seen: KnownFile = {"sha256": sha256, "ranges": [], "is_whole": False, "lines": 0}
        facts["known"] = {path: seen}
    if earlier := ctx.facts.shown_before(path, sha256, KEY):
        facts["stub_of"], facts["note"] = earlier, "stands in the context already"
        stands = f"The skill `{input.name}` stands above already, and is unchanged: follow it there."
        return ToolResult(content=stands, facts=facts)
    told = f"{CHANGED}\n{found.text}" if is_news else found.text
    text, spill, marks = await fit(told, limit_chars=LIST_CHARS, tool_name="load_skill", ctx=ctx)
    if marks:
        facts["marks"] = marks
    return ToolResult(content=text, spill=spill, facts=facts)


def _size(text: str) -> str:
    lines = text.count("\n") + 1
    return f"{lines:,} {'line' if lines == 1 else 'lines'}"


async def _load(name: str, ctx: ToolContext) -> Instructions:
    try:
        return await asyncio.to_thread(ctx.services.skills.load, name)
    except KeyError as problem:
        raise ToolError(_unknown(name, ctx)) from problem
    except LookupError as problem:
        raise ToolError(
            f"The skill `{name}` cannot be loaded: {problem}. Tell the user, and go on without it."
        ) from problem


def _unknown(name: str, ctx: ToolContext) -> str:
    """Say which skills there are, those with a similar name first."""
    shown = name if len(name) <= _SHOWN_NAME_CHARS else f"{name[:_SHOWN_NAME_CHARS]}…"
    names = list(ctx.services.skills.names_for_model())
    near = difflib.get_close_matches(shown.casefold(), names, n=3)
    listed = [*near, *(one for one in names if one not in near)]
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    named = ", ".join(f"`{known}`" for known in listed[:MOST_NAMED])
    offered = f"The skills are: {named}{more}." if names else "There are no skills here."
    return f"There is no skill {shown!r}. {offered}"


LOAD_SKILL = Tool(
    name="load_skill",
    description=describe("load_skill"),
    input_model=LoadSkillInput,
    run=_run,
    is_read_only=True,
)
