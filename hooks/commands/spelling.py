"""Tools and their inputs as hooks for Claude Code spell them, and back again."""

from collections.abc import Mapping, Sequence
from typing import Any

from hooks.events import PathUse

_NAMES: Mapping[str, tuple[str, ...]] = {
    "bash": ("Bash",),
    "read": ("Read",),
    "write": ("Write",),
    "edit": ("Edit", "MultiEdit"),
    "glob": ("Glob",),
    "todo_write": ("TodoWrite",),
    "task": ("Task", "Agent"),
    "load_skill": ("Skill",),
}
"""Our tool -> its names there, the one that hooks are told first."""
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "task": {"agent_type": "subagent_type"},
    "load_skill": {"name": "skill"},
}
"""Our tool -> our field -> that field there, where they differ."""
_TYPES: Mapping[str, str] = {"general": "general-purpose", "explore": "Explore", "plan": "Plan"}
"""Our agent type -> its name there."""
_PATH_FIELDS = {"read": "file_path", "write": "file_path", "edit": "file_path", "glob": "path"}
_MS = 1000


def names_of(tool: str) -> tuple[str, ...]:
    """Return all names that ``tool`` goes by: ours, then those there."""
    return (tool, *_NAMES.get(tool, ()))


def name_there(tool: str) -> str:
    """Return the name that hooks are told; our own where there is none there."""
    return _NAMES.get(tool, (tool,))[0]


def is_built_in(agent_type: str) -> bool:
    """Tell whether a type of that name comes with the program."""
    return type_key(agent_type) in _TYPES


def type_there(agent_type: str) -> str:
    """Return the name of an agent type that hooks are told; its own where it has none there."""
    return _TYPES.get(agent_type, agent_type)


def types_of(agent_type: str) -> tuple[str, ...]:
    """Return all names that ``agent_type`` goes by: ours, then the one there."""
    return tuple(dict.fromkeys((agent_type, type_there(agent_type))))


def type_key(name: str) -> str:
    """Return by what an agent type is known: capitals, blanks or lines, and another agent's name for one of ours do not count."""
    wanted = "-".join(name.split()).replace("_", "-").casefold()
    return next((own for own, there in _TYPES.items() if wanted == there.casefold()), wanted)


def tool_named(name: str) -> str:
    """Return our tool of that name, by whatever name it goes and however it is capitalised; else ``name``."""
    wanted = name.casefold()
    known = (tool for tool in _NAMES if wanted in {one.casefold() for one in names_of(tool)})
    return next(known, name)


def input_there(tool: str, input: Mapping[str, Any], paths: Sequence[PathUse]) -> dict[str, Any]:
    """Return ``input`` as hooks are told it: names of fields, milliseconds, and paths absolute, as the tool opens them."""
    renamed = _FIELDS.get(tool, {})
    there = {renamed.get(key, key): value for key, value in input.items()}
    field = _PATH_FIELDS.get(tool)
    if field in there and paths:
        there[field] = paths[0].path
    if tool == "task" and isinstance(there.get("subagent_type"), str):
        there["subagent_type"] = type_there(there["subagent_type"])
    if tool == "bash" and isinstance(there.get("timeout"), int | float):
        there["timeout"] = round(there["timeout"] * _MS)
    if tool == "read" and str(there.get("offset", "")).isdecimal():
        there["offset"] = int(there["offset"])
    return there


def input_here(
    tool: str, updated: Mapping[str, Any], *, input: Mapping[str, Any], paths: Sequence[PathUse]
) -> dict[str, Any]:
    """Return ``updated``, an input as a hook spells it, as ours.

    ``input`` and ``paths`` are what the hook was told of: a path, or an agent type, that it left alone comes back as the
    model wrote it.
    What is no field of the tool stays as it is: the tool's own check refuses it.
    """
    back = {there: here for here, there in _FIELDS.get(tool, {}).items()}
    here = {back.get(key, key): value for key, value in updated.items()}
    field = _PATH_FIELDS.get(tool, "")
    if field in input and paths and here.get(field) == paths[0].path:
        here[field] = input[field]
    if tool == "task" and here.get("agent_type") == type_there(str(input.get("agent_type"))):
        here["agent_type"] = input["agent_type"]
    timeout = here.get("timeout")
    if tool == "bash" and isinstance(timeout, int | float):
        here["timeout"] = timeout / _MS
    return here


def response_there(
    tool: str, input: Mapping[str, Any], paths: Sequence[PathUse], response: str
) -> dict[str, Any]:
    """Return what a tool answered, ``response``, in the fields in which hooks look for it."""
    path = paths[0].path if paths else ""
    match tool:
        case "bash":
            return {"stdout": response, "stderr": "", "interrupted": False, "isImage": False}
        case "write":
            return {"filePath": path, "success": True, "content": input.get("content", "")}
        case "edit":
            strings = {"oldString": input.get("old_string", ""), "newString": input.get("new_string", "")}
            return {"filePath": path, "success": True, **strings, "text": response}
        case "read":
            return {"type": "text", "file": {"filePath": path, "content": response}}
    return {"content": [{"type": "text", "text": response}]}
