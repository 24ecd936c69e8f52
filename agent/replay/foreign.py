"""Sessions of another agent as ours would have been: its tools by our names, its results in our forms."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter

from agent.replay.recorded import Recorded, Step, without_reminders
from compaction.messages import Block, ToolUseBlock, as_blocks, is_sendable, text, tool_result, tool_uses

NAMES = {
    "Bash": "bash",
    "Grep": "bash",
    "Read": "read",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "write",
    "Glob": "glob",
    "Task": "task",
    "Agent": "task",
}
_NUMBER = re.compile(r"^ *(\d+)→", re.MULTILINE)
DONE = {"edit": "edited", "write": "wrote"}


_FIELDS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "thinking": {"thinking": str},
    "image": {"source": dict},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
}


def _checked(part: dict[str, Any]) -> dict[str, Any]:
    kind = str(part.get("type"))
    for name, expected in _FIELDS.get(kind, {}).items():
        is_usable = isinstance(part.get(name), expected)
        if not is_usable:
            raise ValueError(f"a block of type `{kind}` has no usable `{name}`")
    return part


_Part = Annotated[dict[str, Any], AfterValidator(_checked)]


class _Usage(BaseModel):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Start(BaseModel):
    kind: Literal["start"]
    user: list[_Part]


class _Turn(BaseModel):
    kind: Literal["turn"]
    at: float
    model: str = ""
    usage: _Usage | None = None
    assistant: list[_Part]
    user: list[_Part] = Field(default_factory=list)


_LINE: TypeAdapter[_Start | _Turn] = TypeAdapter(Annotated[_Start | _Turn, Field(discriminator="kind")])


def foreign_session(name: str, lines: Iterable[Any]) -> Recorded:
    """Return the session in ``lines``: a `start` with what the user said first, then a `turn` a reply.

    Raises:    pydantic.ValidationError: a line is neither.
    """
    start: list[Block] = []
    steps: list[Step] = []
    model = ""
    calls: dict[str, ToolUseBlock] = {}
    for line in lines:
        parsed = _LINE.validate_python(line)
        if isinstance(parsed, _Start):
            start += _answered(parsed.user, calls)
            continue
        model = model or parsed.model
        assistant = [block for part in parsed.assistant for block in _replied(part)]
        calls |= {call["id"]: call for call in tool_uses(assistant)}
        user = _answered(parsed.user, calls)
        steps.append(
            Step(
                at=parsed.at,
                assistant=tuple(assistant),
                user=tuple(user),
                said=_said(user),
                usage=parsed.usage.model_dump() if parsed.usage else {},
            )
        )
    return Recorded(name=name, model=model, start=tuple(start), said=_said(start), steps=tuple(steps))


def _said(blocks: Iterable[Block]) -> tuple[str, ...]:
    return tuple(block["text"] for block in blocks if block["type"] == "text")


def _replied(part: Mapping[str, Any]) -> list[Block]:
    match part.get("type"):
        case "tool_use":
            name = str(part["name"])
            return as_blocks([{**part, "name": NAMES.get(name, name.lower())}])
        case "thinking":
            return as_blocks([{"signature": "", **part}])
    return [block for block in as_blocks([part]) if is_sendable(block)]


def _answered(parts: Iterable[Mapping[str, Any]], calls: Mapping[str, ToolUseBlock]) -> list[Block]:
    """Results first, as the API wants them; what the agent itself added is left out."""
    results = [
        _result(part, calls.get(str(part["tool_use_id"])))
        for part in parts
        if part.get("type") == "tool_result"
    ]
    others = [_cleaned(part) for part in parts if part.get("type") != "tool_result"]
    return [*results, *(block for block in others if is_sendable(block))]


def _cleaned(part: Mapping[str, Any]) -> Block:
    if part.get("type") == "text":
        return text(without_reminders(str(part.get("text", ""))))
    return as_blocks([part])[0]


def _result(part: Mapping[str, Any], call: ToolUseBlock | None) -> Block:
    is_error = bool(part.get("is_error"))
    content = part.get("content") or ""
    name = call["name"] if call else ""
    if call and name in DONE and not is_error:
        content = f"{DONE[name]} {call['input'].get('file_path', '')}"
    elif isinstance(content, str):
        content = _shown(content, name)
    else:
        content = [
            {**piece, "text": _shown(str(piece["text"]), name)} if piece.get("type") == "text" else piece
            for piece in content
        ]
    return tool_result(str(part["tool_use_id"]), content, is_error=is_error)


def _shown(content: str, name: str) -> str:
    clean = without_reminders(content)
    return _NUMBER.sub(r"\1\t", clean) if name == "read" else clean
