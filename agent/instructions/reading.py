"""The text of one instruction file, whatever stands at its path."""

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tools.anchor import MovedError, anchored

MAX_BYTES = 256 * 1024
"""Of one file: several times what is told of all; the rest of a huge file is never read."""
_OPENING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
"""A pipe or a terminal in the place of a file neither holds us up nor becomes ours."""
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class NotReadError(Exception):
    """Nothing of the file can be told; the text says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a file says, without blanks around it, CRLF as a line's end."""

    text: str
    size: int
    """Bytes on the disk."""
    first_line: int
    """Number of the line in the file that the text begins with."""
    is_whole: bool
    """Nothing of the file was left unread."""


def read_content(path: Path) -> Content:
    """Read a file; ``path`` is resolved: no link put there meanwhile is followed. Raises NotReadError."""
    data, size = _bytes(path)
    text = _decoded(data)
    body = text.lstrip()
    blank = text[: len(text) - len(body)]
    body = body.rstrip()
    return Content(
        text=body,
        size=size,
        first_line=blank.count("\n") + 1,
        is_whole=size <= len(data),
    )


def _bytes(path: Path) -> tuple[bytes, int]:
    """Return the beginning of a file, and its size. Raises NotReadError."""
    try:
        with anchored(path) as held:
            descriptor = os.open(held, _OPENING)
        try:
            return _beginning(descriptor)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise NotReadError("there is no such file") from None
    except MovedError:
        raise NotReadError("its path was changed while it was looked at") from None
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise NotReadError(said[:1].lower() + said[1:]) from error


def _beginning(descriptor: int) -> tuple[bytes, int]:
    """Raises OSError, NotReadError."""
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        raise NotReadError("it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise NotReadError("it is no regular file")
    data = b""
    while len(data) < MAX_BYTES and (more := os.read(descriptor, MAX_BYTES - len(data))):
        data += more
    return data, max(found.st_size, len(data))


def _decoded(data: bytes) -> str:
    """Return bytes as text; what is no character becomes U+FFFD. Raises NotReadError for what is no text at all."""
    mark, encoding = next(
        ((mark, name) for mark, name in _ENCODINGS if data.startswith(mark)), (b"", "utf-8")
    )
    text = data[len(mark) :].decode(encoding, "replace")
    if "\0" in text:
        raise NotReadError("it is no text")
    return text.replace("\r\n", "\n")
