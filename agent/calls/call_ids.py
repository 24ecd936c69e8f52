"""Calls as they are logged, run and sent back: ids legal and no id twice in the session, names and fields our own."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, cast

from agent.api.reply import Reply
from compaction.messages import Block, ToolUseBlock, tool_uses
from hooks.commands.spelling import name_there, tool_named
from tools.field_names import by_our_names

LEGAL = re.compile(r"[a-zA-Z0-9_-]+")
"""Source: the Messages API refuses any other `tool_use.id`, and these characters alone may stand in a name."""
MAX_NAME_CHARS = 64
NAMELESS = "nameless"


def with_fresh_ids(reply: Reply, used: set[str]) -> Reply:
    """Return ``reply`` with every call id replaced that is empty, illegal or was used before.

    Other servers give `call_0` in every reply; two results for one id would end the session. So would a name
    with a blank in it, made up by a model: it becomes a legal one.
    """
    fresh = _fresh(tool_uses(reply.content), used)
    malformed = {
        new: reply.malformed[call["id"]]
        for call, new in zip(tool_uses(reply.content), fresh, strict=True)
        if call["id"] in reply.malformed
    }
    return replace(reply, content=_renamed(reply.content, fresh), malformed=malformed)


def blocks_with_fresh_ids(content: Sequence[Block], used: set[str]) -> list[Block]:
    """Return the blocks of a partial reply with fresh ids, as `with_fresh_ids`."""
    return _renamed(content, _fresh(tool_uses(content), used))


def with_our_names(reply: Reply, tools: Sequence[Mapping[str, Any]]) -> Reply:
    """Return ``reply`` with its calls by the names of tools and fields that the model was told, where it wrote others.

    The history then holds what ran: layers find the files in it, and the model sees how it is written.

    Args:  tools: in wire form.
    """
    fields = {tool["name"]: tuple(tool["input_schema"]["properties"]) for tool in tools}
    content = [
        _by_our_names(block, fields)
        if block["type"] == "tool_use" and block["id"] not in reply.malformed
        else block
        for block in reply.content
    ]
    return replace(reply, content=content)


def _by_our_names(call: ToolUseBlock, fields: Mapping[str, Collection[str]]) -> ToolUseBlock:
    name = call["name"] if call["name"] in fields else tool_named(call["name"])
    # Of a tool with several names there, only the first takes the same input: `MultiEdit` is no `edit`.
    is_same = call["name"].casefold() in (name.casefold(), name_there(name).casefold())
    if name not in fields or not is_same:
        return call
    return {**call, "name": name, "input": by_our_names(name, call["input"], fields[name])}


def _fresh(calls: Sequence[ToolUseBlock], used: set[str]) -> list[str]:
    taken = set(used)
    fresh: list[str] = []
    for call in calls:
        id_ = call["id"]
        if id_ in taken or not LEGAL.fullmatch(id_):
            id_ = next(name for name in _names() if name not in taken)
        taken.add(id_)
        fresh.append(id_)
    return fresh


def _names() -> Iterator[str]:
    return (f"call_p{number}" for number in count(1))


def _renamed(content: Sequence[Block], ids: Sequence[str]) -> list[Block]:
    names = iter(ids)
    return [
        cast("Block", {**block, "id": next(names), "name": _legal_name(block["name"])})
        if block["type"] == "tool_use"
        else block
        for block in content
    ]


def _legal_name(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:MAX_NAME_CHARS] or NAMELESS
