"""Cache marks: how many, and in which order of lifetimes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.offline.prefix import Unit
from agent.offline.refusal import RefusalError
from agent.offline.rules.schema import refuse

MAX_MARKS = 4


def check_marks(body: Mapping[str, Any], flat: Sequence[Unit]) -> None:
    """Refuse more than four marks, and a long lifetime behind a short one."""
    marks = [mark for unit in flat for mark in _marks(unit.block, unit.path)]
    automatic = body.get("cache_control")
    if automatic:
        _check_automatic(automatic, flat)
        marks.append(("", automatic))
    if len(marks) > MAX_MARKS:
        text = f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {len(marks)}."
        raise RefusalError(text)
    short_seen = False
    for path, mark in marks:
        if mark.get("ttl") != "1h":
            short_seen = True
        elif short_seen:
            text = (
                "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. "
                "Note that blocks are processed in the following order: `tools`, `system`, `messages`."
            )
            refuse(f"{path}.cache_control.ttl".lstrip("."), text)


def _marks(block: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    inner = block.get("content")
    if isinstance(inner, list):
        for index, part in enumerate(inner):
            yield from _marks(part, f"{path}.content.{index}")
    if block.get("cache_control"):
        yield path, block["cache_control"]


def _check_automatic(automatic: Mapping[str, Any], flat: Sequence[Unit]) -> None:
    last = flat[-1].block.get("cache_control")
    if last and last.get("ttl", "5m") != automatic.get("ttl", "5m"):
        refuse("cache_control", "the last block already has a cache_control with a different ttl")
