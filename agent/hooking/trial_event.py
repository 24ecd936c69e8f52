"""An event that did not happen, made of the words of a command line, for hooks to be tried with."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agent.calls.admission import as_json, uses_of
from agent.errors import UsageError
from agent.session.replay import empty_state
from hooks.commands.config import EVENTS
from hooks.commands.spelling import input_here, tool_named
from hooks.events import (
    HookEvent,
    Notification,
    PostCompact,
    PostToolUse,
    PostToolUseFailure,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStop,
    UserPromptSubmit,
)
from tools.base import ToolError
from tools.registry import ToolRegistry, default_tools

_NOT_RUN = "(a trial: the tool did not run)"
_CALLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
_Fields = Mapping[str, tuple[str, Any]]
_STOP: _Fields = {
    "last_assistant_message": ("last_text", "Done."),
    "stop_hook_active": ("stop_hook_active", False),
}
_OTHERS: Mapping[str, tuple[Callable[..., HookEvent], _Fields]] = {
    "SessionStart": (SessionStart, {"source": ("source", "startup")}),
    "UserPromptSubmit": (UserPromptSubmit, {"prompt": ("prompt", "Fix the failing test.")}),
    "PreCompact": (PreCompact, {"trigger": ("trigger", "auto"), "custom_instructions": ("focus", "")}),
    "PostCompact": (
        PostCompact,
        {"trigger": ("trigger", "auto"), "compact_summary": ("summary", "A summary.")},
    ),
    "SubagentStop": (
        SubagentStop,
        {"agent_id": ("agent", "task-001"), "agent_type": ("agent_type", "general"), **_STOP},
    ),
    "Notification": (
        Notification,
        {
            "message": ("message", "permission is needed to use Bash"),
            "title": ("title", "Permission needed"),
            "notification_type": ("kind", "permission_prompt"),
        },
    ),
    "Stop": (Stop, _STOP),
    "SessionEnd": (SessionEnd, {"reason": ("reason", "prompt_input_exit")}),
}
"""Event -> its type, and what of it can be given: the name that hooks are told -> ours, and what stands there else."""


def event_of(name: str, tool: str, input: str, project: Path) -> HookEvent:
    """Return the event ``name``; about a call of ``tool``, or empty; ``input``: JSON, of the call or with its own fields.

    The input of a call is spelled as the tool is: `bash` takes ours, `Bash` that of hooks. Raises UsageError.
    """
    known = next((event for event in EVENTS if event.casefold() == name.casefold()), None)
    if known is None:
        raise UsageError(f"there is no event `{name}`; there are {', '.join(EVENTS)}")
    given = _object(input)
    if known in _CALLS and not tool:
        raise UsageError(f"{known} is about a call: name the tool, as `--tool bash`")
    if known in _CALLS:
        ours = tool_named(tool)
        sent = given if tool == ours else input_here(ours, given, input={}, paths=())
        try:
            return call_event(known, ours, sent, project)
        except ToolError as problem:
            raise UsageError(f"--input: {' '.join(str(problem).split())}") from problem
    if tool:
        raise UsageError(f"--tool goes with the events of a call ({', '.join(_CALLS)}), not with {known}")
    return _other_event(known, given)


def call_event(name: str, tool: str, input: Mapping[str, Any], project: Path) -> HookEvent:
    """Return the event of a call of ``tool``, checked and with its paths resolved as before it runs. Raises ToolError."""
    state = empty_state(project, count=lambda _: 0, price=lambda _, __: None)
    prepared = ToolRegistry(default_tools()).prepare(tool, dict(input), facts=state, project=project)
    about: dict[str, Any] = {
        "tool_name": tool,
        "tool_input": as_json(prepared),
        "paths": uses_of(prepared, project),
        "call_id": "toolu_trial",
    }
    match name:
        case "PreToolUse":
            return PreToolUse(**about, cwd=str(project), is_read_only=prepared.tool.is_read_only)
        case "PostToolUse":
            return PostToolUse(**about, tool_response=_NOT_RUN)
    return PostToolUseFailure(**about, error=_NOT_RUN)


def _other_event(name: str, given: Mapping[str, Any]) -> HookEvent:
    make, fields = _OTHERS[name]
    if unknown := next((key for key in given if key not in fields), None):
        raise UsageError(f"--input: {name} has no `{unknown}`; it has {', '.join(fields)}")
    return make(**{ours: _typed(key, given.get(key), default) for key, (ours, default) in fields.items()})


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError as problem:
        raise UsageError(f"--input is no JSON: {problem}") from problem
    except RecursionError as problem:
        raise UsageError("--input nests too deeply") from problem
    if not isinstance(found, dict):
        raise UsageError("--input must be one JSON object")
    return found


def _typed(key: str, value: Any, default: Any) -> Any:
    if value is None:
        return default
    if isinstance(value, type(default)):
        return value
    kind = "true or false" if isinstance(default, bool) else "text"
    raise UsageError(f"--input: `{key}` must be {kind}")
