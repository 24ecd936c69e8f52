"""Files that are held open outlive their names."""

from pathlib import Path

import pytest

from agent.session.held import Held
from tests.support.reachable import sha


def made(folder: Path, amount: int) -> list[str]:
    """Files with content of their own."""
    folder.mkdir(exist_ok=True)
    paths = [folder / str(number) for number in range(amount)]
    for path in paths:
        path.write_bytes(path.name.encode() * 9)
    return [str(path) for path in paths]


def open_files() -> int:
    """How many descriptors this process has."""
    return len(list(Path("/dev/fd").iterdir()))


def test_put_back_again_and_again(tmp_path: Path) -> None:
    """A file that was put back is held anew, also when its folder was gone; it is the user's alone."""
    [path] = made(tmp_path / "kept", 1)
    held = Held()
    for _ in range(3):
        held.hold([path])
        Path(path).unlink()
        Path(path).parent.rename(tmp_path / "elsewhere")
        assert held.put_back(path, sha(b"0" * 9))
        assert Path(path).read_bytes() == b"0" * 9
        assert Path(path).stat().st_mode & 0o777 == 0o600
        for file in (tmp_path / "elsewhere").iterdir():
            file.unlink()
        (tmp_path / "elsewhere").rmdir()
    held.close()


def test_another_content_is_not_put_back(tmp_path: Path) -> None:
    """What was changed in its place is not what the log tells of; what is not held cannot be put back."""
    [path] = made(tmp_path, 1)
    held = Held()
    held.hold([path, str(tmp_path / "none")])
    Path(path).write_bytes(b"changed")
    Path(path).unlink()
    assert not held.put_back(path, sha(b"0" * 9))
    assert not held.put_back(str(tmp_path / "none"), "")
    assert not Path(path).exists()
    held.close()


def test_the_newest_are_held(tmp_path: Path) -> None:
    """Never more than so many descriptors, whether they come at once or one by one; all are closed at the end."""
    before = open_files()
    paths = made(tmp_path, 9)
    held = Held(3)
    held.hold(paths[:5])
    for path in paths[5:]:
        held.hold(paths[:9] if path == paths[8] else [path])
        assert open_files() == before + 3
    for path in paths:
        Path(path).unlink()
    assert [path for path in paths if held.put_back(path, "")] == paths[6:]
    held.close()
    held.hold(made(tmp_path / "late", 1))
    assert open_files() == before


def test_a_disk_that_refuses(tmp_path: Path) -> None:
    """The file stays held, and is put back later."""
    [path] = made(tmp_path / "kept", 1)
    held = Held()
    held.hold([path])
    (tmp_path / "kept").rename(tmp_path / "other")
    (tmp_path / "kept").write_bytes(b"a file in the place of the folder")
    with pytest.raises(OSError, match=r"exists|Not a directory"):
        held.put_back(path, "")
    (tmp_path / "kept").unlink()
    assert held.put_back(path, "")
    held.close()
