"""One pass over an open file: its hash, its encoding, its number of lines and one page of it."""

import codecs
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tools.pages import Mark, Pager, Piece
from tools.texts import LONGEST_MARK_BYTES, SINGLE_BYTE, Encoding, Recogniser, marked, respell


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What one pass found."""

    sha256: str
    encoding: Encoding
    has_mark: bool
    """A byte order mark stands in front (and in no piece)."""
    bad_bytes: int
    """How many different bytes were not decodable; 0 in a single-byte encoding."""
    has_nul: bool
    lines: int
    is_open_ended: bool
    """The file does not end with a line end."""
    pieces: list[Piece]
    """The page; empty when it starts past the end."""
    sent_chars: int
    next: Mark | None
    start_line_chars: int
    """Length of the line that the page starts in."""


def scan(
    chunks: Iterable[bytes], *, start: Mark, max_lines: int, max_chars: int, is_utf8: bool = False
) -> Scan:
    """Read ``chunks`` to the end, keeping no more than the page that starts at ``start``.

    With ``is_utf8`` the encoding is not guessed: every byte that is no UTF-8 stays a surrogate escape, and a
    byte order mark stays a character.
    """
    pager = Pager(start, max_lines=max_lines, max_chars=max_chars)
    digest, recogniser, reader = hashlib.sha256(), Recogniser(), _Reader(is_utf8=is_utf8)
    has_nul = False
    for chunk in chunks:
        digest.update(chunk)
        text = reader.feed(chunk)
        recogniser.feed(text)
        has_nul = has_nul or "\x00" in text
        pager.feed(text)
    rest = reader.end()
    recogniser.feed(rest)
    pager.feed(rest)
    pager.finish()
    encoding = reader.layout.encoding
    if encoding == "utf-8" and not (reader.layout.mark or is_utf8):
        encoding = recogniser.encoding()
    return Scan(
        sha256=digest.hexdigest(),
        encoding=encoding,
        has_mark=bool(reader.layout.mark),
        bad_bytes=len(recogniser.bad) if encoding == "utf-8" else 0,
        has_nul=has_nul,
        lines=pager.lines,
        is_open_ended=pager.is_open_ended,
        pieces=_respelled(pager.pieces, encoding),
        sent_chars=pager.sent_chars,
        next=pager.next,
        start_line_chars=pager.start_chars,
    )


def _respelled(pieces: list[Piece], encoding: Encoding) -> list[Piece]:
    if encoding not in SINGLE_BYTE:
        return pieces
    return [replace(piece, text=respell(piece.text, encoding)) for piece in pieces]


class _Reader:
    """Decodes chunks as their byte order mark says, else as UTF-8; wrong bytes become surrogate escapes."""

    def __init__(self, *, is_utf8: bool) -> None:
        self.layout = marked(b"")
        self._is_utf8 = is_utf8
        self._decoder: codecs.IncrementalDecoder | None = None
        self._head = b""

    def feed(self, chunk: bytes) -> str:
        if self._decoder is not None:
            return self._decoder.decode(chunk)
        self._head += chunk
        # A file may come in chunks smaller than a mark.
        return self._start().decode(self._take_head()) if len(self._head) >= LONGEST_MARK_BYTES else ""

    def end(self) -> str:
        decoder = self._decoder or self._start()
        return decoder.decode(self._take_head(), final=True)

    def _start(self) -> codecs.IncrementalDecoder:
        self.layout = marked(b"" if self._is_utf8 else self._head)
        self._head = self._head[len(self.layout.mark) :]
        errors = "surrogateescape" if self.layout.encoding == "utf-8" else "replace"
        self._decoder = codecs.getincrementaldecoder(self.layout.encoding)(errors)
        return self._decoder

    def _take_head(self) -> bytes:
        head, self._head = self._head, b""
        return head
