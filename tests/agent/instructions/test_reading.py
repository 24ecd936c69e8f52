"""The text of one instruction file, whatever stands at its path."""

import os
import socket
from pathlib import Path

import pytest

from agent.instructions.gathering import notes_of
from agent.instructions.places import Places
from agent.instructions.reading import MAX_BYTES, NotReadError, read_content


@pytest.mark.parametrize(
    ("data", "text", "first_line"),
    [
        (b"plain\n", "plain", 1),
        (b"\n \r\n  a\r\nb\r\n\r\n", "a\nb", 3),
        ("﻿with a mark".encode(), "with a mark", 1),
        ("of another system é".encode("utf-16"), "of another system é", 1),
        ("of another system é".encode("utf-16-be"), None, 0),
        (b"\xfe\xff" + "turned é".encode("utf-16-be"), "turned é", 1),
        (b"caf\xe9 \xed\xa0\x80", "caf\ufffd \ufffd\ufffd\ufffd", 1),
        (b"\x89PNG\r\n\0\0", None, 0),
        (b"", "", 1),
    ],
)
def test_bytes_become_text(tmp_path: Path, data: bytes, text: str | None, first_line: int) -> None:
    """Marks of an encoding are taken, CRLF is a line's end, what is no character is replaced; what is no text is said."""
    path = tmp_path.resolve() / "a.md"
    path.write_bytes(data)
    if text is None:
        with pytest.raises(NotReadError, match="it is no text"):
            read_content(path)
    else:
        content = read_content(path)
        assert (content.text, content.first_line, content.size) == (text, first_line, len(data))


def test_a_huge_file_is_read_as_far_as_it_is_of_use(tmp_path: Path) -> None:
    """A file of a gigabyte costs no more than one of some hundred kilobytes, and its size is known."""
    path = tmp_path.resolve() / "AGENTS.md"
    with path.open("wb") as file:
        file.write(b"x" * 1_000 + b"\n" * 1_000 + b"y" * MAX_BYTES)
        file.truncate(1_000_000_000)
    content = read_content(path)
    assert (content.is_whole, content.size, len(content.text)) == (False, 1_000_000_000, MAX_BYTES)


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "device", "circle", "shut"])
@pytest.mark.parametrize("place", ["project", "home"])
def test_what_is_no_file_is_said_and_passed_over(tmp_path: Path, kind: str, place: str) -> None:
    """Nobody waits for whoever would write to a pipe, no device without end is read, and CLAUDE.md takes its place."""
    project, home = tmp_path / "project", tmp_path / "home"
    path = (project if place == "project" else home) / "AGENTS.md"
    project.mkdir()
    home.mkdir()
    (project / "CLAUDE.md").write_text("IN ITS PLACE")
    made(path, kind)
    notes = notes_of(Places(project=project, home=home, trusted=None, user_home=tmp_path))
    said = {note.shown: note.text or note.problem for note in notes}
    assert said.pop("CLAUDE.md") == "IN ITS PLACE"
    if kind == "shut" and os.access(path, os.R_OK):  # as root
        return
    assert list(said.values()) in (
        ["it is no regular file"],
        ["it is a folder"],
        ["no such device or address"],
        ["permission denied"],
        ["too many levels of symbolic links"],
        ["its path was changed while it was looked at"],
        ["secrets lie there, which are never told"],
    )


def made(path: Path, kind: str) -> None:
    """Put something there that is no file to be read."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            os.chdir(path.parent)  # a socket's path must be short
            made.bind(path.name)
    elif kind == "shut":
        path.write_text("")
        path.chmod(0)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path.name)


def test_a_link_put_there_meanwhile_is_not_followed(tmp_path: Path) -> None:
    """What was resolved is read, or nothing: neither its name nor a folder on the way may have become a link."""
    folder = tmp_path.resolve() / "docs"
    folder.mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/a.md").write_text("SECRET")
    (folder / "a.md").symlink_to(tmp_path / "secret/a.md")
    with pytest.raises(NotReadError):
        read_content(folder / "a.md")
    (folder / "a.md").unlink()
    folder.rmdir()
    folder.symlink_to(tmp_path / "secret")
    with pytest.raises(NotReadError, match="its path was changed"):
        read_content(folder / "a.md")
