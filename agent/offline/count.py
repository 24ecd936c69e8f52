"""The server's own token counts: by bytes and what they look like, so that they depend on nobody's tokenizer.

The rates are bytes per token measured for Claude's tokenizers: 2.6 for code and prose from 4.7 on (3.3 before),
1.8 for listings, 1.1 for base64. A count never falls when something is appended.
"""

import base64
import binascii
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agent.offline.catalog import Family, ModelFacts
from agent.offline.pictures import PictureError, size_of
from agent.offline.prefix import Unit, as_blocks

PATCH_PX = 28
"""An image costs one token per square of this many pixels."""

BLOCK_TOKENS = 4
CALL_TOKENS = 25
RESULT_TOKENS = 20
TOOLS_TOKENS = 320
PDF_BYTES_PER_TOKEN = 30
UNKNOWN_IMAGE_TOKENS = 1000

# A long run of base64's letters that holds a digit: encoded data or a hash.
_RUN = re.compile(r"[A-Za-z0-9+/=]{40,}")
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Bytes per token by what the text looks like."""

    prose: float
    digits: float
    dense: float
    wide: float


RATES: dict[Family, Rates] = {
    "5": Rates(prose=2.64, digits=1.5, dense=1.06, wide=2.2),
    "4": Rates(prose=3.34, digits=1.8, dense=1.16, wide=2.6),
}


@lru_cache(maxsize=8192)
def text_tokens(text: str, family: Family) -> int:
    """How many tokens ``text`` costs; half surrogate pairs are counted like any other character."""
    rates = RATES[family]
    narrow = text if text.isascii() else re.sub(r"[^\x00-\x7f]+", "", text)
    wide = 0 if text.isascii() else len(text.encode("utf-8", "surrogatepass")) - len(narrow)
    runs = [run for run in _RUN.findall(narrow) if _DIGIT.search(run)]
    dense = sum(map(len, runs))
    digits = _digits(narrow) - sum(map(_digits, runs))
    prose = len(narrow) - dense - digits
    return math.ceil(prose / rates.prose + digits / rates.digits + dense / rates.dense + wide / rates.wide)


def unit_tokens(unit: Unit, facts: ModelFacts) -> int:
    """How many tokens a tool, system block or content block costs with all that belongs to it."""
    if unit.section == "tools":
        first = TOOLS_TOKENS if unit.path == "tools.0" else 0
        return first + BLOCK_TOKENS + _json_tokens(unit.block, facts)
    return block_tokens(unit.block, facts)


def total_tokens(flat: Iterable[Unit], facts: ModelFacts) -> int:
    """How many tokens a whole request costs."""
    return sum(unit_tokens(unit, facts) for unit in flat)


def block_tokens(block: Mapping[str, Any], facts: ModelFacts) -> int:
    """How many tokens one content block costs, also as part of a reply."""
    kind = block.get("type")
    if kind == "tool_use":
        return CALL_TOKENS + text_tokens(block["name"], facts.family) + _json_tokens(block["input"], facts)
    if kind == "tool_result":
        parts = as_blocks(block.get("content"))
        return RESULT_TOKENS + sum(block_tokens(part, facts) for part in parts)
    if kind == "image":
        return BLOCK_TOKENS + _image_tokens(block["source"], facts)
    if kind == "document":
        return BLOCK_TOKENS + len(json.dumps(block["source"])) // PDF_BYTES_PER_TOKEN
    if kind in ("text", "thinking"):
        return BLOCK_TOKENS + text_tokens(block[kind], facts.family)
    if kind == "redacted_thinking":
        return BLOCK_TOKENS + text_tokens(block["data"], facts.family)
    return BLOCK_TOKENS + _json_tokens(block, facts)


def _digits(text: str) -> int:
    return sum(map(text.count, "0123456789"))


def _json_tokens(value: Any, facts: ModelFacts) -> int:
    if isinstance(value, dict):
        value = {key: part for key, part in value.items() if key != "cache_control"}
    return text_tokens(json.dumps(value, ensure_ascii=False), facts.family)


def _image_tokens(source: Mapping[str, Any], facts: ModelFacts) -> int:
    if source.get("type") != "base64":
        return UNKNOWN_IMAGE_TOKENS
    try:
        width, height = size_of(base64.b64decode(source["data"]))
    except (binascii.Error, PictureError):
        return UNKNOWN_IMAGE_TOKENS
    return min(math.ceil(width / PATCH_PX) * math.ceil(height / PATCH_PX), facts.max_image_tokens)
