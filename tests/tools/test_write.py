"""The write tool: when it may write, and what it keeps."""

from pathlib import Path

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.base import ToolResult
from tools.edit import EDIT
from tools.read import READ
from tools.write import WRITE


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


async def write(bench: Bench, content: str, name: str = "f") -> ToolResult:
    return await bench.call(WRITE, file_path=name, content=content)


async def test_a_new_file_is_written_as_given(bench: Bench) -> None:
    """F13 f: byte for byte; parents are made; the answer is one line and the file is known whole."""
    result = await write(bench, "p\nq\n", "src/deep/a.py")

    path = bench.project / "src/deep/a.py"
    assert text_of(result) == "created src/deep/a.py: 2 lines, 4 bytes"
    assert path.read_bytes() == b"p\nq\n"
    assert bench.facts.known[str(path)]["is_whole"]
    assert result.facts["note"] == "2 lines"


@pytest.mark.parametrize("content", ["", "it’s\n", "a\r\nb\n", "\ufeffa", "no end"])
async def test_f15_b_characters_are_never_changed(bench: Bench, content: str) -> None:
    """Quotes, line ends and marks of a new file are the model's."""
    await write(bench, content)

    assert (bench.project / "f").read_bytes() == content.encode()


async def test_a_lone_surrogate_becomes_a_replacement_character(bench: Bench) -> None:
    """Half of an emoji can be in an input, but in no file."""
    await write(bench, "a\ud83d")

    assert (bench.project / "f").read_text("utf-8") == "a\ufffd"


async def test_f20_g_an_unread_file_is_refused(bench: Bench) -> None:
    """The refusal says how to go on; the file is untouched."""
    (bench.project / "f").write_text("old\n")

    result = await write(bench, "new\n")

    assert result.is_error
    assert "read it to its end first" in text_of(result)
    assert (bench.project / "f").read_text() == "old\n"


async def test_a_partly_read_file_is_refused(bench: Bench) -> None:
    """Only a file read to its end can be written over."""
    (bench.project / "f").write_text("1\n2\n3\n")
    await bench.call(READ, file_path="f", limit=2)

    result = await write(bench, "new\n")

    assert result.is_error
    assert "only lines 1-2 of 3 were read" in text_of(result)
    await bench.call(READ, file_path="f", offset=3)
    assert text_of(await write(bench, "new\n")) == "wrote f: 1 line, 4 bytes"


async def test_a_file_changed_outside_is_refused(bench: Bench) -> None:
    """Our own earlier write is known; what came after it is not."""
    await write(bench, "one\n")
    assert not (await write(bench, "two\n")).is_error
    (bench.project / "f").write_text("three\n")

    result = await write(bench, "four\n")

    assert result.is_error
    assert "changed on disk" in text_of(result)
    assert (bench.project / "f").read_text() == "three\n"


async def test_the_same_content_is_not_written(bench: Bench) -> None:
    """It is said, the file is not touched, and counts as known."""
    path = bench.project / "f"
    path.write_text("same\n")
    stamp = path.stat().st_mtime_ns

    result = await write(bench, "same\n")

    assert text_of(result) == "unchanged f: 1 line, 5 bytes (it had this content already)"
    assert path.stat().st_mtime_ns == stamp
    assert bench.facts.known[str(path)]["is_whole"]


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        pytest.param(b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n", id="h"),
        pytest.param(b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\r\n", id="h-half"),
        pytest.param(b"a\r\nb\n", "x\ny\n", b"x\ny\n", id="mixed before"),
        pytest.param(b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n", id="mark"),
        pytest.param(b"\xef\xbb\xbfa\n", "\ufeffx\n", b"\xef\xbb\xbfx\n", id="mark not doubled"),
        pytest.param(b"caf\xe9\n", "th\xe9\n", b"th\xe9\n", id="windows-1252"),
        pytest.param(b"", "x\n", b"x\n", id="empty"),
    ],
)
async def test_f13_h_the_convention_of_the_file_is_kept(
    bench: Bench, before: bytes, content: str, after: bytes
) -> None:
    """CRLF throughout stays CRLF throughout, never mixed; mark and encoding stay."""
    (bench.project / "f").write_bytes(before)
    await bench.call(READ, file_path="f")

    await write(bench, content)

    assert (bench.project / "f").read_bytes() == after


async def test_f13_h_kept_line_ends_are_said(bench: Bench) -> None:
    """The model learns that the file is not byte for byte what it sent."""
    (bench.project / "f").write_bytes(b"a\r\n")
    await bench.call(READ, file_path="f")

    result = await write(bench, "x\n")

    assert text_of(result) == "wrote f: 1 line, 3 bytes (CRLF line ends kept)"
    assert result.facts["diff"] == "    1 - a\n    1 + x"
    assert result.facts["note"] == "+1 −1"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"a\x00b"])
async def test_what_is_no_text_is_not_written_over(bench: Bench, data: bytes) -> None:
    """It could not have been read to its end."""
    (bench.project / "f").write_bytes(data)

    result = await write(bench, "x")

    assert result.is_error
    assert "is not text and was not changed" in text_of(result)


@pytest.mark.parametrize(("name", "words"), [("/dev/null", "is a character device"), (".", "is a directory")])
async def test_only_regular_files_are_written(bench: Bench, name: str, words: str) -> None:
    """Devices and folders are refused by name."""
    result = await write(bench, "x", name)

    assert result.is_error
    assert words in text_of(result)


async def test_a_file_as_a_parent_is_refused(bench: Bench) -> None:
    """The system's words are in the refusal."""
    (bench.project / "f").write_text("x\n")

    result = await write(bench, "x", "f/g")

    assert result.is_error
    assert "could not be written" in text_of(result) or "cannot be used" in text_of(result)


async def test_f12_d_no_twin_of_a_lookalike_name(bench: Bench) -> None:
    """A write to the plain-space name means the file that is there."""
    odd = "Shot 10.00\u202fAM.txt"
    (bench.project / odd).write_text("REAL\n")
    await bench.call(READ, file_path=odd)

    result = await write(bench, "NEW\n", "Shot 10.00 AM.txt")

    assert odd in text_of(result)
    assert [path.name for path in bench.project.iterdir()] == [odd]


async def test_an_edit_follows_a_write(bench: Bench) -> None:
    """F18: a file just written needs no read."""
    await write(bench, "one\n")

    result = await bench.call(EDIT, file_path="f", old_string="one", new_string="two")

    assert not result.is_error
    assert (bench.project / "f").read_text() == "two\n"
