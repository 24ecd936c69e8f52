"""What somebody removes while it is written, and what a full disk left empty."""

import stat
from pathlib import Path

import pytest

from tools.base import ResolvedPath
from tools.files import replace
from tools.spill import SpillFile, hide_from_git, make_private_folder


@pytest.mark.parametrize("is_folder_gone", [True, False])
def test_a_spill_that_is_removed_while_it_grows(tmp_path: Path, is_folder_gone: bool) -> None:
    """It is written anew from what is still open; nothing else is left behind."""
    folder = tmp_path / "spills"
    file = SpillFile(folder / "s")
    file.write(b"one ")
    for path in folder.iterdir():
        path.unlink()
    if is_folder_gone:
        folder.rmdir()
    file.write(b"two")
    spill = file.finish(project=tmp_path)
    assert (folder / "s").read_bytes() == b"one two"
    assert (spill.bytes, spill.path) == (7, "spills/s")
    assert {path.name for path in folder.iterdir()} <= {"s", ".gitignore"}


@pytest.mark.parametrize(("was", "becomes"), [(None, "*\n"), ("", "*\n"), ("!*\n", "!*\n")])
def test_a_folder_is_hidden(tmp_path: Path, was: str | None, becomes: str) -> None:
    """A missing or empty `.gitignore` is written, one that says something is the user's."""
    folder = tmp_path / "own"
    make_private_folder(folder)
    ignore = folder / ".gitignore"
    ignore.unlink()
    if was is not None:
        ignore.write_text(was, "ascii")
    hide_from_git(folder)
    assert ignore.read_text("ascii") == becomes


@pytest.mark.parametrize("names", [1, 2])
def test_content_and_mode_come_together(tmp_path: Path, names: int) -> None:
    """A mode that is asked for holds for a new file, a replaced one, and one that is written in place."""
    path = tmp_path / "f"
    target = ResolvedPath(path=path, shown="f", access="write", is_inside=True, is_own=False)
    replace(target, b"one", old=None, mode=0o640)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    if names > 1:
        (tmp_path / "other").hardlink_to(path)
    replace(target, b"two", old=b"one", mode=0o755)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o755)
