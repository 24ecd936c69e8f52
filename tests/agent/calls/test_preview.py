"""The change that a write or edit would make."""

from pathlib import Path

import pytest

from agent.calls.preview import MAX_BYTES, change_of


def test_an_edit_shows_what_it_changes(tmp_path: Path) -> None:
    """With the lines around it, numbered; all places with replace_all, else the first."""
    (tmp_path / "a.py").write_text("one\r\ntwo\r\none\r\n")
    given = {"file_path": "a.py", "old_string": "one", "new_string": "three"}
    assert change_of("edit", given, tmp_path).count("+ three") == 1
    assert change_of("edit", {**given, "replace_all": True}, tmp_path).count("+ three") == 2
    assert "    2   two" in change_of("edit", given, tmp_path)


def test_an_edit_that_does_not_fit_shows_its_two_texts(tmp_path: Path) -> None:
    """The file is not there, or does not hold the old text: the tool will say so."""
    given = {"file_path": "a.py", "old_string": "one", "new_string": "two"}
    assert change_of("edit", given, tmp_path).split() == ["1", "-", "one", "1", "+", "two"]


def test_a_write_shows_the_file_it_replaces(tmp_path: Path) -> None:
    """A new file is all additions."""
    given = {"file_path": "sub/a.py", "content": "one\n"}
    assert change_of("write", given, tmp_path).split() == ["1", "+", "one"]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.py").write_text("zero\n")
    assert change_of("write", given, tmp_path).split() == ["1", "-", "zero", "1", "+", "one"]


@pytest.mark.parametrize("what", ["a folder", "bytes", "too large", "a bad name", "another tool"])
def test_what_cannot_be_shown_is_empty(tmp_path: Path, what: str) -> None:
    """Then the input itself is what is asked about."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    names = {"a folder": "folder", "bytes": "bytes", "too large": "large", "a bad name": "a\0b"}
    name = "read" if what == "another tool" else "write"
    assert change_of(name, {"file_path": names.get(what, "x"), "content": ""}, tmp_path) == ""
