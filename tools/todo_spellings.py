"""A todo list as models write it: what is meant without a doubt is taken so, all else is left as it is, to be refused."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

_MAX_CHARS = 100_000
"""Of a list that is written as text."""
_FENCE = re.compile(r"\s*```\w*\n(.*)\n\s*```\s*", re.DOTALL)
_CHECKBOX = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*\[([ xX>])\]\s+(\S.*)")
_BOXES = {" ": "pending", ">": "in_progress", "x": "completed"}
_LIST = ("items", "tasks", "list", "todo_list", "todoList")
"""What other agents call the list."""
_CONTENT = ("content", "todo", "task", "title", "subject", "text", "step", "name", "description")
"""What other agents call the words of an item: what stands first is a heading, what stands last tells more."""
_STATUS = ("status", "state")
_DONE = ("done", "completed", "complete")
"""Fields in place of a status that say whether an item is done."""
_STATUSES: Mapping[str, str] = {
    **dict.fromkeys(("pending", "todo", "to_do", "open", "not_started", "notstarted", "planned"), "pending"),
    **dict.fromkeys(
        ("in_progress", "inprogress", "doing", "active", "started", "working", "current"), "in_progress"
    ),
    **dict.fromkeys(("completed", "complete", "done", "finished", "closed"), "completed"),
}
"""Spellings that mean one of the three; `failed`, `blocked`, `cancelled` and the like mean none of them."""


def as_input(given: Any) -> Any:
    """Return the input of a call whose list stands under another name, under ours."""
    if isinstance(given, Mapping) and len(given) == 1 and next(iter(given)) in _LIST:
        return {"todos": next(iter(given.values()))}
    return given


def as_items(value: Any) -> Any:
    """Return the list that ``value`` means: JSON text, Python notation, a checklist, a wrapped list or a lone item."""
    if isinstance(value, str):
        value = _parsed(value)
    if not isinstance(value, Mapping):
        return value
    inner = next(iter(value.values())) if len(value) == 1 else None  # an item has two fields at least
    inner = _parsed(inner) if isinstance(inner, str) else inner
    return inner if isinstance(inner, list) else [inner] if isinstance(inner, Mapping) else [value]


def as_item(value: Any) -> dict[str, Any] | None:
    """Return an item with our names of fields and, where what was meant is plain, statuses; None: it is no item."""
    if isinstance(value, str):
        value = _parsed(value)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(value, Mapping):
        return None
    given = {str(key).casefold().replace("_", ""): field for key, field in value.items()}
    item = {
        "content": _first(given, _CONTENT),
        "status": _status(given),
        "activeForm": _first(given, ("activeform",)),
    }
    return {key: field for key, field in item.items() if field is not None}


def _status(given: Mapping[str, Any]) -> Any:
    status = _first(given, _STATUS)
    if isinstance(status, str):
        return _STATUSES.get(re.sub(r"[\s-]+", "_", status.strip().casefold()), status)
    is_done = _first(given, _DONE)
    if status is None and isinstance(is_done, bool):
        return "completed" if is_done else "pending"
    return status


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the field that comes first in ``names``; None: there is none."""
    return next((given[name] for name in names if given.get(name) is not None), None)


def _parsed(words: str) -> Any:
    """Return what a text spells; the text itself where that is nothing we know."""
    if len(words) > _MAX_CHARS:
        return words
    fenced = _FENCE.fullmatch(words)
    bare = fenced[1] if fenced else words
    for parse in (json.loads, ast.literal_eval, _checklist):
        try:
            return parse(bare)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return words


def _checklist(words: str) -> list[dict[str, str]]:
    """Return the items of a Markdown checklist. Raises ValueError where a line is none of its lines."""
    found = [_CHECKBOX.fullmatch(line) for line in words.splitlines() if line.strip()]
    if not found or None in found:
        raise ValueError("not a checklist")
    return [{"content": one[2], "status": _BOXES[one[1].casefold()]} for one in found if one]
