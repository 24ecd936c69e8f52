"""Pictures that the user's words name: which files are meant, and what is sent of them."""

import base64
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.offline.pictures import check_whole, size_of
from agent.pictures import MOST_PICTURES, NamedPictures, named
from tests.support.pictures import picture

NAMES = (
    "shot.png",
    "my shot.PNG",
    "sub/a.jpg",
    "it's (1).webp",
    "narrow\u202fblank.gif",
    "x.png.bak",
    "note.txt",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with files that have names of pictures, and others."""
    for name in NAMES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(picture())
    return tmp_path.resolve()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("what is wrong in shot.png?", ["shot.png"]),
        ("shot.png", ["shot.png"]),
        ("compare shot.png, sub/a.jpg and shot.png.", ["shot.png", "sub/a.jpg"]),
        ("(see @shot.png)", ["shot.png"]),
        ('look at "my shot.PNG" now', ["my shot.PNG"]),
        ("look at 'my shot.PNG' now", ["my shot.PNG"]),
        ('@"my shot.PNG"', ["my shot.PNG"]),
        ("look at my\\ shot.PNG now", ["my shot.PNG"]),
        ("my shot.PNG", ["my shot.PNG"]),
        ("words\n  my shot.PNG  \nmore words", ["my shot.PNG"]),
        ("it\\'s\\ \\(1\\).webp", ["it's (1).webp"]),
        ("\"it's (1).webp\" it's", ["it's (1).webp"]),
        ("narrow\u202fblank.gif is odd", ["narrow\u202fblank.gif"]),
        ("it's in shot.png, isn't it", ["shot.png"]),
        ("'tis in shot.png, isn't it", ["shot.png"]),
        ("![alt](shot.png)", ["shot.png"]),
        ("file://{project}/my%20shot.PNG", ["my shot.PNG"]),
        ("file://localhost{project}/shot.png", ["shot.png"]),
        ("{project}/sub/../shot.png", ["shot.png"]),
        ("x.png.bak note.txt shot.pngx missing.png sub", []),
        ("", []),
        ("\0.png " + "a" * 5_000 + ".png ~nobody-here/a.png", []),
    ],
)
def test_named(project: Path, words: str, meant: list[str]) -> None:
    """Typed, quoted, escaped as terminals do for what is dragged, as an address, alone on a line; each file once."""
    found = named(words.replace("{project}", str(project)), project)
    assert [str(path.relative_to(project)) for path in found] == meant


@given(words=st.text(st.sampled_from("ab.png'\"\\ /@()\n%~:"), max_size=60))
def test_any_words(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    """Whatever is written, what is found is there and has the name of a picture."""
    folder = tmp_path_factory.getbasetemp()
    (folder / "a.png").touch()
    assert all(path.is_file() and path.suffix.lower() == ".png" for path in named(words, folder))


def test_in_a_long_paste(project: Path) -> None:
    """A picture is found on a line of its own among very many; on a line of thousands of characters none is looked for."""
    assert [path.name for path in named("row\n" * 100_000 + "shot.png\n" + "row\n" * 100_000, project)] == [
        "shot.png"
    ]
    assert list(named("shot.png " + "'\"" * 1_000_000, project)) == []


@pytest.mark.parametrize("image_format", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_what_is_sent(tmp_path: Path, image_format: str) -> None:
    """A line that names it, then the picture, whole; the user is told its name and size."""
    (tmp_path / "a.png").write_bytes(picture((30, 20), image_format=image_format))
    seen = await NamedPictures(tmp_path).see("look at a.png")
    line, image = seen.blocks
    assert line["type"] == "text"
    assert line["text"].startswith(f"`a.png`: {image_format} 30×20, ")
    assert image["type"] == "image"
    assert image["source"]["media_type"] == f"image/{image_format.lower()}"
    assert [(notice.text, notice.is_error) for notice in seen.notices] == [("[image a.png 30x20]", False)]


async def test_a_large_one_is_scaled_down(tmp_path: Path) -> None:
    """To what the API takes in every request."""
    (tmp_path / "a.png").write_bytes(picture((4_100, 100)))
    seen = await NamedPictures(tmp_path).see("a.png")
    assert seen.blocks[1]["type"] == "image"
    data = base64.b64decode(seen.blocks[1]["source"]["data"])
    check_whole(data)
    assert max(size_of(data)) == 2_000


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (
            picture()[:-9],
            "not sent as a picture: `a.png` is a PNG image whose end is missing; get a whole one.",
        ),
        (b"#!/bin/sh\n", "not sent as a picture: `a.png` is no PNG, JPEG, GIF or WebP."),
        (b"", "not sent as a picture: `a.png` is no PNG, JPEG, GIF or WebP."),
    ],
)
async def test_what_is_no_picture(tmp_path: Path, data: bytes, told: str) -> None:
    """It is said, nothing is sent of it, and the others are."""
    (tmp_path / "a.png").write_bytes(data)
    (tmp_path / "b.png").write_bytes(picture())
    seen = await NamedPictures(tmp_path).see("a.png and b.png")
    assert [notice.text for notice in seen.notices] == [told, "[image b.png 3x2]"]
    assert [notice.is_error for notice in seen.notices] == [True, False]
    assert len(seen.blocks) == 2


async def test_what_is_no_file(tmp_path: Path) -> None:
    """A folder, a pipe and a link to nothing are words; nobody waits for what a pipe would say."""
    (tmp_path / "a.png").mkdir()
    os.mkfifo(tmp_path / "b.png")
    (tmp_path / "c.png").symlink_to("nowhere.png")
    seen = await NamedPictures(tmp_path).see("a.png b.png c.png")
    assert (seen.blocks, seen.notices) == ([], [])


async def test_too_many(tmp_path: Path) -> None:
    """The first ones are sent, and that is said."""
    names = [f"{number}.png" for number in range(MOST_PICTURES + 2)]
    for number, name in enumerate(names):
        (tmp_path / name).write_bytes(picture(shade=number))
    seen = await NamedPictures(tmp_path).see(" ".join(names))
    assert len(seen.blocks) == 2 * MOST_PICTURES
    assert seen.notices[-1].text == f"only the first {MOST_PICTURES} pictures are sent"
