"""All tools by name: their schemas, checking a call, running it so that nothing escapes."""

import logging
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tools.base import (
    Content,
    Facts,
    NotRun,
    PreparedCall,
    ResolvedPath,
    SessionFacts,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
)
from tools.bash import BASH
from tools.compact import COMPACT
from tools.complaints import explain_input
from tools.edit import EDIT
from tools.glob import GLOB
from tools.jobs import look
from tools.left_out import without_nulls
from tools.limits import find_marks
from tools.load_skill import LOAD_SKILL
from tools.meant import meant
from tools.paths import refuse_moved, resolve
from tools.read import READ
from tools.schemas import input_schema
from tools.task import TASK
from tools.todo_write import TODO_WRITE
from tools.told import fitting
from tools.write import WRITE

_NOTHING = "(no output)"
_BUG_CHARS = 500
_logger = logging.getLogger(__name__)


def default_tools() -> list[Tool]:
    """Return all tools, in the order in which the model is told of them."""
    return [BASH, READ, WRITE, EDIT, GLOB, TODO_WRITE, TASK, LOAD_SKILL, COMPACT]


class ToolRegistry:
    """The tools of one agent, in the order in which the model is told of them."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tools in wire form; the same bytes for the same tools, and no word of one that is not among them."""
        missing = {tool.name for tool in default_tools()} - set(self._tools)
        return [
            {
                "name": tool.name,
                "description": fitting(tool.description, missing),
                "input_schema": input_schema(tool.input_model),
            }
            for tool in self._tools.values()
        ]

    def prepare(self, name: str, input: Any, *, facts: SessionFacts, project: Path) -> PreparedCall:
        """Validate the input of a call and resolve its paths.

        Raises:    ToolError: unknown tool, invalid input, unusable path, or one of our own marks in the input
        of a tool that changes something; the text says what to do next.
        """
        tool = self._find(name)
        try:
            checked = tool.input_model.model_validate(without_nulls(input, tool.input_model))
        except ValidationError as problem:
            raise ToolError(explain_input(tool, input, problem=problem)) from problem
        if not tool.is_read_only:
            _refuse_own_marks(tool, checked, facts=facts)
        paths = {
            field: _resolve_field(
                getattr(checked, field), tool=tool, field=field, facts=facts, project=project
            )
            for field in tool.path_fields
        }
        return PreparedCall(tool=tool, input=checked, paths=paths)

    def is_read_only(self, name: str) -> bool:
        """True for a known tool that changes nothing: adjacent calls of such may run side by side."""
        return name in self._tools and self._tools[name].is_read_only

    async def run(self, prepared: PreparedCall, ctx: ToolContext) -> ToolResult:
        """Run a prepared call. Whatever goes wrong becomes an is_error result; only a cancellation gets out.

        The content is never blank and always encodes as UTF-8.
        """
        try:
            look(ctx.services.jobs)  # reaps what has ended since, and brings their logs back if they are gone
            for path in prepared.paths.values():
                refuse_moved(path)
            return _presentable(await prepared.tool.run(prepared.input, ctx))
        except ToolError as problem:
            facts = Facts(not_run=True) if isinstance(problem, NotRun) else Facts()
            return _presentable(ToolResult(content=str(problem), is_error=True, facts=facts))
        except (Exception, SystemExit) as problem:  # a tool's bug costs its call, not the session
            _logger.debug("tool `%s` failed", prepared.tool.name, exc_info=True)
            text = f"`{prepared.tool.name}` failed unexpectedly: {_bug(problem)}"
            return _presentable(ToolResult(content=text, is_error=True))

    def _find(self, name: str) -> Tool:
        if name in self._tools:
            return self._tools[name]
        hint = f" {likely}" if (likely := meant(name, tuple(self._tools))) else ""
        raise ToolError(f"There is no tool `{name}`.{hint} Use one of: {', '.join(self._tools)}.")


def _bug(problem: BaseException) -> str:
    """Return what went wrong as one line."""
    said = traceback.format_exception_only(problem)[-1]  # it copes with an exception that cannot be printed
    line = " ".join(said.split())
    return line if len(line) <= _BUG_CHARS else f"{line[:_BUG_CHARS]}…"


def _resolve_field(
    raw: str | None, *, tool: Tool, field: str, facts: SessionFacts, project: Path
) -> ResolvedPath:
    return resolve(
        raw or ".",
        access=tool.path_fields[field],
        project=project,
        base=None,
        is_own_file=facts.is_own_file,
    )


def _refuse_own_marks(tool: Tool, checked: ToolInput, *, facts: SessionFacts) -> None:
    """Refuse an input that copies a line which stands for text left out: it would stand in a file for ever."""
    for text in _texts(checked.model_dump()):
        for mark in find_marks(text):
            if facts.is_own_mark(mark):
                raise ToolError(
                    f"The input holds the placeholder line `[[… {mark} …]]`, which stands for text left out of your"
                    f" view. `{tool.name}` was not run. Read the full text at the path in that line, then call again"
                    " with the real text in its place."
                )


def _texts(value: Any) -> list[str]:
    """Return every string inside a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _texts(item)]
    return []


def _presentable(result: ToolResult) -> ToolResult:
    """Return ``result`` with content that the API takes: not blank, no lone surrogate."""
    return replace(result, content=_presentable_content(result.content))


def _presentable_content(content: Content) -> Content:
    if isinstance(content, str):
        return _presentable_text(content)
    blocks = [
        {**block, "text": _presentable_text(block["text"])} if block["type"] == "text" else block
        for block in content
        if block["type"] != "text" or block["text"].strip()
    ]
    return blocks or _NOTHING


def _presentable_text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode() if text.strip() else _NOTHING
