"""Reads the file of an agent type: ours, or another agent's as it stands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from agent.models import EFFORTS, Effort
from agent.subagents.agent_type import MAX_STEPS, AgentType
from agent.subagents.rights import RightsError, brief, rights_of
from agent.surrogates import repaired_text
from skills.frontmatter import FrontMatterError, read

MAX_PROMPT_CHARS = 32_000
_NAME = re.compile(r"[^\W_][\w .:+&/-]{0,63}")
_STEPS = ("max_steps", "maxTurns", "max_turns", "maxSteps")
KNOWN = frozenset(
    {"name", "description", "tools", "disallowedTools", "permission_mode", "permissionMode", "readonly"}
    | {"model", "effort", *_STEPS}
)
"""Fields that have an effect."""
_LOOKS = frozenset({"color", "emoji", "version", "author", "license", "tags", "category", "metadata"})
"""Fields that say nothing about what a subagent does: nobody misses them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenType:
    """A file that is no agent type; ``error``: the end of a sentence that begins with ``source``."""

    source: str
    error: str


class _Unusable(Exception):
    """Why a field makes a file no agent type."""


def read_type(data: bytes, *, stem: str, source: str) -> AgentType | BrokenType:
    """Return the type that the bytes of a file are; ``stem``: its file's name without `.md`, in place of a missing name."""
    try:
        document = read(data)
        rights, remarks = rights_of(document.fields, source)
        fields = document.fields
        steps = _steps(fields, remarks)
        return AgentType(
            name=_name(fields.get("name", stem)),
            description=_description(fields.get("description")),
            prompt=_prompt(document.body),
            source=source,
            rights=rights,
            model=_model(fields.get("model"), remarks),
            effort=_effort(fields.get("effort"), remarks),
            max_steps=steps,
            remarks=(*document.hidden, *remarks, *_without_effect(fields)),
        )
    except (FrontMatterError, RightsError, _Unusable) as problem:
        return BrokenType(source=source, error=str(problem))


def _name(value: object) -> str:
    name = " ".join(value.split()) if isinstance(value, str) else ""
    if not _NAME.fullmatch(name):
        raise _Unusable("needs a `name` of letters, digits, blanks and `-_.:+&/`, at most 64")
    return name


def _description(value: object) -> str:
    """Return it in one line; an end of a line that is spelled, as another agent does, is one."""
    if not isinstance(value, str) or not value.strip():
        raise _Unusable("needs a `description` that is text")
    return repaired_text(" ".join(value.replace("\\n", " ").split()))


def _prompt(body: str) -> str:
    if len(body) > MAX_PROMPT_CHARS:
        raise _Unusable(f"has a prompt of more than {MAX_PROMPT_CHARS:,} characters")
    return body.strip()


def _model(value: object, remarks: list[str]) -> str:
    if value is None or isinstance(value, str):
        return repaired_text((value or "").strip())
    remarks.append("`model` is no text: it has its parent's")
    return ""


def _effort(value: object, remarks: list[str]) -> Effort | None:
    if value is None or value == "inherit":
        return None
    known = next((one for one in get_args(Effort) if one == value), None)
    if known is None:
        remarks.append(f"`effort: {brief(value)}` is none of {', '.join(EFFORTS)}: it has its parent's")
    return known


def _steps(fields: Mapping[str, object], remarks: list[str]) -> int:
    key = next((key for key in _STEPS if fields.get(key) is not None), None)
    if key is None:
        return MAX_STEPS
    value = fields[key]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and 0 < int(str(value)) <= MAX_STEPS:
        return int(str(value))
    remarks.append(f"`{key}: {brief(value)}` is no number from 1 to {MAX_STEPS}: {MAX_STEPS} steps")
    return MAX_STEPS


def _without_effect(fields: Mapping[str, object]) -> list[str]:
    unknown = [key for key in fields if key not in KNOWN and key not in _LOOKS]
    return [f"without effect here: {brief(', '.join(unknown))}"] if unknown else []
