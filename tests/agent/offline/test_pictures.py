"""Sizes are read from the headers of all four formats, as an image library reads them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from agent.offline.pictures import PictureError, check_whole, size_of, type_of
from tests.agent.offline.pictures_of import picture_bytes

KINDS = ["PNG", "JPEG", "GIF", "WEBP"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(1, 1), (3, 70), (300, 2)])
def test_type_and_size_are_read_from_the_header(kind: str, size: tuple[int, int]) -> None:
    """Without decoding; a whole image passes."""
    data = picture_bytes(*size, kind)
    assert (type_of(data), size_of(data)) == (f"image/{kind.lower()}", size)
    check_whole(data)


def test_all_three_kinds_of_webp_have_a_size() -> None:
    """Lossless and extended headers are built differently."""
    for options in ({"lossless": True}, {"exif": b"Exif\x00\x00x", "lossless": False}):
        out = io.BytesIO()
        Image.new("RGBA", (30, 20), (1, 2, 3, 4)).save(out, "WEBP", **options)
        assert size_of(out.getvalue()) == (30, 20)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_image_is_no_whole_image(kind: str) -> None:
    """Half the file, or a header without the rest, is found out by decoding or before."""
    data = picture_bytes(40, 40, kind)
    with pytest.raises(PictureError):
        check_whole(data[: len(data) // 2])
    with pytest.raises(PictureError):
        size_of(data[:9])


@given(st.binary(max_size=60), st.sampled_from([b"", *(picture_bytes(2, 2, kind)[:12] for kind in KINDS)]))
def test_any_bytes_are_an_image_or_an_error(rest: bytes, start: bytes) -> None:
    """Nothing else is ever raised."""
    for look in (size_of, check_whole):
        try:
            look(start + rest)
        except PictureError:
            continue
