"""A command's output while it comes: bounded in memory, whole on disk once it is long."""

import asyncio
from pathlib import Path

from tools.base import Spill
from tools.limits import (
    Fitted,
    cut_head,
    cut_tail,
    join_view,
    lost_line,
    marker,
    split_limit,
)
from tools.spill import SpillFile
from tools.visible import VisibleText

_BUFFER_BYTES = 256 * 1024
"""Held in memory before the output goes to disk; most commands never get there."""


class Collector:
    """Takes bytes, gives the view of them.

    The view is text made visible; the spill holds the raw bytes, and exists only if the view is cut.
    """

    def __init__(self, path: Path, *, limit_chars: int) -> None:
        self.chars = 0
        self.lines = 0
        self.limit = limit_chars
        self._head_chars, self._tail_chars = split_limit(limit_chars)
        self._path = path
        self._visible = VisibleText()
        self._first = ""
        self._last = ""
        self._raw = bytearray()
        self._file: SpillFile | None = None
        self._problem: OSError | None = None

    def feed(self, data: bytes) -> str:
        """Take ``data`` in and return what of it can be shown by now."""
        self._keep(data)
        text = self._visible.feed(data)
        self._take(text)
        return text

    def rest(self) -> str:
        """Return what of the last bytes was not certain before: nothing more comes."""
        text = self._visible.feed(b"", is_last=True)
        self._take(text)
        return text

    @property
    def is_over(self) -> bool:
        """True once it is too long to be seen whole."""
        return self.chars > self.limit

    async def finish(self, *, mark_id: str, project: Path) -> Fitted:
        """Return the view, and its spill if it was cut."""
        self.rest()
        if self._last[-1:] not in {"", "\n"}:
            self.lines += 1
        if not self.is_over:
            self.discard()
            return Fitted(self._first, None, [])
        head, tail = cut_head(self._first, self._head_chars), cut_tail(self._last, self._tail_chars)
        try:
            spill = await asyncio.to_thread(self._finish_file, project)
        except OSError as problem:
            self.discard()
            left_out = self.chars - len(head) - len(tail)
            return Fitted(join_view(head, tail, line=lost_line(left_out, problem)), None, [])
        line = marker(mark_id, chars=self.chars, lines=self.lines, path=spill.path)
        return Fitted(join_view(head, tail, line=line), spill, [mark_id])

    def discard(self) -> None:
        """Remove what is on disk."""
        self._raw = bytearray()
        if self._file is not None:
            self._file.discard()
            self._file = None

    def _take(self, text: str) -> None:
        self.chars += len(text)
        self.lines += text.count("\n")
        if (room := self.limit - len(self._first)) > 0:
            self._first += text[:room]
        if text:
            self._last = (self._last + text)[-self._tail_chars - 1 :]

    def _keep(self, data: bytes) -> None:
        """Hold ``data`` in memory while there is little of it, then write it on."""
        if self._problem:
            return
        if self._file is None and len(self._raw) + len(data) <= _BUFFER_BYTES:
            self._raw += data
            return
        try:
            self._open().write(data)
        except OSError as problem:
            self._problem = problem
            self.discard()

    def _open(self) -> SpillFile:
        if self._file is None:
            self._file = SpillFile(self._path)
            self._file.write(self._raw)
            self._raw = bytearray()
        return self._file

    def _finish_file(self, project: Path) -> Spill:
        if self._problem:
            raise self._problem
        return self._open().finish(project=project)
