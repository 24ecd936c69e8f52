"""The draft that a killed program has left in an editor."""

import os
from pathlib import Path

import pytest

from agent.terminal.editor import NAME, PREFIX, left_over, remove_left_over


def place(folder: Path, name: str) -> Path:
    """Return the path of a draft in a folder of its own."""
    (folder / f"{PREFIX}{name}").mkdir()
    return folder / f"{PREFIX}{name}" / NAME


def test_the_newest_is_taken_and_all_are_removed(tmp_path: Path) -> None:
    """Without control characters and the last line end; what else lies there stays."""
    assert left_over(tmp_path) == ""
    for name, at in (("a", 2_000), ("b", 1_000)):
        place(tmp_path, name).write_text(f"draft \x1b{name}\n\n")
        os.utime(tmp_path / f"{PREFIX}{name}" / NAME, (at, at))
    (tmp_path / "typed.json").touch()
    assert left_over(tmp_path) == "draft a"
    remove_left_over(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["typed.json"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Neither the file's nor the folder's: nothing of the user's gets into the input, and nothing of it is removed."""
    secret = tmp_path / "home"
    secret.mkdir()
    (secret / NAME).write_text("secret")
    folder = tmp_path / "session"
    folder.mkdir()
    place(folder, "a").symlink_to(secret / NAME)
    (folder / f"{PREFIX}b").symlink_to(secret)
    assert left_over(folder) == ""
    remove_left_over(folder)
    assert (secret / NAME).read_text() == "secret"


def test_a_pipe_is_no_draft(tmp_path: Path) -> None:
    """It would be waited for."""
    os.mkfifo(place(tmp_path, "a"))
    with pytest.raises(OSError, match="no file"):
        left_over(tmp_path)
