"""Fields of a call as models write them that know other agents: by our names where only one of ours can be meant."""

import json
from collections.abc import Collection, Mapping
from typing import Any

_FILE = {"file_path": ("path", "file", "filename", "absolute_path", "target_file")}
_ELSEWHERE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "bash": {"command": ("cmd", "script"), "run_in_background": ("background", "is_background")},
    "read": _FILE,
    "write": {**_FILE, "content": ("contents", "text", "file_text")},
    "edit": {**_FILE, "old_string": ("old_str", "old_text"), "new_string": ("new_str", "new_text")},
    "glob": {"pattern": ("glob", "glob_pattern"), "path": ("dir", "directory", "folder")},
    "task": {"agent_type": ("subagent_type",), "prompt": ("task", "instructions")},
    "load_skill": {"name": ("skill", "skill_name")},
    "compact": {"focus": ("instructions",)},
}
"""Tool -> field -> what it is called elsewhere. Only names of the very same thing: lines and units differ too much."""
_WRAPPERS = frozenset({"input", "arguments", "args", "parameters", "params"})


def by_our_names(tool: str, given: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    """Return ``given`` with its fields by our names.

    A field that is there already, or that two of the given ones could be, is left alone: the tool's own check
    refuses what it does not know.

    Args:  fields: of the tool, as the model was told them.
    """
    given = _unwrapped(given, fields)
    ours = {_bare(alias): field for field, names in _ELSEWHERE.get(tool, {}).items() for alias in names}
    ours.update({_bare(field): field for field in fields})
    meant = {key: ours.get(_bare(key), key) for key in given if key not in fields}
    is_sole = {
        key: field in fields and field not in given and list(meant.values()).count(field) == 1
        for key, field in meant.items()
    }
    return {meant[key] if is_sole.get(key) else key: value for key, value in given.items()}


def _unwrapped(given: Mapping[str, Any], fields: Collection[str]) -> Mapping[str, Any]:
    """Return the input that stands alone in a field of its own, as an object or its JSON text."""
    if len(given) != 1:
        return given
    (key, inner), *_ = given.items()
    if key in fields or _bare(key) not in _WRAPPERS:
        return given
    if isinstance(inner, str):
        try:
            inner = json.loads(inner)
        except (ValueError, RecursionError):
            return given
    return inner if isinstance(inner, Mapping) else given


def _bare(name: str) -> str:
    """Return a name whatever its case and its joints: `filePath` is `file_path`."""
    return name.replace("_", "").replace("-", "").casefold()
