"""One page of a text of any size: numbered lines, long ones in pieces, in memory for one page only."""

import io
import re
from dataclasses import dataclass

from tools.texts import visible

PIECE_CHARS = 2_000
"""A longer line is shown in pieces of this size."""

_MARK = re.compile(r"([0-9]{1,15})(?:\+([0-9]{1,15}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mark:
    """A place in a text: a line from 1, and how many characters of it come before."""

    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.line}+{self.column}" if self.column else str(self.line)


def parse_mark(raw: str) -> Mark:
    """Return the mark written as `12` or `12+2000`; line 0 means line 1.

    Raises:    ValueError: it is not of this form.
    """
    match = _MARK.fullmatch(raw.strip())
    if match is None:
        raise ValueError("must be a line number from 1, or a mark such as `12+2000`")
    return Mark(line=max(int(match[1]), 1), column=int(match[2] or 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A line of a page, or a part of a long one."""

    mark: Mark
    text: str
    is_end: bool
    """The line ends here."""


class Pager:
    """Collects one page from a text that is fed in chunks, and counts the lines of the whole."""

    def __init__(self, start: Mark, *, max_lines: int, max_chars: int) -> None:
        self.pieces: list[Piece] = []
        self.next: Mark | None = None
        """Where the next page starts; None while nothing was left out."""
        self.sent_chars = 0
        """Characters of the page as sent, numbers included."""
        self.start_chars = 0
        """Length of the line that the page starts in."""
        self._start, self._max_lines, self._max_chars = start, max_lines, max_chars
        self._here = Mark(line=1)
        self._pending = ""
        self._ends_open = False

    @property
    def lines(self) -> int:
        """Lines fed so far; the last one may lack its line end."""
        return self._here.line - 1 + self._ends_open

    @property
    def is_open_ended(self) -> bool:
        """The text does not end with a line end."""
        return self._ends_open

    def feed(self, text: str) -> None:
        """Take the next chunk."""
        newlines = text.count("\n")
        if self._is_full() or self._here.line + newlines < self._start.line:
            self._skip(text, newlines)
            return
        stream = io.StringIO(self._skip_to_start(text), newline="\n")
        while not self._is_full() and (line := stream.readline()):
            self._take(line)
        rest = stream.read()
        self._skip(rest, rest.count("\n"))

    def finish(self) -> None:
        """Say that nothing more comes."""
        if self._ends_open and self._here.line >= self._start.line:
            self._emit_rest()

    def _is_full(self) -> bool:
        return self.next is not None

    def _skip_to_start(self, text: str) -> str:
        """Pass over what stands in ``text`` before the line that the page starts in; return the rest."""
        lines_before = self._start.line - self._here.line
        if lines_before <= 0:
            return text
        rest = text.split("\n", lines_before)[-1]
        self._skip(text[: len(text) - len(rest)], lines_before)
        return rest

    def _skip(self, text: str, newlines: int) -> None:
        """Pass over ``text``, minding only where it ends."""
        tail = len(text) - text.rfind("\n") - 1
        column = tail if newlines else self._here.column + tail
        self._here = Mark(line=self._here.line + newlines, column=column)
        self._ends_open = column > 0

    def _take(self, line: str) -> None:
        """Take a line or the next part of one."""
        body = line.removesuffix("\n")
        self._collect(body)
        if len(body) < len(line):
            self._emit_rest()
        if len(body) < len(line):
            self._here, self._ends_open = Mark(line=self._here.line + 1), False
        else:
            self._here = Mark(line=self._here.line, column=self._here.column + len(body))
            self._ends_open = self._here.column > 0

    def _collect(self, body: str) -> None:
        if self._here.line == self._start.line:
            self.start_chars += len(body)
            body = body[max(self._start.column - self._here.column, 0) :]
        self._pending += body
        while len(self._pending) > PIECE_CHARS and not self._is_full():
            piece, self._pending = self._pending[:PIECE_CHARS], self._pending[PIECE_CHARS:]
            self._emit(piece, is_end=False)

    def _emit_rest(self) -> None:
        rest, self._pending = self._pending, ""
        is_past_the_line = self._here.line == self._start.line and 0 < self._start.column >= self.start_chars
        if not self._is_full() and not is_past_the_line:
            self._emit(rest, is_end=True)

    def _emit(self, text: str, *, is_end: bool) -> None:
        """Add a piece, or close the page in front of it."""
        mark = self._mark_of_next_piece()
        sent = len(str(mark)) + len(visible(text)) + 2
        is_full = bool(self.pieces) and (
            self.sent_chars + sent > self._max_chars or mark.line - self._start.line >= self._max_lines
        )
        if is_full:
            self.next, self._pending = mark, ""
            return
        self.pieces.append(Piece(mark=mark, text=text, is_end=is_end))
        self.sent_chars += sent

    def _mark_of_next_piece(self) -> Mark:
        if self.pieces and not self.pieces[-1].is_end:
            last = self.pieces[-1].mark
            return Mark(line=last.line, column=last.column + PIECE_CHARS)
        if not self.pieces and self._here.line == self._start.line:
            return self._start
        return Mark(line=self._here.line)
