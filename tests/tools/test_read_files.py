"""The read tool on what is no plain text: devices, images, notebooks, odd names."""

import base64
import io
import json
import os
import socket
import zlib
from pathlib import Path

import pytest
from PIL import Image

from tests.support.tools import Bench, make_bench, text_of
from tools.base import ToolResult
from tools.read import READ


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def picture(size: tuple[int, int] = (1, 1), *, image_format: str = "PNG", mode: str = "RGB") -> bytes:
    target = io.BytesIO()
    Image.new(mode, size).save(target, image_format)
    return target.getvalue()


def image_of(result: ToolResult) -> tuple[str, Image.Image]:
    """Return media type and picture of an image result."""
    assert not result.is_error, result.content
    assert isinstance(result.content, list)
    text, image = result.content
    assert text["type"] == "text"
    source = image["source"]
    assert (image["type"], source["type"]) == ("image", "base64")
    return source["media_type"], Image.open(io.BytesIO(base64.b64decode(source["data"])))


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("pipe", "is a FIFO", id="a"),
        pytest.param("/dev/zero", "is a character device", id="b"),
        pytest.param("/dev/stdin", "", id="c"),
        pytest.param("folder", "is a directory; list it with glob", id="d"),
        pytest.param("socket", "is a socket", id="e"),
        pytest.param("link", "is a FIFO", id="f"),
        pytest.param("/proc/self/fd/0", "", id="g"),
        pytest.param("/dev/fd/PIPE", "is a pipe or socket of a process", id="g-pipe"),
    ],
)
async def test_f09_what_is_no_regular_file_is_refused_at_once(bench: Bench, name: str, words: str) -> None:
    """A file that could block or never end is named and not opened; the next read works."""
    os.mkfifo(bench.project / "pipe")
    (bench.project / "link").symlink_to("pipe")
    (bench.project / "folder").mkdir()
    (bench.project / "good").write_text("fine\n")
    reader, writer = os.pipe()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(bench.project / "socket"))
        result = await bench.call(READ, file_path=name.replace("PIPE", str(reader)))
    os.close(reader)
    os.close(writer)

    assert result.is_error
    assert words in text_of(result)
    assert text_of(await bench.call(READ, file_path="good")) == "1\tfine"


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        pytest.param("a.png", b"<html>404</html>", "1\t<html>404</html>", id="a"),
        pytest.param("c.png", picture()[:20], "begins like a PNG image but is broken or cut off", id="c"),
        pytest.param("cut.png", picture((90, 90))[:-4], "whose end is missing", id="c-png"),
        pytest.param("cut.jpg", picture(image_format="JPEG")[:-1], "JPEG image", id="c-jpeg"),
        pytest.param("cut.gif", picture(image_format="GIF")[:-1], "GIF image", id="c-gif"),
        pytest.param("cut.webp", picture(image_format="WEBP")[:-1], "WEBP image", id="c-webp"),
        pytest.param("d.png", b"", "(empty file)", id="d"),
        pytest.param("tool", b"#!/bin/sh\ntrue\n", "1\t#!/bin/sh\n2\ttrue", id="e"),
        pytest.param("a.out", b"\x7fELF\x00\x01", "seems to be an ELF program", id="f"),
        pytest.param("notes.dat", b"hello", "1\thello", id="g"),
        pytest.param("h.txt", ("a" + "漢" * 3000).encode(), "1+2000\t漢", id="h"),
    ],
)
async def test_f10_the_content_tells_what_a_file_is(bench: Bench, name: str, data: bytes, words: str) -> None:
    """A name never makes an image, and only a whole image becomes an image block."""
    (bench.project / name).write_bytes(data)

    result = await bench.call(READ, file_path=name)

    assert isinstance(result.content, str)
    assert words in result.content
    assert "�" not in result.content


async def test_f10_b_the_media_type_is_that_of_the_content(bench: Bench) -> None:
    """A PNG named `.jpg` goes out as PNG."""
    (bench.project / "b.jpg").write_bytes(picture())

    result = await bench.call(READ, file_path="b.jpg")

    assert image_of(result)[0] == "image/png"
    assert text_of(result) == f"`b.jpg`: PNG 1×1, {len(picture())} bytes"


