"""Small pictures in base64."""

import base64
import io

from PIL import Image


def picture(width: int = 1, height: int = 1, kind: str = "PNG") -> str:
    """A picture of one colour."""
    return base64.b64encode(picture_bytes(width, height, kind)).decode()


def picture_bytes(width: int = 1, height: int = 1, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(out, kind)
    return out.getvalue()
