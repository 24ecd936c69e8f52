"""The wire's messages and blocks, named: what is logged, hashed and sent is the same dict."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

Role = Literal["user", "assistant"]


class TextBlock(TypedDict):
    """Plain text."""

    type: Literal["text"]
    text: str


class ImageBlock(TypedDict):
    """An image; ``source`` is ``{"type": "base64", "media_type", "data"}``."""

    type: Literal["image"]
    source: dict[str, Any]


class ThinkingBlock(TypedDict):
    """The model's reasoning; sent back byte for byte or left out whole."""

    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedThinkingBlock(TypedDict):
    """Reasoning that only the server can read."""

    type: Literal["redacted_thinking"]
    data: str


class ToolUseBlock(TypedDict):
    """A call of a tool."""

    type: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, Any]


class ToolResultBlock(TypedDict):
    """The answer to a call: a text, or text and image blocks."""

    type: Literal["tool_result"]
    tool_use_id: str
    content: str | list[dict[str, Any]]
    is_error: NotRequired[bool]


Block = TextBlock | ImageBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ToolResultBlock
THINKING = ("thinking", "redacted_thinking")


class Message(TypedDict):
    """One message as sent."""

    role: Role
    content: list[Block]


def text(value: str) -> TextBlock:
    """Build a text block."""
    return {"type": "text", "text": value}


def tool_result(
    tool_use_id: str, content: str | list[dict[str, Any]], *, is_error: bool = False
) -> ToolResultBlock:
    """Build a result; ``is_error`` stands in the block only when true, as the API's own examples do."""
    block: ToolResultBlock = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
    if is_error:
        block["is_error"] = True
    return block


def tool_uses(content: Iterable[Block]) -> list[ToolUseBlock]:
    """Return the calls of a message, in order."""
    return [block for block in content if block["type"] == "tool_use"]


def text_of(content: Iterable[Block]) -> str:
    """Return the text blocks of a message, joined by blank lines."""
    return "\n\n".join(block["text"] for block in content if block["type"] == "text")


def result_text(block: ToolResultBlock) -> str:
    """Return the text of a result, its images left out."""
    content = block["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def chars_of(block: Block) -> int:
    """Return the characters of a block's text or input; 0 for thinking and images."""
    match block["type"]:
        case "text":
            return len(block["text"])
        case "tool_use":
            return len(json.dumps(block["input"], ensure_ascii=False))
        case "tool_result":
            return len(result_text(block))
    return 0


def is_thinking(block: Block) -> bool:
    """True for blocks that must not be changed."""
    return block["type"] in THINKING


def is_sendable(block: Block) -> bool:
    """False for a text block the API would refuse: empty or blank."""
    return block["type"] != "text" or bool(block["text"].strip())


def merged(parts: Sequence[tuple[Role, Block]]) -> list[Message]:
    """Group blocks into messages: adjacent blocks of one role make one message, as the API reads them."""
    messages: list[Message] = []
    for role, block in parts:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"].append(block)
        else:
            messages.append({"role": role, "content": [block]})
    return messages


def as_blocks(value: Any) -> list[Block]:
    """Take JSON that was a list of blocks when it was logged; unknown block types pass through."""
    return cast("list[Block]", value)
