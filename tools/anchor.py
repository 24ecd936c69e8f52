"""The folder of a file, held open: what happens to the path meanwhile, the file is looked for in this very folder."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")
_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class MovedError(OSError):
    """A part of a resolved path is a link by now."""


@contextmanager
def anchored(path: Path, *, makes_folders: bool = False) -> Iterator[Path]:
    """Yield a path to the same file that no link put into ``path`` meanwhile can lead elsewhere.

    Args:      path: absolute, resolved: no part of it was a link; makes_folders: those that are missing on the way.
    Contract:  only its folder is held; who opens the last name must not follow a link. Where the system has no paths
               by descriptor, ``path`` itself is yielded.
    Raises:    OSError; MovedError.
    """
    folder = _opened_folder(path.parent, makes_folders=makes_folders)
    try:
        held = _DESCRIPTORS / str(folder)
        yield held / path.name if held.exists() else path
    finally:
        os.close(folder)


def refuse_link(path: Path) -> os.stat_result:
    """Return what ``path`` is, without following a link. Raises MovedError if it is one."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise MovedError(errno.ELOOP, os.strerror(errno.ELOOP))
    return found


def _opened_folder(folder: Path, *, makes_folders: bool) -> int:
    current = os.open(folder.anchor, _FLAGS)
    for name in folder.parts[1:]:
        try:
            if makes_folders:
                _make(name, current)
            inner = os.open(name, _FLAGS, dir_fd=current)
        except NotADirectoryError:
            if stat.S_ISLNK(os.stat(name, dir_fd=current, follow_symlinks=False).st_mode):
                raise MovedError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
            raise
        finally:
            os.close(current)
        current = inner
    return current


def _make(name: str, folder: int) -> None:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        with suppress(FileExistsError):  # somebody else was quicker
            os.mkdir(name, dir_fd=folder)
