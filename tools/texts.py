"""Text as it lies in a file: its encoding and byte order mark, decoded and encoded without loss."""

import codecs
import re
from dataclasses import dataclass
from typing import Literal

from tools.base import ToolError

Encoding = Literal["utf-8", "windows-1252", "latin-1", "utf-16-le", "utf-16-be"]

_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LONGEST_MARK_BYTES = 3
SINGLE_BYTE: frozenset[Encoding] = frozenset({"windows-1252", "latin-1"})
_BAD_BYTE = re.compile("[\udc80-\udcff]")
_GOOD_LETTER = re.compile("[^\x00-\x7f\ud800-\udfff]")
_UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_1252 = frozenset("\udc81\udc8d\udc8f\udc90\udc9d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a text lies in its file."""

    encoding: Encoding = "utf-8"
    mark: bytes = b""
    """The byte order mark in front, or nothing."""


def marked(head: bytes) -> Layout:
    """Return the layout that the byte order mark of ``head`` states; plain UTF-8 without one."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return Layout(encoding=encoding, mark=mark)
    return Layout()


class Recogniser:
    """Tells from text decoded as UTF-8 with surrogate escapes, fed in pieces, what the bytes really were."""

    def __init__(self) -> None:
        self.bad: set[str] = set()
        """The undecodable bytes met, each as its surrogate."""
        self._has_letters = False

    def feed(self, text: str) -> None:
        """Look at the next piece."""
        if text.isascii():
            return
        self.bad.update(_BAD_BYTE.findall(text))
        self._has_letters = self._has_letters or _GOOD_LETTER.search(text) is not None

    def encoding(self) -> Encoding:
        """Return the encoding of all that was fed: one of the single-byte ones if nothing spoke for UTF-8."""
        if not self.bad or self._has_letters:
            return "utf-8"
        return "latin-1" if self.bad & _NOT_IN_1252 else "windows-1252"


def decode(data: bytes) -> tuple[str, Layout]:
    """Return the text of ``data`` without its mark, and its layout; `encode` gives the same bytes back.

    Bytes that are not UTF-8 inside a UTF-8 text are surrogate escapes in the result.
    """
    layout = marked(data)
    body = data[len(layout.mark) :]
    if layout.encoding != "utf-8":
        return body.decode(layout.encoding, "surrogatepass"), layout
    text = body.decode("utf-8", "surrogateescape")
    if layout.mark:
        return text, layout
    recogniser = Recogniser()
    recogniser.feed(text)
    return respell(text, recogniser.encoding()), Layout(encoding=recogniser.encoding())


def respell(text: str, encoding: Encoding) -> str:
    """Turn surrogate escapes of a single-byte ``encoding`` into its letters, one for one; else leave ``text``."""
    if encoding not in SINGLE_BYTE:
        return text
    return text.encode("utf-8", "surrogateescape").decode(encoding)


def encode(text: str, layout: Layout) -> bytes:
    """Return the bytes of ``text`` in ``layout``.

    Raises:    ToolError: the encoding has no place for a character; the text names it.
    """
    errors = "surrogateescape" if layout.encoding == "utf-8" else "strict"
    if layout.encoding.startswith("utf-16"):
        errors = "surrogatepass"
    try:
        return layout.mark + text.encode(layout.encoding, errors)
    except UnicodeEncodeError as problem:
        odd = text[problem.start]
        raise ToolError(
            f"The file is {layout.encoding} and cannot hold {odd!r} (U+{ord(odd):04X}); write that character another "
            "way, or convert the file first (`iconv` in bash)."
        ) from problem


def clean(text: str) -> str:
    """Replace lone surrogates, which no encoding holds, by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def visible(text: str) -> str:
    r"""Show NUL and undecodable bytes as `\xNN`, so that the rest of ``text`` can be sent as it is."""
    return _UNSHOWABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0:
        return "\\x00"
    is_byte = ord("\udc80") <= code <= ord("\udcff")
    return f"\\x{code - ord(chr(0xDC00)):02x}" if is_byte else "\ufffd"


def is_all_crlf(text: str) -> bool:
    r"""Tell whether ``text`` has line ends and all of them are `\r\n`."""
    pairs = text.count("\r\n")
    return pairs > 0 and pairs == text.count("\n")
