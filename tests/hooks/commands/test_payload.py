"""What hooks read on stdin: every field that the other agent documents for the events that are fired."""

import json
from typing import Any

import pytest

from hooks.commands.config import EVENTS
from hooks.commands.payload import Scene, payload, subjects
from hooks.events import (
    HookEvent,
    Notification,
    PathUse,
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

SCENE = Scene(
    session="20261130-100000-abc123",
    transcript="/p/.transcripts/20261130-100000-abc123.jsonl",
    project="/p",
    cwd="/p/src",
    mode="accept-edits",
    model="claude-sonnet-5-5",
    effort="high",
    title="Green tests",
    background={41: "make serve"},
)
COMMON = {
    "session_id": "20261130-100000-abc123",
    "transcript_path": "/p/.transcripts/20261130-100000-abc123.jsonl",
    "cwd": "/p/src",
    "permission_mode": "acceptEdits",
}
EFFORT = {"effort": {"level": "high"}}
USE = (PathUse(path="/p/a.txt", shown="a.txt", access="write", is_inside=True),)
WRITE: dict[str, Any] = {
    "tool_name": "write",
    "tool_input": {"file_path": "a.txt", "content": "x"},
    "paths": USE,
    "call_id": "toolu_1",
}
WRITE_THERE = {
    "tool_name": "Write",
    "tool_input": {"file_path": "/p/a.txt", "content": "x"},
    "tool_use_id": "toolu_1",
    **EFFORT,
}
STOPPED = {
    "stop_hook_active": True,
    "last_assistant_message": "Done.",
    "background_tasks": [
        {
            "id": "41",
            "type": "shell",
            "status": "running",
            "description": "make serve",
            "command": "make serve",
        }
    ],
    "session_crons": [],
    **EFFORT,
}
CASES: list[tuple[HookEvent, dict[str, Any]]] = [
    (
        SessionStart(source="resume"),
        {"source": "resume", "model": "claude-sonnet-5-5", "session_title": "Green tests"},
    ),
    (UserPromptSubmit(prompt="Go."), {"prompt": "Go.", "session_title": "Green tests"}),
    (PreToolUse(**WRITE, cwd="/p/lib"), {**WRITE_THERE, "cwd": "/p/lib"}),
    (
        PreToolUse(**WRITE, cwd="/p", agent="task-001", agent_type="reviewer"),
        {**WRITE_THERE, "cwd": "/p", "agent_id": "task-001", "agent_type": "reviewer"},
    ),
    (
        PostToolUse(**WRITE, tool_response="Created a.txt", duration_s=0.0124),
        {
            **WRITE_THERE,
            "tool_response": {"filePath": "/p/a.txt", "success": True, "content": "x"},
            "duration_ms": 12,
        },
    ),
    (
        PostToolUseFailure(**WRITE, error="no", duration_s=1),
        {**WRITE_THERE, "error": "no", "is_interrupt": False, "duration_ms": 1000},
    ),
    (PreCompact(trigger="manual", focus="tests"), {"trigger": "manual", "custom_instructions": "tests"}),
    (PreCompact(trigger="reactive"), {"trigger": "auto", "custom_instructions": None}),
    (PostCompact(trigger="auto", summary="S"), {"trigger": "auto", "compact_summary": "S"}),
    (
        SubagentStop(
            agent="task-001", agent_type="general", log="/log", last_text="Done.", stop_hook_active=True
        ),
        {"agent_id": "task-001", "agent_type": "general-purpose", "agent_transcript_path": "/log", **STOPPED},
    ),
    (
        Notification(message="permission is needed", title="Permission needed"),
        {
            "message": "permission is needed",
            "title": "Permission needed",
            "notification_type": "permission_prompt",
        },
    ),
    (Stop(last_text="Done.", stop_hook_active=True), STOPPED),
    (SessionEnd(reason="exit"), {"reason": "prompt_input_exit"}),
    (SessionEnd(reason="clear"), {"reason": "clear"}),
    (SessionEnd(reason="interrupted"), {"reason": "other"}),
]


@pytest.mark.parametrize(("event", "own"), CASES)
def test_every_field(event: HookEvent, own: dict[str, Any]) -> None:
    """The object is exactly the common fields and those of its event, and is JSON."""
    told = payload(event, SCENE)
    assert told == {**COMMON, "hook_event_name": event.event_name, **own}
    assert json.loads(json.dumps(told)) == told


def test_every_event_has_a_case() -> None:
    """No event is fired whose fields are not pinned here."""
    assert {event.event_name for event, _ in CASES} == set(EVENTS)


@pytest.mark.parametrize(
    ("mode", "there"),
    [
        ("ask", "default"),
        ("accept-edits", "acceptEdits"),
        ("plan", "plan"),
        ("bypass", "bypassPermissions"),
    ],
)
def test_modes(mode: str, there: str) -> None:
    """The mode has its name there."""
    assert payload(Stop(last_text=""), Scene(mode=mode))["permission_mode"] == there


def test_what_there_is_not_is_left_out() -> None:
    """Without title, model and effort there are no such fields; without a focus it is null."""
    assert "session_title" not in payload(SessionStart(source="startup"), Scene())
    assert "model" not in payload(SessionStart(source="startup"), Scene())
    assert "effort" not in payload(Stop(last_text=""), Scene())


@pytest.mark.parametrize(
    ("tool", "input", "told"),
    [
        ("bash", {"command": "ls"}, {"stdout": "out", "stderr": "", "interrupted": False, "isImage": False}),
        (
            "read",
            {"file_path": "a.txt"},
            {"type": "text", "file": {"filePath": "/p/a.txt", "content": "out"}},
        ),
        (
            "edit",
            {"file_path": "a.txt", "old_string": "a", "new_string": "b"},
            {"filePath": "/p/a.txt", "success": True, "oldString": "a", "newString": "b", "text": "out"},
        ),
        ("task", {"prompt": "p"}, {"content": [{"type": "text", "text": "out"}]}),
    ],
)
def test_responses(tool: str, input: dict[str, Any], told: dict[str, Any]) -> None:
    """A tool's answer is an object with the fields in which hooks look for it."""
    paths = USE if "file_path" in input else ()
    event = PostToolUse(tool_name=tool, tool_input=input, paths=paths, tool_response="out", call_id="c")
    assert payload(event, SCENE)["tool_response"] == told


@pytest.mark.parametrize(
    ("event", "names"),
    [
        (SessionStart(source="fork"), ("fork",)),
        (SessionEnd(reason="exit"), ("prompt_input_exit",)),
        (PreCompact(trigger="reactive"), ("auto",)),
        (PostCompact(trigger="manual", summary=""), ("manual",)),
        (Notification(message=""), ("permission_prompt",)),
        (SubagentStop(agent="task-001", agent_type="general", last_text=""), ("general", "general-purpose")),
        (SubagentStop(agent="task-001", agent_type="explore", last_text=""), ("explore", "Explore")),
        (UserPromptSubmit(prompt=""), ()),
        (Stop(last_text=""), ()),
    ],
)
def test_what_a_matcher_is_held_against(event: HookEvent, names: tuple[str, ...]) -> None:
    """Source, reason, trigger, type or kind of agent; nothing where an event has none of these."""
    assert subjects(event) == names
