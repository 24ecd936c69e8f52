"""What was wrong with the input of a call, in words that a model can act on."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tools.base import Tool

_SHOWN_CHARS = 80
_SHOWN_PROBLEMS = 8


def explain_input(tool: Tool, given: Any, *, problem: ValidationError) -> str:
    """Return one line a problem: the field, what was given, what is expected."""
    fields = ", ".join(f"`{name}`" for name in tool.input_model.model_fields)
    lines = [f"`{tool.name}` was not run, because its input is not valid:"]
    if isinstance(given, Mapping):
        lines += _listed([f"- {_explain(error, fields)}" for error in problem.errors(include_url=False)])
    else:
        lines.append(f"- the input is {_say(given)}; expected an object with the fields {fields}")
    return "\n".join([*lines, "Call it again with these mended."])


def _listed(lines: list[str]) -> list[str]:
    """Return the first of many lines, and how many more there are."""
    if len(lines) <= _SHOWN_PROBLEMS:
        return lines
    return [*lines[:_SHOWN_PROBLEMS], f"- and {len(lines) - _SHOWN_PROBLEMS} more"]


def _explain(error: ErrorDetails, fields: str) -> str:
    where = _place(error["loc"])
    match error["type"]:
        case "missing":
            return f"{where}: missing; it is required"
        case "extra_forbidden" if len(error["loc"]) == 1:
            return f"{where}: there is no such field; the fields are {fields}"
        case "extra_forbidden":
            return f"{where}: there is no such field"
        case _:
            return f"{where}: got {_say(error['input'])}; expected: {_expected(error['msg'])}"


def _place(location: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    return f"`{path}`" if path else "the input"


def _expected(message: str) -> str:
    """Return pydantic's message without its openings; a validator of ours says what it wants in full."""
    for opening in ("Input should be ", "Value error, ", "List should have ", "String should have "):
        message = message.removeprefix(opening)
    return message


def _say(value: Any) -> str:
    """Return a short spelling of ``value`` with its JSON kind."""
    spelled = json.dumps(value, ensure_ascii=False, default=str)
    if len(spelled) > _SHOWN_CHARS:
        spelled = spelled[: _SHOWN_CHARS - 1] + "…"
    return f"{spelled} ({_kind(value)})"


def _kind(value: Any) -> str:
    kinds: list[tuple[type | tuple[type, ...], str]] = [
        (bool, "true or false"),
        (str, "a string"),
        ((int, float), "a number"),
        (Mapping, "an object"),
        ((list, tuple), "a list"),
    ]
    return next((word for kind, word in kinds if isinstance(value, kind)), "null")
