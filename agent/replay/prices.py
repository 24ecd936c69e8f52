"""What a replay counts and prices with. Fixed, so that figures of different days and machines compare."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agent.tokenizer import count
from compaction.messages import Block

READ, WRITE = 0.1, 1.25
"""Of the prompt cache, relative to uncached input."""
PROMPT_TOKENS = 5_000
"""System prompt and tools."""
CACHE_LIFE_S = 300.0
SUMMARY_TOKENS = 3_500
"""Of a summary."""
OUTPUT = 5
"""Price of output relative to input; counted for summaries only, for no policy changes what the model answers."""
FACTOR = 1.15
"""Tokens for one of cl100k."""
CALL_TOKENS = 45
IMAGE_TOKENS = 1_500


def block_tokens(block: Block) -> int:
    """Return the tokens of ``block``."""
    match block["type"]:
        case "text":
            return text_tokens(block["text"])
        case "thinking":
            return text_tokens(block["thinking"])
        case "tool_use":
            return CALL_TOKENS + text_tokens(json.dumps(block["input"], ensure_ascii=False))
        case "tool_result":
            content = block["content"]
            return text_tokens(content) if isinstance(content, str) else sum(map(_part_tokens, content))
        case "image":
            return IMAGE_TOKENS
    return 0


@lru_cache(maxsize=100_000)
def text_tokens(text: str) -> int:
    """Return the tokens of ``text``; one run under each preset asks for the same texts."""
    return int(FACTOR * count(text))


def _part_tokens(part: Mapping[str, Any]) -> int:
    return IMAGE_TOKENS if part.get("type") == "image" else text_tokens(str(part.get("text", "")))
