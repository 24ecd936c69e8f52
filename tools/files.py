"""Opening files without ever blocking, and changing them whole or not at all."""

import asyncio
import difflib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from tools.anchor import MovedError, anchored, refuse_link
from tools.base import ResolvedPath, ToolError
from tools.kinds import not_regular
from tools.paths import moved

MAX_CHANGE_BYTES = 64_000_000
"""write and edit hold a file in memory; larger ones are for bash."""

_OPENING = os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW
_CHUNK_BYTES = 262_144
_MAX_SIBLINGS = 2_000
_PIPE_NAMES = ("pipe:[", "socket:[", "anon_inode:")

_Result = TypeVar("_Result")


async def run_to_end(work: Callable[[], _Result]) -> _Result:
    """Run ``work`` in a thread and return its result, also when cancelled meanwhile.

    A change to the disk must be reported as done or not done, and the lock around it held until it is over.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            continue
    return task.result()


@contextmanager
def opened(target: ResolvedPath) -> Iterator[int]:
    """Open a regular file for reading and yield its descriptor.

    Raises:    ToolError: missing, no regular file, not readable; also for what fails inside the block.
    """
    with _explained(target), anchored(target.path) as path:
        # Looked at before opening: opening alone makes some devices act.
        _refuse_other(refuse_link(path).st_mode, target.shown)
        descriptor = os.open(path, os.O_RDONLY | _OPENING)
        try:
            _refuse_other(os.fstat(descriptor).st_mode, target.shown)
            yield descriptor
        finally:
            os.close(descriptor)


@contextmanager
def _explained(target: ResolvedPath) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise ToolError(_explain(problem, target)) from problem


def chunks(descriptor: int) -> Iterator[bytes]:
    """Yield the rest of an open file piece by piece."""
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        yield chunk


def read_all(descriptor: int, *, max_bytes: int, shown: str) -> bytes:
    """Return the rest of an open file.

    Raises:    ToolError: it is larger than ``max_bytes``.
    """
    data = bytearray()
    for chunk in chunks(descriptor):
        data += chunk
        if len(data) > max_bytes:
            raise ToolError(f"`{shown}` is larger than {max_bytes:,} bytes; work on it with bash instead.")
    return bytes(data)


def replace(target: ResolvedPath, data: bytes, *, old: bytes | None, mode: int | None = None) -> str:
    """Make ``data`` the content of ``target``, whole or not at all; ``old`` is its content now, None if new.

    Keeps owner and mode, unless ``mode`` says another. A file with several hard links, or whose owner cannot be kept, is
    written in place.

    Returns:   a remark for the model, mostly empty.
    Raises:    ToolError: the file is as it was, and no other file is left behind.
    """
    try:
        with anchored(target.path, makes_folders=old is None) as path:
            before = None if old is None else refuse_link(path)
            _refuse_read_only(path, target.shown, is_new=old is None)
            if before is not None and before.st_nlink > 1:
                _write_in_place(path, data, old or b"", mode)
                return "written in place, because the file has several hard links"
            if _write_and_rename(path, data, before, mode):
                return ""
            _write_in_place(path, data, old or b"", mode)
    except MovedError as problem:
        raise ToolError(_explain(problem, target)) from problem
    except OSError as problem:
        raise ToolError(
            f"`{target.shown}` could not be written ({problem.strerror}); it is as it was before. Mend that first, or tell the user."
        ) from problem
    return "written in place, because its owner could not be kept otherwise"


def _refuse_other(mode: int, shown: str) -> None:
    reason = not_regular(mode)
    if reason is not None:
        raise ToolError(f"`{shown}` {reason}.")


def _explain(problem: OSError, target: ResolvedPath) -> str:
    if isinstance(problem, MovedError):
        return moved(target.shown)
    if not isinstance(problem, FileNotFoundError):
        return f"`{target.shown}` cannot be read: {problem.strerror}. If it is needed, tell the user."
    if target.path.name.startswith(_PIPE_NAMES):
        return f"`{target.shown}` is a pipe or socket of a process; only regular files can be used, so reach it with bash."
    return f"`{target.shown}` does not exist.{_guess(target)}"


def _guess(target: ResolvedPath) -> str:
    """Name a file of the same folder that may have been meant."""
    try:
        with os.scandir(target.path.parent) as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MAX_SIBLINGS), strict=False)]
    except OSError:
        return " Its folder does not exist either; find the right path with glob."
    close = difflib.get_close_matches(target.path.name, names, n=1)
    if not close:
        return " Find the right path with glob."
    return f" Did you mean `{Path(target.shown).with_name(close[0])}`?"


def _refuse_read_only(path: Path, shown: str, *, is_new: bool) -> None:
    """Refuse what the mode bits protect: a rename would pass over a file's, and root over all of them."""
    for checked in [path.parent] if is_new else [path, path.parent]:
        mode = stat.S_IMODE(checked.stat().st_mode)
        if not mode & 0o222 or not os.access(checked, os.W_OK):
            what = "It" if checked == path else "Its folder"
            raise ToolError(
                f"`{shown}` was not changed. {what} is read-only (mode {mode:04o}); "
                "ask the user, or `chmod u+w` it with bash."
            )


def _write_and_rename(path: Path, data: bytes, before: os.stat_result | None, mode: int | None) -> bool:
    """Return False, with nothing changed, if the new file could not get the old one's owner."""
    temporary = path.with_name(f".agent-{secrets.token_hex(6)}.tmp")
    try:
        # A new file gets what the umask leaves; a replaced one shows its content to nobody too early.
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if before is None else 0o600
        )
        try:
            if before is not None and not _dress(descriptor, before):
                return False
            if mode is not None:
                os.fchmod(descriptor, mode)
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def _dress(descriptor: int, before: os.stat_result) -> bool:
    """Give the open file the owner and mode of ``before``; False if the owner cannot be had."""
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(descriptor, before.st_uid, before.st_gid)
        except PermissionError:
            return False
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
    return True


def _write_in_place(path: Path, data: bytes, old: bytes, mode: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | _OPENING)
    try:
        try:
            _write_all(descriptor, data)
        except OSError:
            # The old length is still allocated: its bytes fit again even on a full disk.
            os.lseek(descriptor, 0, os.SEEK_SET)
            _write_all(descriptor, old)
            os.ftruncate(descriptor, len(old))
            raise
        os.ftruncate(descriptor, len(data))
        if mode is not None:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
