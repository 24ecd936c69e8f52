"""Whether what left the view can be read again: through a path in the view, in at most two files, byte for byte."""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agent.replay.standing import strings
from compaction.messages import Block, is_thinking, result_text
from compaction.plan import Plan
from compaction.view import Placed, View

_HEADER = re.compile(r"\S+ · \w+ · .+ · \d+ · [0-9a-f]{64}")
_INDENT = "    "


class Recovery:
    """Remembers every block that came, and the files that plans wrote."""

    def __init__(self) -> None:
        self._came: dict[str, Block] = {}
        self._files: dict[str, bytes] = {}

    def came(self, placed: Iterable[Placed]) -> None:
        """Remember blocks as they were before any layer."""
        self._came |= {_key(one): one.block for one in placed if not is_thinking(one.block)}

    def planned(self, plan: Plan, view: View) -> None:
        """Remember a plan's files; ``view``: after it. What a restoration added counts as having come so."""
        self._files |= {file.path: file.data for file in plan.files}
        if plan.layer == "restore":
            names = {placed.id: placed for placed in view if view.is_changed(placed)}
            self.came(placed for placed in names.values() if _key(placed) in self._came)

    def share(self, view: View) -> tuple[int, int]:
        """Return (bytes that left the view, those of them that can be read again)."""
        standing = {_key(placed): placed.block for placed in view}
        gone = [part for key, block in self._came.items() for part in _missing(block, standing.get(key))]
        kept = self._reachable(view) if gone else set()
        return sum(map(_size, gone)), sum(_size(part) for part in gone if _is_in(kept, part))

    def _reachable(self, view: View) -> set[str]:
        """Hashes of all that stands in the files named in the view, and in those that these name."""
        shown = "\n".join(text for placed in view for text in _texts(placed.block))
        first = {path for path in self._files if path in shown}
        inside = "\n".join(self._files[path].decode("utf-8", "replace") for path in first)
        both = first | {path for path in self._files if path in inside}
        return {_sha(part) for path in both for part in contents(path, self._files[path])}


def contents(path: str, data: bytes) -> Iterator[bytes]:
    """Yield what a reader of a file gets: the whole, the strings of a JSON file, the parts of an archive."""
    yield data
    if path.endswith(".json"):
        for text in strings(json.loads(data)):
            yield text.encode("utf-8")
    elif path.endswith(".md"):
        yield from _archived(data.decode("utf-8").split("\n"))


def _archived(lines: Iterable[str]) -> Iterator[bytes]:
    part: list[str] | None = None
    for line in lines:
        if part is not None and line.startswith(_INDENT):
            part.append(line.removeprefix(_INDENT))
            continue
        if part:
            yield "\n".join(part).encode("utf-8")
        part = [] if _HEADER.fullmatch(line) else None
    if part:
        yield "\n".join(part).encode("utf-8")


def _key(placed: Placed) -> str:
    block = placed.block
    if block["type"] == "tool_use":
        return f"call {block['id']}"
    return f"result {block['tool_use_id']}" if block["type"] == "tool_result" else placed.id


def _missing(came: Block, stands: Block | None) -> list[tuple[bytes, ...]]:
    """The parts of a block that do not stand in the view any more."""
    if came == stands:
        return []
    there = set(_parts(stands)) if stands is not None else set()
    return [part for part in _parts(came) if any(part) and part not in there]


def _parts(block: Block) -> list[tuple[bytes, ...]]:
    """What is looked for, each in its pieces: the texts of a result may be kept as one, or each for itself."""
    if block["type"] == "image":
        return [(_decoded(block["source"]),)]
    if block["type"] != "tool_result" or isinstance(block["content"], str):
        return [(text.encode("utf-8"),) for text in _texts(block)]
    pieces = block["content"]
    texts = tuple(str(piece["text"]).encode("utf-8") for piece in pieces if piece.get("type") == "text")
    images = [(_decoded(piece["source"]),) for piece in pieces if piece.get("type") == "image"]
    return [texts, *images]


def _is_in(kept: set[str], part: tuple[bytes, ...]) -> bool:
    return _sha(b"\n".join(part)) in kept or all(_sha(piece) in kept for piece in part)


def _size(part: tuple[bytes, ...]) -> int:
    return sum(map(len, part))


def _texts(block: Block) -> list[str]:
    match block["type"]:
        case "text":
            return [block["text"]]
        case "tool_use":
            return list(strings(block["input"]))
        case "tool_result":
            return [result_text(block)]
    return []


def _decoded(source: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(str(source.get("data", "")), validate=True)
    except binascii.Error:
        return str(source.get("data", "")).encode("utf-8")


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
