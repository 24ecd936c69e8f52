"""Refusals of images."""

from collections.abc import Sequence

from tests.agent.offline.asking import Json, body, result, user
from tests.agent.offline.pictures_of import picture
from tests.agent.offline.rows import (
    FORTY_FIVE,
    ROUND,
    Row,
)


def _many(count: int, width: int) -> Json:
    return body(user(*[_image(picture(width, 1)) for _ in range(count)]))


def _image(data: str, media_type: str = "image/png") -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


_SOURCE = "messages.0.content.0.image.source.base64"
_AS_JPEG = (
    "The image was specified using the image/jpeg media type, but the image appears to be a image/png image"
)

IMAGES: Sequence[Row] = (
    Row(
        name="png called jpeg",
        says=f"{_SOURCE}: {_AS_JPEG}",
        body=body(user(_image(picture(), "image/jpeg"))),
        near=body(user(_image(picture()))),
    ),
    Row(
        name="png called jpeg in a result",
        says=f"messages.2.content.0.tool_result.content.0.image.source.base64: {_AS_JPEG}",
        body=body(*ROUND[:2], user(result("a", [_image(picture(), "image/jpeg")]))),
        near=body(*ROUND[:2], user(result("a", [_image(picture())]))),
    ),
    Row(
        name="no image at all",
        says="Could not process image",
        body=body(user(_image("PGh0bWw+NDA0PC9odG1sPg=="))),
        near=body(user(_image(picture(kind="GIF"), "image/gif"))),
    ),
    Row(
        name="image cut off",
        says="Could not process image",
        body=body(user(_image(picture(20, 20)[:40]))),
        near=body(user(_image(picture(20, 20)))),
    ),
    Row(
        name="header cut off",
        says="Could not process image",
        body=body(user(_image(picture()[:24]))),
        near=body(user(_image(picture(kind="WEBP"), "image/webp"))),
    ),
    Row(
        name="no bytes",
        says="Could not process image",
        body=body(user(_image(""))),
        near=body(user(_image(picture(kind="JPEG"), "image/jpeg"))),
    ),
    Row(
        name="no base64",
        says=f"{_SOURCE}.data: Invalid base64 data",
        body=body(user(_image("a?b"))),
        near=body(user(_image(picture()))),
    ),
    Row(
        name="other media type",
        says=f"{_SOURCE}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        body=body(user(_image(picture(), "image/bmp"))),
        near=body(user(_image(picture()))),
    ),
    Row(
        name="over 10 MB",
        says=f"{_SOURCE}: image exceeds 10 MB maximum: 10485764 bytes > 10485760 bytes",
        body=body(user(_image("A" * 10485764))),
        near=body(user(_image(picture()))),
    ),
    Row(
        name="too long a side",
        says=f"{_SOURCE}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
        body=body(user(_image(picture(8001, 1)))),
        near=body(user(_image(picture(8000, 1)))),
    ),
    Row(
        name="too long a side among many",
        says=f"{_SOURCE}.data: At least one of the image dimensions exceed max allowed size for many-image "
        "requests: 2000 pixels",
        body=_many(21, 2001),
        near=_many(20, 2001),
    ),
    Row(
        name="too many",
        says="Too much media: 0 document pages + 101 images > 100",
        body={**_many(101, 1), "model": FORTY_FIVE},
        near=_many(101, 1),
    ),
)
