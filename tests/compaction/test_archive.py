"""The archive: every byte that leaves the view can be read back, from at most two files."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from hypothesis import given

from compaction.archive import INLINE_CHARS, archive
from compaction.messages import text
from compaction.plan import PlannedFile
from compaction.view import Placed
from tests.support.histories import IMAGE, TINY_PNG, Said, histories, view_of

PATH = ".transcripts/s/archive-001.md"
LINE = re.compile(
    r"(?P<id>r\d+\.\d+) · (user|assistant) · (?P<kind>.+) · (?P<size>\d+) · (?P<sha>[0-9a-f]{64})"
)


def recovered(files: Mapping[str, bytes]) -> list[tuple[str, bytes]]:
    """(block id, bytes) of every part, read as a reader would: the index, then the file it names."""
    parts: list[tuple[str, bytes]] = []
    lines = files[PATH].decode("utf-8").split("\n")
    starts = [index for index, line in enumerate(lines) if LINE.fullmatch(line)]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = LINE.fullmatch(lines[start])
        assert found
        body = [line.removeprefix("    ") for line in lines[start + 1 : stop - 1]]
        data = "\n".join(body).encode("utf-8")
        if len(body) == 1 and body[0].startswith("in file: "):
            data = files[body[0].removeprefix("in file: ")]
        assert (len(data), hashlib.sha256(data).hexdigest()) == (int(found["size"]), found["sha"])
        parts.append((found["id"], data))
    return parts


def expected(placed: Placed) -> list[tuple[str, bytes]]:
    """What must be readable of a block."""
    block: Any = placed.block
    if block["type"] == "text":
        return [(placed.id, block["text"].encode("utf-8"))]
    if block["type"] == "tool_use":
        return [(placed.id, json.dumps(block["input"], ensure_ascii=False, indent=1).encode("utf-8"))]
    if block["type"] == "tool_result":
        content = block["content"]
        parts = [text(content)] if isinstance(content, str) else content
        return [
            (placed.id, part["text"].encode("utf-8") if part["type"] == "text" else TINY_PNG)
            for part in parts
        ]
    return []


def by_path(files: tuple[PlannedFile, ...]) -> dict[str, bytes]:
    return {file.path: file.data for file in files}


@given(histories())
def test_every_byte_but_thinking_can_be_read_back(said: list[Said]) -> None:
    """Index and named files give back each block byte for byte, with size and hash as stated."""
    view = list(view_of(said))

    files = archive(view, PATH)

    assert recovered(by_path(files)) == [part for placed in view for part in expected(placed)]


def test_long_texts_images_and_inputs_are_files_of_their_own() -> None:
    """A reader of the index is not buried: what is long or not text stands beside it, under a telling suffix."""
    blocks: list[Any] = [
        text("x" * INLINE_CHARS),
        text("x" * (INLINE_CHARS + 1)),
        IMAGE,
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
    ]
    view = view_of([Said(role="user", blocks=blocks)])

    files = archive(list(view), PATH)

    folder = PATH.removesuffix(".md")
    names = [f"{folder}/r1.1.0.txt", f"{folder}/r1.2.0.png", f"{folder}/r1.3.0.json"]
    assert [file.path for file in files] == [PATH, *names]
    assert files[2].data == TINY_PNG


def test_what_is_no_known_block_is_kept_as_json() -> None:
    """Unknown block types, unknown parts of results and images without bytes are not lost either."""
    blocks: list[Any] = [
        {"type": "server_tool_use", "id": "s"},
        {"type": "image", "source": {"type": "url", "data": "no base64!"}},
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "document", "title": "t"}]},
        {"type": "image", "source": {"media_type": "image/tiff", "data": base64.b64encode(b"II").decode()}},
    ]
    files = archive(list(view_of([Said(role="user", blocks=blocks)])), PATH)

    contents = [file.data for file in files[1:]]
    assert [json.loads(data) for data in contents[:3]] == [
        {"type": "server_tool_use", "id": "s"},
        {"type": "url", "data": "no base64!"},
        {"type": "document", "title": "t"},
    ]
    assert (contents[3], files[4].path.endswith(".bin")) == (b"II", True)
