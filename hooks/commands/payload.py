"""What a command hook reads on stdin: one JSON object, its fields those that Claude Code documents."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.commands.spelling import input_there, name_there, names_of, response_there, type_there, types_of
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

_MODES = {"ask": "default", "accept-edits": "acceptEdits", "plan": "plan", "bypass": "bypassPermissions"}
_ENDS = {"exit": "prompt_input_exit", "clear": "clear", "resume": "resume"}
"""Why a session ended, as it is called there; anything else is `other`."""
_MS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """How things stand in the session in which an event happens."""

    session: str = ""
    transcript: str = ""
    """Path of the session's log."""
    project: str = "."
    """Absolute; hooks run there."""
    cwd: str = "."
    """Where the next bash call would start."""
    mode: str = "ask"
    model: str = ""
    effort: str = ""
    title: str = ""
    background: Mapping[int, str] = field(default_factory=dict)
    """What bash calls left running: pid -> command."""


def payload(event: HookEvent, scene: Scene) -> dict[str, Any]:
    """Return what the hooks of ``event`` read."""
    common = {
        "session_id": scene.session,
        "transcript_path": scene.transcript,
        "cwd": scene.cwd,
        "permission_mode": _MODES.get(scene.mode, "default"),
        "hook_event_name": event.event_name,
    }
    return {**common, **_own(event, scene)}


def subjects(event: HookEvent) -> tuple[str, ...]:
    """Return the names that a matcher of ``event`` is held against; none: there is nothing to match, and all do."""
    match event:
        case PreToolUse() | PostToolUse() | PostToolUseFailure():
            return names_of(event.tool_name)
        case SessionStart():
            return (event.source,)
        case SessionEnd():
            return (_end(event),)
        case PreCompact() | PostCompact():
            return (_trigger(event),)
        case Notification():
            return (event.kind,)
        case SubagentStop():
            return types_of(event.agent_type)
    return ()


def _own(event: HookEvent, scene: Scene) -> dict[str, Any]:
    match event:
        case PreToolUse() | PostToolUse() | PostToolUseFailure():
            return {**_call(event, scene), **_result(event)}
        case Stop() | SubagentStop():
            return {**_agent(event), **_stop(event, scene)}
        case PreCompact() | PostCompact():
            return {"trigger": _trigger(event), **_compaction(event)}
    return _of_session(event, scene)


def _of_session(
    event: SessionStart | UserPromptSubmit | Notification | SessionEnd, scene: Scene
) -> dict[str, Any]:
    match event:
        case SessionStart():
            return {"source": event.source, **_said(model=scene.model, session_title=scene.title)}
        case UserPromptSubmit():
            return {"prompt": event.prompt, **_said(session_title=scene.title)}
        case Notification():
            return {"message": event.message, "notification_type": event.kind, **_said(title=event.title)}
    return {"reason": _end(event)}


def _compaction(event: PreCompact | PostCompact) -> dict[str, Any]:
    if isinstance(event, PreCompact):
        return {"custom_instructions": event.focus or None}
    return {"compact_summary": event.summary}


def _call(event: PreToolUse | PostToolUse | PostToolUseFailure, scene: Scene) -> dict[str, Any]:
    where = {"cwd": event.cwd} if isinstance(event, PreToolUse) else {}
    return {
        **where,
        "tool_name": name_there(event.tool_name),
        "tool_input": input_there(event.tool_name, event.tool_input, event.paths),
        "tool_use_id": event.call_id,
        **_effort(scene),
        **_said(agent_id=event.agent, agent_type=type_there(event.agent_type)),
    }


def _result(event: PreToolUse | PostToolUse | PostToolUseFailure) -> dict[str, Any]:
    match event:
        case PostToolUse():
            told = response_there(event.tool_name, event.tool_input, event.paths, event.tool_response)
            return {"tool_response": told, "duration_ms": round(event.duration_s * _MS)}
        case PostToolUseFailure():
            # An interrupt fires nothing: its result stands, and hooks are not asked.
            return {"error": event.error, "is_interrupt": False, "duration_ms": round(event.duration_s * _MS)}
    return {}


def _agent(event: Stop | SubagentStop) -> dict[str, Any]:
    if isinstance(event, Stop):
        return {}
    return {
        "agent_id": event.agent,
        "agent_type": type_there(event.agent_type),
        "agent_transcript_path": event.log,
    }


def _stop(event: Stop | SubagentStop, scene: Scene) -> dict[str, Any]:
    return {
        "stop_hook_active": event.stop_hook_active,
        "last_assistant_message": event.last_text,
        "background_tasks": [
            {"id": str(pid), "type": "shell", "status": "running", "description": command, "command": command}
            for pid, command in scene.background.items()
        ],
        "session_crons": [],
        **_effort(scene),
    }


def _effort(scene: Scene) -> dict[str, Any]:
    return {"effort": {"level": scene.effort}} if scene.effort else {}


def _said(**fields: str) -> dict[str, str]:
    """Return the fields that there is something to say in."""
    return {key: value for key, value in fields.items() if value}


def _trigger(event: PreCompact | PostCompact) -> str:
    return "manual" if event.trigger == "manual" else "auto"


def _end(event: SessionEnd) -> str:
    known = event.reason in _ENDS.values()
    return event.reason if known else _ENDS.get(event.reason, "other")
