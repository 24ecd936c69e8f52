"""What an image's bytes say about it: its type, its size, and whether it is whole."""

import io
import struct
from functools import lru_cache

from PIL import Image, UnidentifiedImageError

# First bytes of every type that the API takes; webp carries its name behind a length.
_SIGNATURES = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF87a"),
    ("image/gif", 0, b"GIF89a"),
    ("image/webp", 8, b"WEBP"),
)

# SOF0 to SOF15 hold a JPEG's size, but DHT, JPG and DAC share their range.
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class PictureError(Exception):
    """The bytes are no whole image."""


def type_of(data: bytes) -> str | None:
    """The media type that the first bytes show; None: not an image of the four types."""
    return next((name for name, at, mark in _SIGNATURES if data[at : at + len(mark)] == mark), None)


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, read from the header alone.

    Raises:    PictureError: not an image of the four types, or its header is cut off.
    """
    kind = type_of(data)
    try:
        if kind == "image/png":
            width, height = struct.unpack(">II", data[16:24])
            return width, height
        if kind == "image/gif":
            width, height = struct.unpack("<HH", data[6:10])
            return width, height
        if kind == "image/jpeg":
            return _jpeg_size(data)
        if kind == "image/webp":
            return _webp_size(data)
    except (struct.error, IndexError) as error:
        raise PictureError("the header is cut off") from error
    raise PictureError("not an image")


@lru_cache(maxsize=64)
def check_whole(data: bytes) -> None:
    """Decode the image to the last pixel.

    Raises:    PictureError: it cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, struct.error, IndexError) as error:
        raise PictureError("the image cannot be decoded") from error


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while True:
        marker, length = struct.unpack(">xBH", data[at : at + 4])
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        return width, height
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", data[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF
