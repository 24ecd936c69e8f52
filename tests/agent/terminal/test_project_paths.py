"""The paths of a project, as they are now."""

import subprocess
import time
from pathlib import Path

from agent.terminal.project_paths import FRESH_S, ProjectPaths, listed, with_folders


def made(project: Path, *names: str) -> None:
    """Make empty files."""
    for name in names:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()


def test_listed(tmp_path: Path) -> None:
    """As git lists them, tracked or not, ignored and removed ones left out; without git the first two levels."""
    made(tmp_path, "a.py", "x/b c.py", "x/y/c.py", "build/out", "gone.py")
    assert listed(tmp_path) == ["a.py", "build/out", "gone.py", "x/b c.py"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("build\n")
    subprocess.run(["git", "add", "gone.py", "a.py"], cwd=tmp_path, check=True)
    (tmp_path / "gone.py").unlink()
    assert sorted(listed(tmp_path)) == [".gitignore", "a.py", "x/b c.py", "x/y/c.py"]
    assert sorted(listed(tmp_path / "x")) == ["b c.py", "y/c.py"]


def test_with_folders() -> None:
    """Every folder on the way is a path of its own; a name that breaks a line, or is no text, is none."""
    assert with_folders(["a.py", "x/y/c.py", "x/b.py", "z/od\nd.py", "z/\ufffd.py"]) == {
        "a.py",
        "x/",
        "x/y/",
        "x/y/c.py",
        "x/b.py",
    }


def test_listed_anew(tmp_path: Path) -> None:
    """A file that was made or removed since is found, or not, once the list is no longer fresh."""
    made(tmp_path, "one.py")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    paths = ProjectPaths(tmp_path)
    assert paths.find("two", 9) == []
    made(tmp_path, "sub/two.py")
    (tmp_path / "one.py").unlink()
    give_up_at = time.monotonic() + 60 * FRESH_S
    while not (found := paths.find("two", 9)):
        assert time.monotonic() < give_up_at
        time.sleep(FRESH_S / 5)
    assert found == ["sub/two.py"]
    assert paths.find("one", 9) == []
