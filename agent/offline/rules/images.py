"""Images: what the bytes are, how large, how many."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.offline.catalog import ModelFacts
from agent.offline.pictures import PictureError, check_whole, size_of, type_of
from agent.offline.prefix import Unit
from agent.offline.refusal import RefusalError
from agent.offline.rules.schema import refuse

MAX_BASE64_BYTES = 10 * 1024 * 1024
MAX_SIDE_PX = 8000
MANY_IMAGES = 20
MAX_SIDE_OF_MANY_PX = 2000


def check_images(flat: Sequence[Unit], facts: ModelFacts) -> None:
    """Refuse images that are broken, mislabelled, too large, or too many."""
    found = [image for unit in flat for image in _images(unit.block, unit.path)]
    if len(found) > facts.max_images:
        raise RefusalError(f"Too much media: 0 document pages + {len(found)} images > {facts.max_images}")
    for path, source in found:
        if source["type"] == "base64":
            _check_image(f"{path}.image.source.base64", source, many=len(found) > MANY_IMAGES)


def _images(block: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if block.get("type") == "image":
        yield path, block["source"]
    if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
        for index, part in enumerate(block["content"]):
            yield from _images(part, f"{path}.tool_result.content.{index}")


def _check_image(path: str, source: Mapping[str, Any], *, many: bool) -> None:
    size = len(source["data"])
    if size > MAX_BASE64_BYTES:
        refuse(path, f"image exceeds 10 MB maximum: {size} bytes > {MAX_BASE64_BYTES} bytes")
    try:
        data = base64.b64decode(source["data"], validate=True)
    except binascii.Error:
        refuse(f"{path}.data", "Invalid base64 data")
    try:
        _check_bytes(path, data, declared=source["media_type"], many=many)
    except PictureError as error:
        raise RefusalError("Could not process image") from error


def _check_bytes(path: str, data: bytes, *, declared: str, many: bool) -> None:
    actual = type_of(data)
    if actual is not None and actual != declared:
        text = f"The image was specified using the {declared} media type, but the image appears to be a {actual} image"
        refuse(path, text)
    longest = max(size_of(data))
    if longest > MAX_SIDE_PX:
        text = f"At least one of the image dimensions exceed max allowed size: {MAX_SIDE_PX} pixels"
        refuse(f"{path}.data", text)
    if many and longest > MAX_SIDE_OF_MANY_PX:
        text = (
            "At least one of the image dimensions exceed max allowed size for many-image requests: "
            f"{MAX_SIDE_OF_MANY_PX} pixels"
        )
        refuse(f"{path}.data", text)
    check_whole(data)
