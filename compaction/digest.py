"""The deterministic digest: what was done, read off the calls; needs no model and cannot invent."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compaction.messages import ToolResultBlock, ToolUseBlock
from compaction.view import Placed

TARGETS = ("file_path", "command", "pattern", "name", "description", "path")
"""Input fields that say what a call was about, the first one present wins."""
MAX_TARGET_CHARS = 160


def call_line(call: ToolUseBlock) -> str:
    """Return one line for a call: `bash: pytest -q`."""
    return f"{call['name']}: {target(call['input'])}"


def digest(blocks: Sequence[Placed], max_chars: int) -> str:
    """Return a line a call with its outcome, calls of one kind and target counted, the newest kept.

    What does not fit into ``max_chars`` is left out from the oldest on, and the count is said.
    """
    failed = {result["tool_use_id"] for result in _results(blocks) if result.get("is_error")}
    counted: dict[str, int] = {}
    for placed in blocks:
        if placed.block["type"] == "tool_use":
            outcome = " (failed)" if placed.block["id"] in failed else ""
            line = f"- {call_line(placed.block)}{outcome}"
            counted[line] = counted.pop(line, 0) + 1
    lines = [line if times == 1 else f"{line} ({times} times)" for line, times in counted.items()]
    return "\n".join(_newest(lines, max_chars)) or "- no tool was called"


def _newest(lines: Sequence[str], max_chars: int) -> list[str]:
    kept: list[str] = []
    left = max_chars
    for line in reversed(lines):
        left -= len(line) + 1
        if left < 0:
            break
        kept.insert(0, line)
    if len(kept) < len(lines):
        kept.insert(0, f"- ({len(lines) - len(kept)} older calls: see the archive)")
    return kept


def _results(blocks: Iterable[Placed]) -> list[ToolResultBlock]:
    return [placed.block for placed in blocks if placed.block["type"] == "tool_result"]


def target(input: Mapping[str, Any]) -> str:
    """Return what a call is about, on one line of at most 160 characters."""
    for field in TARGETS:
        if isinstance(value := input.get(field), str) and value:
            break
    else:
        value = json.dumps(input, ensure_ascii=False)
    flat = " ".join(value.split())
    return flat if len(flat) <= MAX_TARGET_CHARS else f"{flat[: MAX_TARGET_CHARS - 1]}…"
