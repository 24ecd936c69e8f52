"""The tokens of a content block as a Claude model counts them, estimated."""

import base64
import json
import math
from collections.abc import Mapping
from importlib import import_module
from io import BytesIO
from typing import Any

from agent.models import Family
from agent.tokenizer import count

FACTORS: Mapping[Family, float] = {"4.6": 1.25, "4.7": 1.6}
"""Claude tokens for one of cl100k: prose and code measured 1.1 to 1.35 up to 4.6, 1.4 to 1.77 from 4.7 on."""

CALL_TOKENS = 45
RESULT_TOKENS = 20
"""What a call and its result cost beside their texts; measured on recorded sessions."""

MAX_BYTES_PER_TOKEN = 16
"""A floor: Claude has no longer tokens for runs of blanks and rules (`====`), where those of cl100k are 8 times as long."""

BYTES_PER_THINKING_TOKEN = 3.6
"""Of a signature or of redacted data: base64 of about 2.7 bytes a token. A guess, for nothing is published."""

PATCH_PIXELS = 28
MAX_IMAGE_TOKENS: Mapping[Family, int] = {"4.6": 1_568, "4.7": 4_784}
MAX_IMAGE_EDGE_PIXELS: Mapping[Family, int] = {"4.6": 1_568, "4.7": 2_576}
"""Larger images are scaled down by the server before they are counted."""


class Counter:
    """Estimates for the models of one ``family``. Never below 90 % of the real count for CJK, emoji, base64."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._factor = FACTORS[family]

    def text_tokens(self, text: str) -> int:
        """Estimate a text."""
        return math.ceil(max(count(text) * self._factor_of(text), len(text) / MAX_BYTES_PER_TOKEN))

    def block_tokens(self, block: Mapping[str, Any]) -> int:
        """Estimate one content block in wire form; calls and results with their frames."""
        match block.get("type"):
            case "text":
                return self.text_tokens(block["text"])
            case "tool_use":
                return CALL_TOKENS + self.text_tokens(f"{block['name']} {_as_json(block['input'])}")
            case "tool_result":
                return RESULT_TOKENS + self._content_tokens(block.get("content") or "")
            case "thinking":
                return self.text_tokens(block["thinking"]) or _hidden_tokens(block["signature"])
            case "redacted_thinking":
                return _hidden_tokens(block["data"])
            case "image":
                return self._image_tokens(block["source"])
        return self.text_tokens(_as_json(block))

    def image_tokens(self, width: int, height: int) -> int:
        """Count an image of so many pixels; this one is the vendor's own formula."""
        scale = min(1.0, MAX_IMAGE_EDGE_PIXELS[self._family] / max(width, height, 1))
        patches = math.ceil(width * scale / PATCH_PIXELS) * math.ceil(height * scale / PATCH_PIXELS)
        return min(patches, MAX_IMAGE_TOKENS[self._family])

    def _factor_of(self, text: str) -> float:
        """Beyond ASCII both of Claude's tokenizers count alike, so the surcharge of the denser one falls away."""
        if text.isascii():
            return self._factor
        share = len(text.encode("ascii", "ignore")) / len(text)
        return FACTORS["4.6"] + (self._factor - FACTORS["4.6"]) * share

    def _content_tokens(self, content: str | list[dict[str, Any]]) -> int:
        if isinstance(content, str):
            return self.text_tokens(content)
        return sum(self.block_tokens(part) for part in content)

    def _image_tokens(self, source: Mapping[str, Any]) -> int:
        size = _image_size(str(source.get("data", "")))
        return self.image_tokens(*size) if size else MAX_IMAGE_TOKENS[self._family]


def _hidden_tokens(data: str) -> int:
    return math.ceil(len(data) / BYTES_PER_THINKING_TOKEN)


def _image_size(data: str) -> tuple[int, int] | None:
    """Width and height in pixels; None for what Pillow does not read (it reads the header only)."""
    pillow = import_module("PIL.Image")
    try:
        with pillow.open(BytesIO(base64.b64decode(data))) as image:
            return int(image.width), int(image.height)
    except (ValueError, OSError, SyntaxError, pillow.DecompressionBombError):
        return None


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
