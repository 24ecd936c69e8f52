"""Files as a whole session meets them: calls on one file in one reply (F18), images that are none (F10)."""

import struct
import zlib
from pathlib import Path

import pytest

from agent.offline import Reply, calls, says
from tests.support.agent import scenario

NUMBERS = "".join(f"{number}\n" for number in range(1, 101))


def edit(old: str, new: str) -> Reply:
    """An edit of `n.txt`."""
    return calls("edit", file_path="n.txt", old_string=old, new_string=new)


TWO_EDITS = edit("\n50\n", "\nFIFTY\n") + edit("\n75\n", "\nSEVENTY-FIVE\n")


async def test_f18_two_edits_of_one_file(tmp_path: Path) -> None:
    """One after the other, both stand; twenty times."""
    read = calls("read", file_path="n.txt")
    turns = [reply for _ in range(20) for reply in (read + TWO_EDITS, says("Done."))]
    async with scenario(tmp_path, *turns, files={"n.txt": NUMBERS}) as harness:
        for _ in range(20):
            (harness.project / "n.txt").write_text(NUMBERS)
            assert (await harness.turn("Go.")).text == "Done."
            lines = harness.read("n.txt").splitlines()
            assert (lines[49], lines[74], len(lines)) == ("FIFTY", "SEVENTY-FIVE", 100)
        assert not any(record["is_error"] for record in harness.log_records("result"))


async def test_f18_an_edit_and_a_command(tmp_path: Path) -> None:
    """A command behind an edit sees the edit; the results stand in call order."""
    both = edit("\n50\n", "\nFIFTY\n") + calls("bash", command="sed -i s/^10$/TEN/ n.txt")
    async with scenario(
        tmp_path, calls("read", file_path="n.txt"), both, says("Done."), files={"n.txt": NUMBERS}
    ) as harness:
        await harness.turn("Go.")
        lines = harness.read("n.txt").splitlines()
        assert (lines[9], lines[49], len(lines)) == ("TEN", "FIFTY", 100)
        assert [record["name"] for record in harness.log_records("result")] == ["read", "edit", "bash"]


async def test_f18_a_new_file_and_an_edit_of_it(tmp_path: Path) -> None:
    """What was written in the same reply is known content for the edit."""
    both = calls("write", file_path="n.txt", content=NUMBERS) + edit("\n50\n", "\nFIFTY\n")
    async with scenario(tmp_path, both, says("Done.")) as harness:
        await harness.turn("Go.")
        assert harness.read("n.txt") == NUMBERS.replace("\n50\n", "\nFIFTY\n")


def png() -> bytes:
    """A real image of one dot."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0\0\0\0"))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        pytest.param("a.png", b"<html>404</html>", "", id="a"),
        pytest.param("b.jpg", png(), "image/png", id="b"),
        pytest.param("c.png", png()[:20], "", id="c"),
        pytest.param("d.png", b"", "", id="d"),
        pytest.param("tool", b"#!/bin/sh\necho hi\n", "", id="e"),
        pytest.param("a.out", b"\x7fELF\0\1", "", id="f"),
        pytest.param("notes.dat", b"hello", "", id="g"),
        pytest.param("h.txt", ("a" + "漢" * 3000).encode(), "", id="h"),
    ],
)
async def test_f10_images_that_are_none(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    """The type comes from the content; no request is refused, and the turn after works, also after resume."""
    async with scenario(
        tmp_path,
        calls("read", file_path=name),
        says("Done."),
        says("Hello."),
        says("Hello again."),
        files={name: data},
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert (await harness.turn("hi")).text == "Hello."
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello again."
        content = harness.log_records("result")[0]["content"]
        parts = [] if isinstance(content, str) else content
        kinds = [part["source"]["media_type"] for part in parts if part["type"] == "image"]
        assert kinds == ([kind] if kind else [])
