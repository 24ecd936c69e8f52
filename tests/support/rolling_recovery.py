"""What can be read again, worked out anew: from the text of a view by paths to bytes, and how many reads it takes.

Nothing here is taken from the program: the archive is read by its published form alone.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from compaction.messages import Block

PATH = re.compile(r"\.(?:task_outputs|transcripts)/[\w./-]*\w")
HEADER = re.compile(r"(\S+) · (\w+) · (.+) · (\d+) · ([0-9a-f]{64})")
PAGE_CHARS = 49_000
"""What one read shows of a file, line numbers included."""
MOST_READS = 3
BOUND_CHARS = 50_000
"""So long a part must be back within `MOST_READS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of bytes that a block held."""

    data: bytes
    is_image: bool = False


@dataclass(slots=True)
class Shelf:
    """Everything that can be reached from one text: hash of its bytes -> the fewest reads."""

    reads: dict[str, int] = field(default_factory=dict)

    def reads_of(self, part: Part) -> int | None:
        """How many reads bring the bytes back; None: they cannot be reached."""
        return self.reads.get(_sha(part.data))

    def put(self, data: bytes, reads: int) -> None:
        """Some bytes can be had for so many reads."""
        key = _sha(data)
        self.reads[key] = min(reads, self.reads.get(key, reads))


def shelf(shown: str, disk: Mapping[str, bytes]) -> Shelf:
    """Follow the paths in ``shown``, and those that stand in the files there: two files deep."""
    found = Shelf()
    first = {path for path in PATH.findall(shown) if path in disk}
    second: dict[str, int] = {}
    for path in first:
        _open(found, disk[path], path, 0)
        if path.endswith(".md"):
            for page, other in _mentions(disk[path]):
                if other in disk:
                    second[other] = min(page, second.get(other, page))
    for path, before in second.items():
        _open(found, disk[path], path, before)
    return found


def parts_of(block: Block, full: bytes | None = None) -> list[Part]:
    """The bytes a block holds; ``full``: what its tool kept, which stands for its text."""
    match block["type"]:
        case "text":
            return [Part(data=block["text"].encode("utf-8"))]
        case "image":
            return [_image(block["source"])]
        case "tool_use":
            return [Part(data=value.encode("utf-8")) for value in strings(block["input"])]
        case "tool_result":
            return [Part(data=full)] if full is not None else list(_result_parts(block["content"]))
    return []


def strings(value: Any) -> Iterator[str]:
    """Yield all strings inside JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def shown_text(blocks: Iterable[Block]) -> str:
    """All texts that stand in some blocks, each on lines of its own."""
    return "\n".join(part for block in blocks for part in _texts(block))


def images_of(blocks: Iterable[Block]) -> set[bytes]:
    """The images that stand in some blocks."""
    return {part.data for block in blocks for part in parts_of(block) if part.is_image}


def _texts(block: Block) -> Iterator[str]:
    for part in parts_of(block):
        if not part.is_image:
            yield part.data.decode("utf-8")


def _result_parts(content: str | list[dict[str, Any]]) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part(data=content.encode("utf-8"))
        return
    for piece in content:
        if piece["type"] == "text":
            yield Part(data=str(piece["text"]).encode("utf-8"))
        elif piece["type"] == "image":
            yield _image(piece["source"])


def _image(source: Mapping[str, Any]) -> Part:
    return Part(data=base64.b64decode(str(source["data"])), is_image=True)


def _open(found: Shelf, data: bytes, path: str, before: int) -> None:
    """Put what a reader of a file gets; ``before``: reads that led to it."""
    if not path.endswith((".md", ".txt", ".json")):
        found.put(data, before + 1)
        return
    text = data.decode("utf-8")
    found.put(data, before + _pages(text))
    if path.endswith(".json"):
        for value in strings(json.loads(text)):
            found.put(value.encode("utf-8"), before + _pages(text))
    if path.endswith(".md"):
        for page, part in _archived(text):
            found.put(part, before + page)


def _pages(text: str) -> int:
    lines = text.count("\n") + 1
    shown = len(text) + lines * (len(str(lines)) + 1)
    pages = max(1, -(-shown // PAGE_CHARS))
    # The read tool gives back a file of the session's own of that length within three reads, whatever its lines.
    return min(pages, MOST_READS) if len(text) <= BOUND_CHARS else pages


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield (page, line) of a file as it is read from its head."""
    size = 0
    for number, line in enumerate(text.split("\n"), 1):
        size += len(line) + len(str(number)) + 2
        yield -(-size // PAGE_CHARS), line


def _mentions(data: bytes) -> Iterator[tuple[int, str]]:
    for page, line in _numbered(data.decode("utf-8")):
        for path in PATH.findall(line):
            yield page, path


def _archived(text: str) -> Iterator[tuple[int, bytes]]:
    """Yield (page, bytes) of the parts whose header tells the truth."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    page = 1
    for number, line in [*_numbered(text), (0, "")]:
        if head is not None and line.startswith("    "):
            lines.append(line[4:])
            page = number
            continue
        if head is not None:
            data = "\n".join(lines).encode("utf-8")
            if (len(data), _sha(data)) == (int(head[4]), head[5]):
                yield page, data
        head, lines = HEADER.fullmatch(line), []


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
