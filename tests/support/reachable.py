"""Whether a live session's results can be read again: from its view, in two files, with three reads, byte for byte."""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.replay.recovery import contents
from compaction.messages import result_text
from compaction.view import View
from tests.support.agent import Harness
from tests.support.tools import Bench, make_bench, text_of
from tools.read import READ

MOST_CHARS = 50_000
"""Results up to that must be back after `MOST_READS` calls."""
MOST_READS = 3
MARKED_PIECES = 2
_MARKER = re.compile(r"\[\[kept: [^\n]*\]\]\n")
_REMARKS = re.compile(r"(\n\[[^\n]*\])+\n?$")
_NEXT = re.compile(r"next offset (\S+)\)$")


@dataclass(slots=True)
class Found:
    """What became of the results; bytes, and for each that was found the reads it takes."""

    gone_bytes: int = 0
    found_bytes: int = 0
    lost: list[str] = field(default_factory=list)
    """Calls whose result, or a part of it, cannot be read again."""
    reads: dict[str, int] = field(default_factory=dict)
    """Call -> reads, for results of up to `MOST_CHARS` that left the view."""

    @property
    def share(self) -> float:
        """Of the bytes that left the view, those that can be read again."""
        return self.found_bytes / self.gone_bytes if self.gone_bytes else 1.0

    @property
    def most_reads(self) -> int:
        """Of the result that is the farthest away."""
        return max(self.reads.values(), default=0)


class Reader:
    """Reads a session's own files with the read tool, page by page, as a model would."""

    def __init__(self, harness: Harness) -> None:
        self._project = harness.project
        self._bench: Bench = make_bench(harness.project)
        self._bench.facts.own_files = {Path(path) for path in harness.state.own_files}
        self._pages: dict[str, list[str]] = {}

    async def pages(self, path: str) -> list[str]:
        """Return the pages of a file."""
        if path not in self._pages:
            pages, offset = [], "1"
            while offset:
                self._bench.facts.shown.clear()
                result = await self._bench.call(READ, file_path=path, offset=offset)
                assert not result.is_error, text_of(result)
                pages.append(text_of(result))
                more = _NEXT.search(pages[-1])
                offset = more[1] if more else ""
            self._pages[path] = pages
        return self._pages[path]

    async def until(self, path: str, words: str) -> int:
        """Return how many pages have to be read until ``words`` have come."""
        pages = await self.pages(path)
        return next((number for number, page in enumerate(pages, 1) if words in page), len(pages))


class Shelf:
    """The files that a view leads to: by name, and by the hashes of what is in them."""

    def __init__(self, harness: Harness) -> None:
        project = harness.project
        self.files = {
            str(Path(path).relative_to(project)): Path(path).read_bytes()
            for path in sorted(harness.state.own_files)
            if Path(path).is_file()
        }
        shown = "\n".join(texts_of(harness.state.view))
        self.named = {path for path in self.files if path in shown}
        """Paths that stand in the view."""
        self.behind: dict[str, list[str]] = {}
        """Paths that stand only in a file that the view names -> those files."""
        for first in sorted(self.named):
            inside = self.files[first].decode("utf-8", "replace")
            for path in self.files.keys() - self.named:
                if path in inside:
                    self.behind.setdefault(path, []).append(first)
        self._by_hash: dict[str, list[str]] = {}
        for path in sorted(self.named | self.behind.keys()):
            for part in contents(path, self.files[path]):
                self._by_hash.setdefault(sha(part), []).append(path)

    def places(self, part: bytes) -> list[str]:
        """Return the files that hold ``part``, the nearest first."""
        return sorted(self._by_hash.get(sha(part), ()), key=lambda path: path in self.behind)

    async def reads(self, part: bytes, reader: Reader) -> int:
        """Return the fewest reads that bring ``part`` back."""
        return min([await self._reads_at(path, part, reader) for path in self.places(part)])

    async def _reads_at(self, path: str, part: bytes, reader: Reader) -> int:
        is_inside = path.endswith(".md")
        inner = await reader.until(path, sha(part)) if is_inside else len(await reader.pages(path))
        if path in self.named:
            return inner
        return inner + min([await reader.until(first, path) for first in self.behind[path]])


async def reachable(harness: Harness) -> Found:
    """Look for every result of the session that does not stand in its view any more, and for what tools kept."""
    found, shelf, reader = Found(), Shelf(harness), Reader(harness)
    standing = set(texts_of(harness.state.view)) | set(images_of(harness.state.view))
    for record in harness.log_records("result"):
        gone = [part for part in parts_of(record["content"]) if part not in standing]
        if spill := record.get("spill"):
            kept = (harness.project / spill["path"]).read_bytes()
            assert sha(kept) == spill["sha256"]
            # What its tool left of a long text is a part of the text that it kept.
            gone = [part for part in gone if not is_part_of(part, kept)] + [kept]
        for part in gone:
            await _look(record["call"], part, found, shelf, reader)
    return found


def is_part_of(part: str | bytes, kept: bytes) -> bool:
    """True if a tool's head and tail stand in what it kept; the remarks that it puts behind them do not count."""
    whole = kept.decode("utf-8", "surrogatepass")
    if isinstance(part, bytes) or len(pieces := _MARKER.split(part)) != MARKED_PIECES:
        return False
    head, tail = pieces[0], _REMARKS.sub("", pieces[1])
    return head.rstrip("\n") in whole and tail.rstrip("\n") in whole


async def _look(call: str, part: str | bytes, found: Found, shelf: Shelf, reader: Reader) -> None:
    data = part.encode("utf-8") if isinstance(part, str) else part
    found.gone_bytes += len(data)
    if not shelf.places(data):
        found.lost.append(call)
        return
    found.found_bytes += len(data)
    if len(data.decode("utf-8", "replace")) <= MOST_CHARS:
        found.reads[call] = max(found.reads.get(call, 0), await shelf.reads(data, reader))


def parts_of(content: str | Sequence[Mapping[str, Any]]) -> Iterator[str | bytes]:
    """Yield the text and the images of a result."""
    if isinstance(content, str):
        yield content
        return
    yield result_text({"type": "tool_result", "tool_use_id": "", "content": [dict(part) for part in content]})
    for part in content:
        if part.get("type") == "image":
            yield base64.b64decode(part["source"]["data"])


def texts_of(view: View) -> Iterator[str]:
    """Yield all texts of a view."""
    for placed in view:
        block = placed.block
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_result":
            yield result_text(block)
        elif block["type"] == "tool_use":
            yield from (value for value in block["input"].values() if isinstance(value, str))


def images_of(view: View) -> Iterator[bytes]:
    """Yield all images of a view."""
    for placed in view:
        block = placed.block
        if block["type"] == "image":
            yield base64.b64decode(str(block["source"]["data"]))
        elif block["type"] == "tool_result" and not isinstance(block["content"], str):
            yield from (part for part in parts_of(block["content"]) if isinstance(part, bytes))


def sha(data: bytes) -> str:
    """Hash of some bytes, as archives name it."""
    return hashlib.sha256(data).hexdigest()
