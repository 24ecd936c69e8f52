"""Pictures that the user's words name by path: they are sent after the words, as the model can see them."""

import asyncio
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from agent.events import Notice
from compaction.messages import Block
from tools.base import ResolvedPath, ToolError
from tools.files import opened, read_all
from tools.images import MAX_IMAGE_FILE_BYTES, image_result
from tools.kinds import SNIFF_BYTES, image_format
from tools.paths import show

MOST_PICTURES = 10
MOST_BYTES = 20_000_000
"""Base64 of all pictures of one message: a request may have 32 MB."""
MOST_LOOKED_AT = 200
"""Names that are looked for on disk."""
LINE_CHARS = 10_000
"""Nobody names a picture in a longer line."""
ENDING = re.compile(r"\.(?:png|jpe?g|gif|webp)", re.IGNORECASE)
NAMED = re.compile(rf"{ENDING.pattern}\Z", re.IGNORECASE)
BLANKS = " \\t\\n\\r\\f\\v"
PIECE = re.compile(
    rf"""(?<!\w)"(?P<double>[^"\n]+)"|(?<!\w)'(?P<single>[^'\n]+)'|(?P<bare>(?:\\.|[^{BLANKS}\\"'`()\[\]{{}}<>|,;])++)"""
)
"""A path in quotes, or one in which a backslash stands before what a shell would not leave in a word."""
ESCAPED = re.compile(r"\\(.)")
SCHEME = "file://"


@dataclass(slots=True)
class Pictures:
    """What is sent of the pictures that were named: for each a line about it and the picture itself."""

    blocks: list[Block] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    """What the user is told, a line each."""


class NoPictures:
    """For an agent to whom no person speaks: words are words."""

    async def see(self, words: str) -> Pictures:
        """Return none."""
        return Pictures()


class NamedPictures:
    """Looks for pictures in what a user says. Relative paths are those of ``project``."""

    def __init__(self, project: Path) -> None:
        self._project = project

    async def see(self, words: str) -> Pictures:
        """Return the pictures that ``words`` name, each once, in order. What is no picture stays words."""
        return await asyncio.to_thread(self._see, words)

    def _see(self, words: str) -> Pictures:
        pictures, chars = Pictures(), 0
        for number, path in enumerate(named(words, self._project)):
            if number == MOST_PICTURES:
                told = f"only the first {MOST_PICTURES} pictures are sent"
                pictures.notices.append(Notice(text=told, is_error=True))
                break
            try:
                blocks, size = self._picture(path)
            except ToolError as problem:
                told = f"not sent as a picture: {problem}"
                pictures.notices.append(Notice(text=told, is_error=True))
                continue
            chars += sum(len(str(block)) for block in blocks)
            if chars > MOST_BYTES:
                told = f"not sent as a picture: `{path.name}`, for those before it fill the message"
                pictures.notices.append(Notice(text=told, is_error=True))
                break
            pictures.blocks += blocks
            pictures.notices.append(Notice(text=f"[image {path.name} {size}]"))
        return pictures

    def _picture(self, path: Path) -> tuple[list[Block], str]:
        """Return its blocks and its size, `1200x800`. Raises ToolError: broken, too large, no picture."""
        shown = show(path, project=Path(os.path.realpath(self._project)))
        target = ResolvedPath(path=path, shown=shown, access="read", is_inside=True, is_own=False)
        with opened(target) as descriptor:
            head = os.read(descriptor, SNIFF_BYTES)
            kind = image_format(head)
            if kind is None:
                raise ToolError(f"`{shown}` is no PNG, JPEG, GIF or WebP.")
            data = head + read_all(descriptor, max_bytes=MAX_IMAGE_FILE_BYTES, shown=shown)
        made, note = image_result(data, image_format=kind, shown=shown)
        blocks: list[Block] = [*made]  # type: ignore[list-item]  # in wire form
        return blocks, note.rpartition(" ")[2].replace("×", "x")


def named(words: str, project: Path) -> Iterator[Path]:
    """Yield the files with the name of a picture that ``words`` name, resolved, each once.

    A path may stand alone on its line, in quotes, with backslashes, behind `@`, or as a `file://` address.
    """
    looked_at: set[str] = set()
    found: set[Path] = set()
    for line in words.split("\n"):
        if len(line) > LINE_CHARS or not ENDING.search(line):
            continue
        for ways in _written(line):
            for way in ways:
                if way in looked_at or len(looked_at) >= MOST_LOOKED_AT:
                    continue
                looked_at.add(way)
                if (path := _file(way, project)) is not None:
                    if path not in found:
                        found.add(path)
                        yield path
                    break


def _written(line: str) -> Iterator[tuple[str, ...]]:
    """Yield for each thing in a line that may be meant for a picture's path the ways to read it, the likeliest first."""
    alone = line.strip().removeprefix("@")
    if NAMED.search(alone) and " " in alone and not alone.startswith(("'", '"')):
        yield ESCAPED.sub(r"\1", alone), alone
    for piece in PIECE.finditer(line):
        quoted = piece["double"] or piece["single"]
        if quoted is None:
            bare = piece["bare"].lstrip("@").rstrip(".!?:")
            if NAMED.search(bare):
                yield ESCAPED.sub(r"\1", bare), bare
        elif NAMED.search(quoted):
            yield quoted, ESCAPED.sub(r"\1", quoted)
        else:  # apostrophes, or a whole sentence
            yield from _written(quoted.replace('"', " ").replace("'", " "))


def _file(written: str, project: Path) -> Path | None:
    """Return the file that is meant; None when there is none."""
    local = (
        unquote(written.removeprefix(SCHEME).removeprefix("localhost"))
        if written.startswith(SCHEME)
        else written
    )
    try:
        path = Path(os.path.realpath(project / Path(local).expanduser()))
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, a home that is not known
        return None