@pytest.mark.parametrize("image_format", ["JPEG", "GIF", "WEBP"])
async def test_each_kind_goes_out_as_it_is(bench: Bench, image_format: str) -> None:
    """A small image is sent byte for byte."""
    data = picture((5, 4), image_format=image_format)
    (bench.project / "f").write_bytes(data)

    media_type, shown = image_of(await bench.call(READ, file_path="f"))

    assert (media_type, shown.size) == (f"image/{image_format.lower()}", (5, 4))


@pytest.mark.parametrize(
    ("image_format", "mode", "sent"),
    [
        ("PNG", "RGBA", "image/png"),
        ("JPEG", "RGB", "image/jpeg"),
        ("JPEG", "CMYK", "image/jpeg"),
        ("GIF", "P", "image/png"),
    ],
)
async def test_a_large_image_is_scaled_down(bench: Bench, image_format: str, mode: str, sent: str) -> None:
    """No side is longer than 2,000 pixels, and the text says so."""
    (bench.project / "f").write_bytes(picture((4000, 10), image_format=image_format, mode=mode))

    result = await bench.call(READ, file_path="f")

    media_type, shown = image_of(result)
    assert (media_type, shown.size) == (sent, (2000, 5))
    assert text_of(result).endswith("; shown scaled to 2000×5")


async def test_an_image_of_too_many_bytes_is_sent_smaller(bench: Bench) -> None:
    """What compresses badly goes out as JPEG."""
    noise = Image.frombytes("RGB", (1900, 1900), os.urandom(1900 * 1900 * 3))
    noise.save(bench.project / "f.png")

    result = await bench.call(READ, file_path="f.png")

    assert image_of(result)[0] == "image/jpeg"
    assert len(result.content[1]["source"]["data"]) <= 10_000_000  # type: ignore[index]


@pytest.mark.parametrize("side", [10_000, 60_000])
async def test_an_image_of_too_many_pixels_is_refused(bench: Bench, side: int) -> None:
    """A decompression bomb is not opened."""
    data = bytearray(picture())
    data[16:24] = side.to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    (bench.project / "f.png").write_bytes(data)

    result = await bench.call(READ, file_path="f.png")

    assert result.is_error
    assert "too many pixels" in text_of(result)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7\n...", "a PDF document"),
        (b"\x00\x01\x02", "binary data of an unknown kind"),
        (bytes(range(1, 32)) * 3, "binary data of an unknown kind"),
        (b"PK\x03\x04abc", "a zip archive"),
        (b"x" * 257 + b"ustar\x00", "a tar archive"),
    ],
)
async def test_binary_files_are_refused_by_name(bench: Bench, data: bytes, words: str) -> None:
    """The refusal says what the file seems to be."""
    (bench.project / "f").write_bytes(data)

    result = await bench.call(READ, file_path="f")

    assert result.is_error
    assert words in text_of(result)


async def test_f12_an_exact_name_wins(bench: Bench) -> None:
    """Of two lookalike names each is reached by its own."""
    odd, plain = "Shot 10.00\u202fAM.txt", "Shot 10.00 AM.txt"
    (bench.project / odd).write_text("REAL")
    (bench.project / plain).write_text("DECOY")

    assert "REAL" in text_of(await bench.call(READ, file_path=odd))
    assert "DECOY" in text_of(await bench.call(READ, file_path=plain))


async def test_f12_c_several_lookalikes_are_listed(bench: Bench) -> None:
    """Which one was meant cannot be known."""
    names = ["Shot 10.00\u202fAM.txt", "Shot 10.00\u00a0AM.txt"]
    for name in names:
        (bench.project / name).touch()

    result = await bench.call(READ, file_path="Shot 10.00 AM.txt")

    assert result.is_error
    assert all(name in text_of(result) for name in names)


async def test_an_image_among_the_own_files_is_shown(bench: Bench) -> None:
    """An image that left the view comes back as one; a broken one as escapes."""
    (bench.project / "whole").write_bytes(picture())
    (bench.project / "broken").write_bytes(picture()[:20])
    bench.facts.own_files.update(bench.project / name for name in ("whole", "broken"))

    assert image_of(await bench.call(READ, file_path="whole"))[0] == "image/png"
    assert "1\t\\x89PNG" in text_of(await bench.call(READ, file_path="broken"))


