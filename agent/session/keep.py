"""Files beside a session: whole on disk or not there at all."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from tools.spill import make_private_folder


def keep_file(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, private, by way of a temporary file; on disk when this returns.

    Raises OSError, and then leaves nothing behind.
    """
    keep_chunks(path, [data])


def keep_chunks(path: Path, chunks: Iterable[bytes]) -> None:
    """Do that with the bytes of ``chunks``, one after the other."""
    make_private_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for data in chunks:
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
