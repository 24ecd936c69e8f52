"""The read tool: a page of a text, an image, a notebook."""

import asyncio
import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from tools.base import (
    Content,
    Facts,
    KnownFile,
    ResolvedPath,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    describe,
)
from tools.files import chunks, opened, read_all
from tools.images import MAX_IMAGE_FILE_BYTES, image_result
from tools.kinds import SNIFF_BYTES, binary_name, image_format
from tools.limits import READ_CHARS
from tools.notebook import MAX_NOTEBOOK_BYTES, render_notebook
from tools.pages import PIECE_CHARS, Mark, parse_mark
from tools.scan import Scan, scan
from tools.texts import visible

PAGE_LINES = 2_000
_ROOM_CHARS = 1_000
"""Kept free in a page for the lines in parentheses after it."""
_OWN_READS = 3
"""So many reads give back a file of the session's own of up to `READ_CHARS` characters, however it is made."""
_NO_LIMIT = 2**53


def _check_mark(value: int | str) -> str:
    return str(parse_mark(str(value)))


class ReadInput(ToolInput):
    """Input of the read tool."""

    file_path: str
    offset: Annotated[int | str, AfterValidator(_check_mark), WithJsonSchema({"type": "string"})] = Field(
        default="1", description="First line, or a mark such as 12+2000"
    )
    limit: int | None = Field(default=None, ge=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What was found, before it is known whether the model has it already."""

    content: Content
    sha256: str
    note: str
    known: KnownFile | None = None
    stub: str = ""
    """What a repeated read is told instead."""


async def _run(input: ReadInput, ctx: ToolContext) -> ToolResult:
    target = ctx.paths["file_path"]
    path = str(target.path)
    reading = await asyncio.to_thread(_read, input, target, ctx.facts.known.get(path))
    key = f"{input.offset}:{input.limit or ''}"
    facts = Facts(shown={"path": path, "sha256": reading.sha256, "key": key}, note=reading.note)
    if reading.known is not None:
        facts["known"] = {path: reading.known}
    earlier = ctx.facts.shown_before(path, reading.sha256, key)
    if earlier is None:
        return ToolResult(content=reading.content, facts=facts)
    facts["stub_of"] = earlier
    return ToolResult(
        content=f"`{target.shown}`{reading.stub} is unchanged since it was read above.", facts=facts
    )


def _read(input: ReadInput, target: ResolvedPath, known: KnownFile | None) -> _Reading:
    start = parse_mark(str(input.offset))
    with opened(target) as descriptor:
        head = os.read(descriptor, SNIFF_BYTES)
        whole = chain([head], chunks(descriptor))
        if target.is_own:
            return _own(b"".join(whole), input, target, known)
        if kind := image_format(head):
            data = head + read_all(descriptor, max_bytes=MAX_IMAGE_FILE_BYTES, shown=target.shown)
            return _image(data, kind, target)
        if name := binary_name(head):
            raise ToolError(f"`{target.shown}` is not text: it seems to be {name}.")
        if head.lstrip().startswith(b"{") and os.fstat(descriptor).st_size <= MAX_NOTEBOOK_BYTES:
            data = b"".join(whole)
            cells = render_notebook(data)
            if cells is not None:
                return _notebook(cells, hashlib.sha256(data).hexdigest(), input, target)
            whole = chain([data])
        lines = min(input.limit or PAGE_LINES, PAGE_LINES)
        found = scan(whole, start=start, max_lines=lines, max_chars=READ_CHARS - _ROOM_CHARS)
    return _text(found, start, target, known)


def _own(data: bytes, input: ReadInput, target: ResolvedPath, known: KnownFile | None) -> _Reading:
    """Read a spill or archive: a whole image as one, else any bytes as text."""
    if kind := image_format(data[:SNIFF_BYTES]):
        with suppress(ToolError):
            return _image(data, kind, target)
    return _own_text(data, input, target, known)


def _own_text(data: bytes, input: ReadInput, target: ResolvedPath, known: KnownFile | None) -> _Reading:
    """Read any bytes, without a limit of lines, and small files in a bounded number of pages."""
    start, max_chars = parse_mark(str(input.offset)), READ_CHARS - _ROOM_CHARS
    if len(data.decode("utf-8", "surrogateescape")) <= READ_CHARS:
        # Very short lines cost more for their numbers than for themselves, and escapes four times what they are.
        total = scan([data], start=Mark(line=1), max_lines=_NO_LIMIT, max_chars=_NO_LIMIT, is_utf8=True)
        max_chars = max(max_chars, -(-total.sent_chars // _OWN_READS) + 4 * PIECE_CHARS)
    lines = input.limit or _NO_LIMIT
    found = scan([data], start=start, max_lines=lines, max_chars=max_chars, is_utf8=True)
    return _text(found, start, target, known)


def _image(data: bytes, kind: str, target: ResolvedPath) -> _Reading:
    blocks, note = image_result(data, image_format=kind, shown=target.shown)
    if target.note:
        blocks[0]["text"] += f"\n({target.note})"
    return _Reading(content=blocks, sha256=hashlib.sha256(data).hexdigest(), note=note)


def _notebook(cells: str, sha256: str, input: ReadInput, target: ResolvedPath) -> _Reading:
    """Page through the cells; edit may then change the file, but write needs more than its cells."""
    start = parse_mark(str(input.offset))
    lines = min(input.limit or PAGE_LINES, PAGE_LINES)
    found = scan(
        [cells.encode("utf-8", "replace")], start=start, max_lines=lines, max_chars=READ_CHARS - _ROOM_CHARS
    )
    known: KnownFile = {"sha256": sha256, "ranges": [], "is_whole": False, "lines": 0}
    page = _page(
        found, start, target, ["(notebook shown as cells; its file is JSON, and edit works on that)"]
    )
    return _Reading(content=page, sha256=sha256, known=known, note=_count(found.lines), stub=_span(found))


def _text(found: Scan, start: Mark, target: ResolvedPath, known: KnownFile | None) -> _Reading:
    return _Reading(
        content=_page(found, start, target, _remarks(found)),
        sha256=found.sha256,
        known=_known(found, start, known),
        note=_count(found.lines),
        stub=_span(found),
    )


def _page(found: Scan, start: Mark, target: ResolvedPath, remarks: Iterable[str]) -> str:
    if found.lines and (not found.pieces or found.pieces[0].mark != start):
        raise ToolError(_past_end(found, start, target))
    lines = [f"{piece.mark}\t{visible(piece.text)}" for piece in found.pieces] or ["(empty file)"]
    lines += [f"({target.note})"] if target.note else []
    return "\n".join([*lines, *remarks, *_what_follows(found)])


def _past_end(found: Scan, start: Mark, target: ResolvedPath) -> str:
    if start.line > found.lines:
        return (
            f"`offset` {start} is past the end: `{target.shown}` has {_count(found.lines)}; give one of them."
        )
    return f"`offset` {start} is past the end of its line, which has {found.start_line_chars:,} characters; give less."


def _remarks(found: Scan) -> Iterable[str]:
    if found.is_open_ended and found.next is None:
        yield "(no newline at the end of the file)"
    if found.bad_bytes or found.has_nul:
        yield "(bytes that are no UTF-8 text are shown as \\xNN)"
    if found.encoding != "utf-8" or found.has_mark:
        mark = " with a byte order mark" if found.has_mark else ""
        yield f"(encoding: {found.encoding}{mark}; edit and write keep it)"


def _what_follows(found: Scan) -> Iterable[str]:
    if found.next is None:
        return
    lines_after = found.lines - found.next.line + (found.next.column == 0)
    goes_on = f"line {found.next.line} goes on, " if found.next.column else ""
    yield f"({goes_on}{lines_after:,} more {'line' if lines_after == 1 else 'lines'}; next offset {found.next})"


def _known(found: Scan, start: Mark, known: KnownFile | None) -> KnownFile:
    """Return what this page makes known: the lines whose end it shows, if it shows their beginning too."""
    first, last = start.line, start.line - 1
    if found.pieces:
        last = found.pieces[-1].mark.line - (not found.pieces[-1].is_end)
    is_continued = known is not None and (known["sha256"], known.get("cut_at")) == (found.sha256, str(start))
    if start.column and not is_continued:
        first += 1
    entry: KnownFile = {
        "sha256": found.sha256,
        "ranges": [[first, last]] if first <= last else [],
        "is_whole": found.lines == 0 or (first, last) == (1, found.lines),
        "lines": found.lines,
    }
    if found.next is not None and found.next.column:
        entry["cut_at"] = str(found.next)
    return entry


def _span(found: Scan) -> str:
    if not found.pieces:
        return ""
    return f", lines {found.pieces[0].mark} to {found.pieces[-1].mark} of {found.lines},"


def _count(lines: int) -> str:
    return f"{lines:,} {'line' if lines == 1 else 'lines'}"


READ = Tool(
    name="read",
    description=describe("read"),
    input_model=ReadInput,
    run=_run,
    is_read_only=True,
    path_fields={"file_path": "read"},
)
