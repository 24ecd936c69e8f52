"""The shorter forms of a block: a placeholder for a result, placeholders for the long strings of an input."""

import base64
import binascii
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from compaction.archive import SUFFIXES
from compaction.deeds import one_line
from compaction.history import Call
from compaction.messages import Block, ToolResultBlock, ToolUseBlock
from compaction.names import names_line
from compaction.plan import PlannedFile

MIN_STRING_CHARS = 160
"""A string of an input shorter than that costs less than its placeholder saves."""
WHOLE = ("file_path", "path", "pattern", "name", "description")
"""Fields that say what a call was about: they stay whole whatever their length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """A block's smaller form, and the files that keep what it left out."""

    block: Block
    files: tuple[PlannedFile, ...]


def mark(id_: str, about: str, path: str) -> str:
    """Return the line that stands for what was taken out: it is looked up by its id, never by its path."""
    return f"[[kept: {id_} · {about} · read {path}]]"


def mark_id(call: Call, key: str = "") -> str:
    """Return the id of a call's placeholder: `<step>-<index>-<tool>`, with the field of an input."""
    return "-".join([str(call.step), str(call.index), call.name, *([key] if key else [])])


def short_result(
    result: ToolResultBlock, call: Call, folder: str, kept: str | None, *, known: Collection[str] = ()
) -> Shortened:
    """Return the placeholder of a result: tool, target, size, where its full text is, and names in it.

    Args:  folder: where results are kept; kept: the file that the tool kept itself, None when it kept none;
           known: names that need not be listed.
    """
    id_ = mark_id(call)
    texts, images = _parts(result)
    full = "\n".join(texts)
    files: list[PlannedFile] = []
    path = kept or f"{folder}/{id_}.txt"
    if kept is None and full:
        files.append(PlannedFile(path=path, data=full.encode("utf-8")))
    lines = [mark(id_, f"{_about(call, result)} · {len(full)} characters", path)] if full or kept else []
    if names := names_line(full, known):
        lines.append(names)
    for number, (data, suffix) in enumerate(images):
        image = f"{folder}/{id_}-{number}.{suffix}"
        files.append(PlannedFile(path=image, data=data))
        lines.append(mark(f"{id_}-{number}", f"image · {len(data)} bytes", image))
    block: ToolResultBlock = {**result, "content": "\n".join(lines)}
    return Shortened(block=block, files=tuple(files))


def short_call(use: ToolUseBlock, call: Call, folder: str) -> Shortened:
    """Return a call with placeholders for the long strings of its input; keys and types stay."""
    files: list[PlannedFile] = []
    given: dict[str, Any] = {}
    for key, value in use["input"].items():
        given[key] = value
        if isinstance(value, str) and len(value) >= MIN_STRING_CHARS and key not in WHOLE:
            id_ = mark_id(call, key)
            path = f"{folder}/{id_}.txt"
            files.append(PlannedFile(path=path, data=value.encode("utf-8")))
            given[key] = mark(id_, f"{len(value)} characters", path)
    block: ToolUseBlock = {**use, "input": given}
    return Shortened(block=block, files=tuple(files))


def _about(call: Call, result: ToolResultBlock) -> str:
    target = f" {call.path}" if call.path else ""
    if call.is_instruction:
        return f"load_skill {one_line(call.about)} gives it again"
    lines = f" {call.lines[0]}-{call.lines[1]}" if call.lines[1] else ""
    ending = "" if call.exit_code is None else f" exit code {call.exit_code}"
    changed = f" as {call.changed_by} changed it" if call.changed_by else ""
    return f"{call.name}{target}{lines}{changed}{ending}" + (" failed" if result.get("is_error") else "")


def image_file(source: Mapping[str, Any]) -> tuple[bytes, str]:
    """Return the bytes of an image and the suffix of a file that keeps them; `bin` for what cannot be decoded."""
    data = str(source.get("data", ""))
    try:
        suffix = SUFFIXES.get(str(source.get("media_type", "")), "bin")
        return base64.b64decode(data, validate=True), suffix
    except binascii.Error:
        return data.encode("utf-8"), "bin"


def _parts(result: ToolResultBlock) -> tuple[list[str], list[tuple[bytes, str]]]:
    content = result["content"]
    parts: list[Mapping[str, Any]] = (
        [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    )
    texts = [str(part["text"]) for part in parts if part.get("type") == "text"]
    return texts, [image_file(part["source"]) for part in parts if part.get("type") == "image"]
