"""How much of a result the model sees, and the one marker and file that keep the rest."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tools.base import Spill, ToolContext
from tools.spill import SpillFile, describe_problem

BASH_CHARS = 30_000
READ_CHARS = 50_000
LIST_CHARS = 30_000
"""Limit of glob, task and load_skill."""
_LONGEST_MOVE_CHARS = 2_000
"""A cut moves back to a line's end at most this far."""
_MARKER_ROOM_CHARS = 600
_MARK = re.compile(r"\[\[[a-z][a-z -]{0,30}: (?P<id>[^\s·\]]{1,200}) · [^\n\]]*\]\]")


class Fitted(NamedTuple):
    """A result within its limit."""

    content: str
    spill: Spill | None
    marks: list[str]
    """Ids of the marker lines that were put in."""


def spill_id(ctx: ToolContext, tool_name: str) -> str:
    """Return the id of a call's spill, which its marker carries: `<step>-<index>-<tool>`."""
    return f"{ctx.step}-{ctx.index}-{tool_name}"


def spill_path(ctx: ToolContext, tool_name: str) -> Path:
    """Return the absolute path of a call's spill."""
    return ctx.services.spill_folder / f"{spill_id(ctx, tool_name)}.txt"


def marker(mark_id: str, *, chars: int, lines: int, path: str) -> str:
    """Return the line that stands for what was left out.

    Args:      chars, lines: of the whole text. path: as the model should give it to read.
    """
    return f"[[kept: {mark_id} · {chars} characters · {lines} lines · read {path}]]"


def find_marks(text: str) -> list[str]:
    """Return the ids of all marker and placeholder lines in ``text``, ours or copied, in order."""
    return [match["id"] for match in _MARK.finditer(text)]


def find_marks_to(text: str, is_own: Callable[[str], bool]) -> list[str]:
    """Return the ids of those lines that lead to a file of the session's own: others only look like ours."""
    return [match["id"] for match in _MARK.finditer(text) if is_own(_path_in(match[0]))]


def _path_in(line: str) -> str:
    """Return the path, or the name of an archive, at the end of a marker line; empty when there is none."""
    _, found, path = line.rpartition(" · read ")
    if not found:
        _, found, path = line.rpartition(" · in ")
    return path.removesuffix("]]") if found else ""


def count_lines(text: str) -> int:
    """Return the number of lines, a last one without end included."""
    return text.count("\n") + (text[-1:] not in {"", "\n"})


def cut_head(text: str, limit_chars: int) -> str:
    """Return the beginning of ``text``, at most ``limit_chars``, whole lines where they are not too long."""
    if len(text) <= limit_chars:
        return text
    head = text[:limit_chars]
    end = head.rfind("\n", max(0, limit_chars - _LONGEST_MOVE_CHARS)) + 1
    return head[:end] if end else head


def cut_tail(text: str, limit_chars: int) -> str:
    """Return the end of ``text``, at most ``limit_chars``, whole lines where they are not too long."""
    if len(text) <= limit_chars:
        return text
    tail = text[len(text) - limit_chars :]
    if text[len(text) - limit_chars - 1] == "\n":
        return tail
    start = tail.find("\n", 0, _LONGEST_MOVE_CHARS) + 1
    return tail[start:]


def join_view(head: str, tail: str, *, line: str) -> str:
    """Return head, marker line and tail, the line on a line of its own."""
    before = "" if not head or head.endswith("\n") else "\n"
    return f"{head}{before}{line}\n{tail}"


def split_limit(limit_chars: int) -> tuple[int, int]:
    """Return how many characters head and tail may have, so that with the marker they keep the limit."""
    room = max(0, limit_chars - _MARKER_ROOM_CHARS)
    return room - room // 2, room // 2


async def fit(text: str, *, limit_chars: int, tool_name: str, ctx: ToolContext) -> Fitted:
    """Return ``text`` within ``limit_chars``: itself, or head, marker and tail with the whole text on disk.

    Contract:  the marker counts, so fitting a fitted text changes nothing. If the disk refuses, the line
    between head and tail says why the rest could not be kept, and there is no spill.
    """
    if len(text) <= limit_chars:
        return Fitted(text, None, [])
    head_chars, tail_chars = split_limit(limit_chars)
    head, tail = cut_head(text, head_chars), cut_tail(text, tail_chars)
    path = spill_path(ctx, tool_name)
    try:
        spill = await asyncio.to_thread(write_spill, text, path=path, project=ctx.services.project)
    except OSError as problem:
        return Fitted(
            join_view(head, tail, line=lost_line(len(text) - len(head) - len(tail), problem)), None, []
        )
    line = marker(spill_id(ctx, tool_name), chars=len(text), lines=count_lines(text), path=spill.path)
    return Fitted(join_view(head, tail, line=line), spill, [spill_id(ctx, tool_name)])


def write_spill(text: str, *, path: Path, project: Path) -> Spill:
    """Write ``text`` to ``path``, all or nothing, mode 0600.

    Raises:    OSError: the disk refuses; nothing is left behind.
    """
    file = SpillFile(path)
    try:
        file.write(text.encode("utf-8", "surrogatepass"))
        return file.finish(project=project)
    except BaseException:
        file.discard()
        raise


def lost_line(chars: int, problem: OSError) -> str:
    """Return the line that stands for ``chars`` characters the disk would not take."""
    return f"[{chars} characters left out here; they could not be kept on disk: {describe_problem(problem)}]"