@pytest.mark.parametrize("data", [b"REAL\n", picture()])
async def test_f12_b_a_lookalike_that_was_taken_is_said(bench: Bench, data: bytes) -> None:
    """The result names the file that was really read."""
    odd = "Shot 10.00\u202fAM.txt"
    (bench.project / odd).write_bytes(data)

    result = await bench.call(READ, file_path="Shot 10.00 AM.txt")

    assert not result.is_error
    assert odd in text_of(result)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("reaadme.md", "Did you mean `docs/readme.md`?"),
        ("zzz", "with glob"),
        ("no/zzz", "Its folder does not exist"),
    ],
)
async def test_a_missing_file_names_what_may_be_meant(bench: Bench, name: str, words: str) -> None:
    """A near name in the same folder, else the way to find one."""
    (bench.project / "docs").mkdir()
    (bench.project / "docs" / "readme.md").touch()

    result = await bench.call(READ, file_path=f"docs/{name}")

    assert result.is_error
    assert words in text_of(result)


async def test_a_file_whose_read_fails_is_an_error(bench: Bench) -> None:
    """A file that opens but cannot be read gives the system's words."""
    result = await bench.call(READ, file_path="/proc/self/mem")

    assert result.is_error
    assert "cannot be read" in text_of(result)


def notebook() -> dict[str, object]:
    outputs = [
        {"output_type": "stream", "text": ["3\n"]},
        {"output_type": "execute_result", "data": {"text/plain": ["Figure"], "image/png": "iVBO"}},
        {"output_type": "display_data", "data": {"image/png": "iVBO"}},
        {"output_type": "error", "ename": "E", "evalue": "no", "traceback": ["tb1", "tb2"]},
        {"output_type": "error", "ename": "E", "evalue": "no"},
        {"output_type": "stream", "text": "y" * 10_005},
        {"output_type": "display_data"},
        "odd",
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "print(1+2)", "outputs": outputs},
        "odd",
        {"source": 5, "outputs": None},
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


async def test_a_notebook_is_shown_as_cells(bench: Bench) -> None:
    """Sources and outputs as text, in order; pictures are named only."""
    (bench.project / "book").write_text(json.dumps(notebook()))

    page = text_of(await bench.call(READ, file_path="book"))

    lines = [line.partition("\t")[2] for line in page.split("\n")]
    assert lines[:6] == ["[cell 1: markdown]", "# Title", "text", "", "[cell 2: code]", "print(1+2)"]
    assert lines[6:11] == ["[output of cell 2]", "3", "[output of cell 2]", "Figure", "(image/png not shown)"]
    assert lines[12:16] == ["(image/png not shown)", "[output of cell 2]", "tb1", "tb2"]
    assert "E: no" in lines
    assert "(5 more characters of this output)" in lines
    assert page.endswith("(notebook shown as cells; its file is JSON, and edit works on that)")
    assert not bench.facts.known[str(bench.project / "book")]["is_whole"]


async def test_a_notebook_has_pages(bench: Bench) -> None:
    """Offsets count the lines of the cells."""
    (bench.project / "book").write_text(json.dumps(notebook()))

    page = text_of(await bench.call(READ, file_path="book", offset=2, limit=1))

    assert page.startswith("2\t# Title\n")
    assert "next offset 3)" in page


@pytest.mark.parametrize(
    "text",
    ['{"cells": [], "nbformat": 4', '{"cells": 5, "nbformat": 4}', '["cells", "nbformat"]', '{"a": 1}'],
)
async def test_json_that_is_no_notebook_is_text(bench: Bench, text: str) -> None:
    """Only what parses and has a list of cells counts."""
    (bench.project / "f.ipynb").write_text(text + "\n")

    assert text_of(await bench.call(READ, file_path="f.ipynb")) == f"1\t{text}"


async def test_a_notebook_without_cells_says_so(bench: Bench) -> None:
    """An empty notebook is not a blank result."""
    (bench.project / "f").write_text('{"cells": [], "nbformat": 4}')

    assert text_of(await bench.call(READ, file_path="f")).startswith("1\t(no cells)\n")
