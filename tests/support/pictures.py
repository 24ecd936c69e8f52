"""Pictures for tests."""

import io

from PIL import Image


def picture(size: tuple[int, int] = (3, 2), *, image_format: str = "PNG", shade: int = 0) -> bytes:
    """Return a picture of one colour."""
    target = io.BytesIO()
    Image.new("RGB", size, (shade, shade, shade)).save(target, image_format)
    return target.getvalue()
