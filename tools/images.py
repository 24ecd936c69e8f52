"""Images as the model can see them: whole, of a known kind, not too large."""

import base64
import io
import warnings
from typing import Any

from PIL import Image, ImageOps

from tools.base import ToolError

MAX_IMAGE_FILE_BYTES = 64_000_000
MAX_SIDE_PIXELS = 2_000
"""The API takes 8,000, but only 2,000 once a request holds more than 20 images."""
MAX_SENT_BYTES = 7_500_000
"""The API takes 10 MB of base64, which is this much of an image."""

_JPEG_QUALITIES = (85, 60, 35)


def image_result(data: bytes, *, image_format: str, shown: str) -> tuple[list[dict[str, Any]], str]:
    """Return one text block and one image block in wire form, and a note for the screen.

    ``image_format`` is what the first bytes say. An image over the limits is scaled down.

    Raises:    ToolError: broken, cut off, or too large even then.
    """
    picture = _load(data, image_format, shown)
    width, height = picture.size
    note = f"{image_format} {width}×{height}"
    text = f"`{shown}`: {note}, {len(data):,} bytes"
    if max(width, height) > MAX_SIDE_PIXELS or len(data) > MAX_SENT_BYTES:
        data, image_format, size = _shrink(picture, image_format, shown)
        text += f"; shown scaled to {size[0]}×{size[1]}"
    source = {
        "type": "base64",
        "media_type": f"image/{image_format.lower()}",
        "data": base64.b64encode(data).decode("ascii"),
    }
    return [{"type": "text", "text": text}, {"type": "image", "source": source}], note


def _load(data: bytes, image_format: str, shown: str) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(data), formats=[image_format, *_ALIASES.get(image_format, ())])
            picture.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as problem:
        raise ToolError(
            f"`{shown}` is a {image_format} image with too many pixels to open; scale it down with bash first."
        ) from problem
    except (OSError, SyntaxError, ValueError, EOFError) as problem:
        raise ToolError(
            f"`{shown}` begins like a {image_format} image but is broken or cut off; look at its bytes with `xxd` in bash."
        ) from problem
    if not _has_end(data, image_format):
        raise ToolError(f"`{shown}` is a {image_format} image whose end is missing; get a whole one.")
    return picture


def _has_end(data: bytes, image_format: str) -> bool:
    """Tell whether the file's last part is there: pillow is content with all pixels, the API may not be."""
    match image_format:
        case "PNG":
            return b"IEND\xaeB`\x82" in data
        case "JPEG":
            return b"\xff\xd9" in data
        case "GIF":
            return data.rstrip(b"\x00").endswith(b";")
        case _:
            return int.from_bytes(data[4:8], "little") + 8 <= len(data)


# A JPEG with several pictures, as telephones write it, has a plugin of its own.
_ALIASES = {"JPEG": ("MPO",)}


def _shrink(picture: Image.Image, image_format: str, shown: str) -> tuple[bytes, str, tuple[int, int]]:
    """Return bytes, format and size of ``picture`` within the limits; of an animation the first frame."""
    upright = ImageOps.exif_transpose(picture)
    has_alpha = "A" in upright.getbands() or "transparency" in upright.info
    flat = upright.convert("RGBA" if has_alpha else "RGB")
    flat.thumbnail((MAX_SIDE_PIXELS, MAX_SIDE_PIXELS))
    if image_format != "JPEG":
        data = _save(flat, "PNG")
        if len(data) <= MAX_SENT_BYTES:
            return data, "PNG", flat.size
    for quality in _JPEG_QUALITIES:
        data = _save(flat.convert("RGB"), "JPEG", quality=quality)
        if len(data) <= MAX_SENT_BYTES:
            return data, "JPEG", flat.size
    raise ToolError(f"`{shown}` is too large to be shown even when scaled down; crop it with bash first.")


def _save(picture: Image.Image, image_format: str, **options: int) -> bytes:
    target = io.BytesIO()
    picture.save(target, image_format, **options)
    return target.getvalue()
