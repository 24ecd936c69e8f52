"""The archive: a stretch of the view on disk, every byte of it readable again.

Format: one line `id · role · type · bytes · sha256` a block, then its text, every line indented by four blanks.
Blocks over 2,000 characters, images and the inputs of calls are files of their own beside it, named there, before the
texts. It comes in volumes, each no longer than one read shows: so no part is many reads away. All of them must be named
in the view.
Thinking is not archived: it is of no use to a reader and stands in the transcript.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from compaction.messages import Block, ToolResultBlock, is_thinking, result_text
from compaction.plan import PlannedFile
from compaction.view import Placed

INLINE_CHARS = 2_000
VOLUME_CHARS = 40_000
VOLUME_LINES = 1_500
"""With its line numbers a volume is within the 50,000 characters and 2,000 lines that one read shows."""
KEPT_BEFORE = ("# Kept before", "")
LIST = re.compile(r"/kept-[0-9a-f]{12}\.md$")
"""A list of what was put aside earlier that is a file of its own."""
_MARK = re.compile(r"\[\[kept: .+ · read .+\]\]")
"""A placeholder: of a string of an input, or inside the preview of a result."""
EMPTY: Mapping[str, str] = MappingProxyType({})
SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """One file of an archive, and the steps that its blocks are of."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive as it will be on disk."""

    volumes: tuple[Volume, ...]
    """At least one, in the order of their blocks."""
    lists: tuple[str, ...]
    """Paths of lists of what was put aside earlier that are no part of a volume, oldest first."""
    files: tuple[PlannedFile, ...]
    """All that must be written: the first volume is the first."""
    where: Mapping[str, str]
    """Block id -> path of the volume with its first part; thinking has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A part of a block as it stands in a volume."""

    placed: Placed
    lines: list[str]
    file: PlannedFile | None = None

    @property
    def chars(self) -> int:
        return _chars(self.lines)


def archive(
    blocks: Sequence[Placed], path: str, kept: Mapping[str, str] = EMPTY, *, before: Sequence[str] = ()
) -> Archive:
    """Return the archive of ``blocks``, its first volume at ``path`` (`….md`).

    Args:  kept: call id -> path of the full text of a result that was shortened by its tool; before: paths of all
    that was put aside earlier, oldest first: they are listed, so that a chain of archives stays two files deep.
    """
    entries = list(_entries(blocks, path, kept))
    groups = _grouped(entries)
    names = [path, *(_beside(path, f"{number}.md") for number in range(2, len(groups) + 1))]
    volumes = tuple(_volume(name, group) for name, group in zip(names, groups, strict=True))
    texts = [_text(group) for group in groups]
    texts[0] = [
        f"# Archive of {len(blocks)} blocks that left the view",
        *_goes_on(volumes[1:]),
        "",
        *texts[0],
    ]
    lists, written, rest = _listed(before, path)
    if rest and _chars([*texts[-1], *rest]) <= VOLUME_CHARS and len(texts[-1]) + len(rest) <= VOLUME_LINES:
        texts[-1] += rest
    elif rest:
        lists.append(_beside(path, f"{len(groups) + 1}.md"))
        written.append(_file(lists[-1], rest))
    where: dict[str, str] = {}
    for volume, group in zip(volumes, groups, strict=True):
        where = {**dict.fromkeys([entry.placed.id for entry in group], volume.path), **where}
    return Archive(
        volumes=volumes,
        lists=tuple(lists),
        files=(
            *map(_file, names, texts),
            *written,
            *(entry.file for entry in entries if entry.file is not None),
        ),
        where=where,
    )


def _entries(blocks: Sequence[Placed], path: str, kept: Mapping[str, str]) -> Iterator[_Entry]:
    for placed in blocks:
        if is_thinking(placed.block):
            continue
        for number, (kind, data, suffix) in enumerate(_parts(placed.block)):
            head = f"{placed.id} · {placed.role} · {kind} · {len(data)} · {hashlib.sha256(data).hexdigest()}"
            if suffix == "txt" and len(data) <= INLINE_CHARS:
                lines = [f"    {line}" for line in data.decode("utf-8").split("\n")]
                yield _Entry(placed=placed, lines=[head, *lines, ""])
                continue
            name = part_path(path, placed.id, number, suffix)
            lines = [head, f"    in file: {name}", *_full_text(placed.block, kept), ""]
            yield _Entry(placed=placed, lines=lines, file=PlannedFile(path=name, data=data))


def _grouped(entries: Sequence[_Entry]) -> list[list[_Entry]]:
    """Return the entries of each volume; an archive of nothing has one volume."""
    groups: list[list[_Entry]] = [[]]
    chars = lines = 0
    for entry in entries:
        chars, lines = chars + entry.chars, lines + len(entry.lines)
        if groups[-1] and (chars > VOLUME_CHARS or lines > VOLUME_LINES):
            groups.append([])
            chars, lines = entry.chars, len(entry.lines)
        groups[-1].append(entry)
    return groups


def _volume(path: str, group: Sequence[_Entry]) -> Volume:
    steps = [entry.placed.step for entry in group] or [0]
    return Volume(path=path, first=min(steps), last=max(steps))


def _text(group: Sequence[_Entry]) -> list[str]:
    """Return the lines of a volume: what is in files of its own is named first."""
    named = [line for entry in group if entry.file is not None for line in entry.lines]
    return named + [line for entry in group if entry.file is None for line in entry.lines]


def _goes_on(volumes: Sequence[Volume]) -> list[str]:
    return [f"It goes on in {volume.path}, {steps(volume)}." for volume in volumes]


def steps(volume: Volume) -> str:
    """Return the steps of a volume in words: `steps 3-17`."""
    return f"steps {volume.first}-{volume.last}" if volume.first < volume.last else f"step {volume.first}"


def volume_lines(archived: Archive) -> list[str]:
    """Return a line for each volume but the first, to stand behind the first line of a marker."""
    return [
        f"[[archived: {volume.first}-{volume.last} · {steps(volume)} · read {volume.path}]]"
        for volume in archived.volumes[1:]
    ]


def _listed(before: Sequence[str], path: str) -> tuple[list[str], list[PlannedFile], list[str]]:
    """Return the full lists of ``before``, those of them that are new, and the lines of what fills none.

    A list that is full is named by what is in it and written once: while ``before`` only grows at its end, no later
    archive repeats it.
    """
    known = {name.rpartition("/")[2]: name for name in before if LIST.search(name)}
    lists: list[str] = []
    new: list[PlannedFile] = []
    rest = list(KEPT_BEFORE)
    chars = _chars(rest)
    for name in before:
        if LIST.search(name):
            continue
        chars += len(name) + 1
        if chars > VOLUME_CHARS:
            file = _list_file(rest, path)
            lists.append(known.get(file.path.rpartition("/")[2], file.path))
            new += [file] if lists[-1] == file.path else []
            rest = list(KEPT_BEFORE)
            chars = _chars(rest) + len(name) + 1
        rest.append(name)
    return lists, new, rest if len(rest) > len(KEPT_BEFORE) else []


def _list_file(lines: Sequence[str], path: str) -> PlannedFile:
    data = "\n".join(lines).encode("utf-8")
    return PlannedFile(path=_beside(path, f"kept-{hashlib.sha256(data).hexdigest()[:12]}.md"), data=data)


def _file(path: str, lines: Sequence[str]) -> PlannedFile:
    return PlannedFile(path=path, data="\n".join(lines).encode("utf-8"))


def _chars(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _beside(path: str, name: str) -> str:
    return f"{path.removesuffix('.md')}/{name}"


def part_path(archive_path: str, block_id: str, number: int = 0, suffix: str = "txt") -> str:
    """Return the path of a part that is a file of its own beside the archive."""
    return _beside(archive_path, f"{block_id}.{number}.{suffix}")


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
            yield image_part(block["source"])
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
            yield image_part(part["source"])
        else:
            yield kind, json.dumps(part).encode("utf-8"), "json"


def image_part(source: Mapping[str, Any]) -> tuple[str, bytes, str]:
    """Return (type, bytes, suffix) of an image's file; what cannot be decoded is kept as JSON."""
    try:
        data = base64.b64decode(source.get("data", ""), validate=True)
    except binascii.Error:
        return "image", json.dumps(source).encode("utf-8"), "json"
    media_type = source.get("media_type", "")
    return f"image {media_type}", data, SUFFIXES.get(media_type, "bin")
