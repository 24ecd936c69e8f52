"""The archive: a stretch of the view on disk, every byte of it readable again.

Format: one line `id · role · type · bytes · sha256` a block, then its text, every line indented by four blanks.
Blocks over 2,000 characters, images and the inputs of calls are files of their own beside it, named there.
Thinking is not archived: it is of no use to a reader and stands in the transcript.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from compaction.messages import Block, ToolResultBlock, is_thinking, result_text
from compaction.plan import PlannedFile
from compaction.view import Placed

INLINE_CHARS = 2_000
_MARK = re.compile(r"\[\[kept: .+ · read .+\]\]")
"""A placeholder: of a string of an input, or inside the preview of a result."""
EMPTY: Mapping[str, str] = MappingProxyType({})
SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}


def archive(
    blocks: Sequence[Placed], path: str, kept: Mapping[str, str] = EMPTY, *, before: Sequence[str] = ()
) -> tuple[PlannedFile, ...]:
    """Return the archive of ``blocks`` at ``path`` (`….md`), itself first, then the files beside it.

    Args:  kept: call id -> path of the full text of a result that was shortened by its tool; before: paths of all
    that was put aside earlier, listed at the end, so that a chain of archives stays two files deep.
    """
    lines = [f"# Archive of {len(blocks)} blocks that left the view", ""]
    files: list[PlannedFile] = []
    for placed in blocks:
        if is_thinking(placed.block):
            continue
        for number, (kind, data, suffix) in enumerate(_parts(placed.block)):
            name = part_path(path, placed.id, number, suffix)
            lines.append(
                f"{placed.id} · {placed.role} · {kind} · {len(data)} · {hashlib.sha256(data).hexdigest()}"
            )
            if suffix != "txt" or len(data) > INLINE_CHARS:
                lines += [f"    in file: {name}", *_full_text(placed.block, kept), ""]
                files.append(PlannedFile(path=name, data=data))
            else:
                lines += [*(f"    {line}" for line in data.decode("utf-8").split("\n")), ""]
    if before:
        lines += ["# Kept before", "", *before]
    return PlannedFile(path=path, data="\n".join(lines).encode("utf-8")), *files


def part_path(archive_path: str, block_id: str, number: int = 0, suffix: str = "txt") -> str:
    """Return the path of a part that is a file of its own beside the archive."""
    return f"{archive_path.removesuffix('.md')}/{block_id}.{number}.{suffix}"


def _full_text(block: Block, kept: Mapping[str, str]) -> list[str]:
    """Where the rest of a shortened block is: named here, so that no third file has to be opened for it."""
    if block["type"] == "tool_use":
        values = block["input"].items()
        return [f"    {key}: {value}" for key, value in values if _MARK.fullmatch(str(value))]
    if block["type"] != "tool_result":
        return []
    if block["tool_use_id"] in kept:
        return [f"    full text: {kept[block['tool_use_id']]}"]
    return [f"    {line}" for line in result_text(block).split("\n") if _MARK.fullmatch(line)]


def _parts(block: Block) -> Iterator[tuple[str, bytes, str]]:
    """Yield (type, bytes, suffix) of each part; the suffix `txt` may stand inside the archive itself."""
    match block["type"]:
        case "text":
            yield "text", block["text"].encode("utf-8"), "txt"
        case "tool_use":
            call = json.dumps(block["input"], ensure_ascii=False, indent=1)
            yield f"tool_use {block['name']} {block['id']}", call.encode("utf-8"), "json"
        case "tool_result":
            yield from _result_parts(block)
        case "image":
            yield _image(block["source"])
        case _:
            yield str(block["type"]), json.dumps(block).encode("utf-8"), "json"


def _result_parts(block: ToolResultBlock) -> Iterator[tuple[str, bytes, str]]:
    kind = f"tool_result {block['tool_use_id']}" + (" error" if block.get("is_error") else "")
    content = block["content"]
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in parts:
        if part.get("type") == "text":
            yield kind, str(part["text"]).encode("utf-8"), "txt"
        elif part.get("type") == "image":
            yield _image(part["source"])
        else:
            yield kind, json.dumps(part).encode("utf-8"), "json"


def _image(source: dict[str, Any]) -> tuple[str, bytes, str]:
    try:
        data = base64.b64decode(source.get("data", ""), validate=True)
    except binascii.Error:
        return "image", json.dumps(source).encode("utf-8"), "json"
    media_type = source.get("media_type", "")
    return f"image {media_type}", data, SUFFIXES.get(media_type, "bin")
