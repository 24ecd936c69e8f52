"""Roles, empty texts, and which block may stand where."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.offline.ledger import Ledger
from agent.offline.prefix import THINKING, Unit, as_blocks, turns
from agent.offline.refusal import RefusalError
from agent.offline.rules.schema import refuse
from agent.offline.rules.situation import NEW_VERSION, Situation

MAX_MESSAGES = 100_000

_ONLY_USER = frozenset({"tool_result", "image", "search_result"})
_ONLY_ASSISTANT = frozenset({"tool_use", "server_tool_use", *THINKING})


def check_content(body: Mapping[str, Any], flat: Sequence[Unit]) -> None:
    """Refuse missing and empty messages, empty texts, and marks on empty texts."""
    messages = body["messages"]
    if not messages:
        refuse("messages", "at least one message is required")
    if len(messages) > MAX_MESSAGES:
        count = f"not {len(messages)}"
        refuse("messages", f"List should have at most {MAX_MESSAGES} items after validation, {count}")
    for index, message in enumerate(messages):
        if not message["content"] and not (index == len(messages) - 1 and message["role"] == "assistant"):
            text = "all messages must have non-empty content except for the optional final assistant message"
            refuse(f"messages.{index}", text)
    if messages[0]["role"] != "user":
        refuse("messages", 'first message must use the "user" role')
    for unit in flat:
        _check_texts(unit)


def check_roles(body: Mapping[str, Any], flat: Sequence[Unit], *, situation: Situation) -> None:
    """Refuse blocks in messages of the wrong role, and `system` messages out of place."""
    for unit in flat:
        if unit.section != "messages":
            continue
        for role, kinds in (("user", _ONLY_USER), ("assistant", _ONLY_ASSISTANT)):
            if unit.kind in kinds and unit.role != role:
                refuse(f"messages.{unit.message}", f"`{unit.kind}` blocks can only be in `{role}` messages")
        if unit.role == "system" and unit.kind != "text":
            refuse(f"messages.{unit.message}", "`system` messages can only hold `text` blocks")
        if situation.version == NEW_VERSION:
            _check_new_version(unit)
    _check_system_messages(body["messages"], situation)


def check_end(flat: Sequence[Unit], body: Mapping[str, Any], *, situation: Situation, ledger: Ledger) -> None:
    """Refuse assistant messages that end in thinking, and prefill where the model has none."""
    for role, blocks in turns(flat):
        last = blocks[-1]
        if role == "assistant" and last.is_thinking:
            text = f"The final block in an assistant message cannot be `{last.kind}`."
            refuse(f"messages.{last.message}", text)
    if body["messages"][-1]["role"] != "assistant" or ledger.was_paused(flat):
        return
    if not situation.facts.prefill:
        raise RefusalError(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    last = flat[-1]
    if last.role == "assistant" and last.kind == "text" and last.block["text"] != last.block["text"].rstrip():
        refuse("messages", "final assistant content cannot end with trailing whitespace")


def _check_texts(unit: Unit) -> None:
    if unit.section == "tools":
        return
    inner = as_blocks(unit.block["content"]) if _holds_blocks(unit.block) else []
    for block in [unit.block, *inner]:
        if block.get("type") != "text":
            continue
        if not block["text"].strip() and block.get("cache_control"):
            refuse(f"{unit.path}.text", "cache_control cannot be set for empty text blocks")
        if not block["text"]:
            refuse(unit.section, "text content blocks must be non-empty")
        if not block["text"].strip():
            refuse(unit.section, "text content blocks must contain non-whitespace text")


def _holds_blocks(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "tool_result" and isinstance(block.get("content"), list)


def _check_new_version(unit: Unit) -> None:
    if unit.kind == "document" and unit.role == "assistant":
        refuse(f"messages.{unit.message}", "`document` blocks can only be in `user` messages")
    if unit.kind == "text" and unit.role == "user" and unit.block.get("citations"):
        refuse(f"{unit.path}.text.citations", "Extra inputs are not permitted")


def _check_system_messages(messages: Sequence[Mapping[str, Any]], situation: Situation) -> None:
    for index, message in enumerate(messages):
        if message["role"] != "system":
            continue
        path = f"messages.{index}"
        if not situation.facts.system_messages:
            refuse(path, "role 'system' is not supported on this model")
        if messages[index - 1]["role"] == "assistant" and not _ends_in_server_result(messages[index - 1]):
            refuse(path, "a `system` message must directly follow a `user` message")
        if messages[index + 1 : index + 2] and messages[index + 1]["role"] != "assistant":
            refuse(path, "a `system` message must be last or followed by an `assistant` message")


def _ends_in_server_result(message: Mapping[str, Any]) -> bool:
    last: str = as_blocks(message["content"])[-1]["type"]
    return last.endswith("_tool_result") and last != "tool_result"
