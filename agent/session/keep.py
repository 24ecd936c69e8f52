"""Files beside a session: whole on disk or not there at all."""

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from tools.spill import make_private_folder


def open_kept(path: Path) -> BinaryIO:
    """Open a file that was kept. Raises OSError, also for what is no file: a pipe would block, a device has no end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no file", str(path))
    return os.fdopen(descriptor, "rb")


def keep_file(path: Path, data: bytes, *, is_synced: bool = True) -> None:
    """Write ``data`` to ``path``, private, by way of a temporary file; on disk when this returns if ``is_synced``.

    Raises OSError, and then leaves nothing behind.
    """
    keep_chunks(path, [data], is_synced=is_synced)


def keep_chunks(path: Path, chunks: Iterable[bytes], *, is_synced: bool = True) -> None:
    """Do that with the bytes of ``chunks``, one after the other."""
    make_private_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for data in chunks:
                file.write(data)
            file.flush()
            if is_synced:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
