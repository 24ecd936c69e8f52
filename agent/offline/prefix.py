"""A request as the flat list of blocks that prompt caching and bound thinking look at."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

Section = Literal["tools", "system", "messages"]
THINKING = ("thinking", "redacted_thinking")
"""The block types that hold a model's thoughts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One tool, system block or content block of a request.

    ``path``: where it stands in the body as sent (`messages.3.content.0`); ``message``: index of its message,
    -1 outside messages; ``ttl``: "5m" or "1h" if a cache mark stands on it or inside it; ``line``: the same for
    two blocks iff a model would read the same.
    """

    section: Section
    block: Mapping[str, Any]
    path: str
    line: bytes
    role: str = ""
    message: int = -1
    ttl: str | None = None

    @property
    def kind(self) -> str:
        """The block's type."""
        return str(self.block.get("type", "custom"))

    @property
    def is_thinking(self) -> bool:
        """Does it hold a model's thoughts?"""
        return self.section == "messages" and self.kind in THINKING


def units(body: Mapping[str, Any]) -> list[Unit]:
    """All blocks of a request in the order in which they are cached: tools, system, messages."""
    flat = [*_tools(body), *_system(body), *_messages(body)]
    automatic = body.get("cache_control")
    if automatic and flat and flat[-1].ttl is None:
        flat[-1] = replace(flat[-1], ttl=_ttl(automatic))
    return flat


def reply_units(blocks: Iterable[Mapping[str, Any]]) -> list[Unit]:
    """A served reply's blocks as they stand in the next request."""
    return [_unit("messages", block, path="", role="assistant") for block in blocks]


def as_blocks(content: Any) -> list[Mapping[str, Any]]:
    """The blocks of a message, system prompt or tool result; a bare string is one text block, an empty one none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or [])


def turns(flat: Iterable[Unit]) -> list[tuple[str, list[Unit]]]:
    """The messages' blocks by role, neighbours of the same role merged as the API merges them."""
    messages = (unit for unit in flat if unit.section == "messages")
    return [(role, list(group)) for role, group in groupby(messages, key=lambda unit: unit.role)]


def settings_line(body: Mapping[str, Any]) -> bytes:
    """What besides the blocks decides whether messages are read from the cache: thinking, effort, tool choice."""
    names = ("thinking", "output_config", "tool_choice")
    return json.dumps({name: body[name] for name in names if body.get(name)}, sort_keys=True).encode() + b"\n"


def prefix_bytes(body: Mapping[str, Any]) -> bytes:
    """The request as bytes that a later request extends iff it can be read from the cache up to here.

    Model, tools, system, settings, then the messages' blocks; cache marks are left out, and whether a string or
    a text block was sent, and how same-role neighbours were split into messages, makes no difference.
    """
    lines = [str(body.get("model")).encode() + b"\n"]
    flat = units(body)
    lines += [unit.line for unit in flat if unit.section != "messages"]
    lines.append(settings_line(body))
    lines += [unit.line for unit in flat if unit.section == "messages"]
    return b"".join(lines)


class ConversationHash:
    """A running hash over blocks, thinking left out, that says which conversation a block stands behind."""

    def __init__(self, flat: Iterable[Unit] = ()) -> None:
        self._hash = hashlib.sha256()
        for unit in flat:
            self.add(unit)

    def add(self, unit: Unit) -> None:
        """Go one block further; thinking and tools that load later change nothing."""
        if not unit.is_thinking and not unit.block.get("defer_loading"):
            self._hash.update(unit.line)

    @property
    def digest(self) -> bytes:
        """The hash of all blocks so far."""
        return self._hash.digest()


def _tools(body: Mapping[str, Any]) -> Iterator[Unit]:
    for index, tool in enumerate(body.get("tools") or []):
        yield _unit("tools", tool, path=f"tools.{index}")


def _system(body: Mapping[str, Any]) -> Iterator[Unit]:
    for index, block in enumerate(as_blocks(body.get("system"))):
        yield _unit("system", block, path=f"system.{index}")


def _messages(body: Mapping[str, Any]) -> Iterator[Unit]:
    for index, message in enumerate(body["messages"]):
        for position, block in enumerate(as_blocks(message["content"])):
            path = f"messages.{index}.content.{position}"
            yield _unit("messages", block, path=path, role=message["role"], message=index)


def _unit(
    section: Section, block: Mapping[str, Any], *, path: str, role: str = "", message: int = -1
) -> Unit:
    # The order of keys counts inside a tool's input and schema, for there the model sees it.
    line = json.dumps([section, role, _plain(block)], separators=(",", ":")).encode() + b"\n"
    return Unit(
        section=section, block=block, path=path, line=line, role=role, message=message, ttl=_mark(block)
    )


def _mark(block: Mapping[str, Any]) -> str | None:
    if block.get("cache_control"):
        return _ttl(block["cache_control"])
    inner = block.get("content")
    marks = [_mark(part) for part in inner if isinstance(part, dict)] if isinstance(inner, list) else []
    return next((mark for mark in reversed(marks) if mark), None)


def _ttl(cache_control: Mapping[str, Any]) -> str:
    return str(cache_control.get("ttl") or "5m")


def _plain(block: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in sorted(block.items()) if key != "cache_control"}
    if block.get("type") == "tool_result":
        plain["content"] = [_plain(part) for part in as_blocks(block.get("content"))]
    return plain
