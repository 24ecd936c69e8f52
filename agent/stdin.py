"""Text from a pipe or file on stdin."""

import os
import select
from collections.abc import Callable
from typing import TextIO

from agent.errors import UsageError

QUIET_S = 3.0
"""An open pipe that says nothing for so long is most likely one that nobody will ever write to."""
MAX_BYTES = 10_000_000
"""More than the window of any model holds, several times over."""
_CHUNK_BYTES = 65_536


def piped_text(
    stdin: TextIO | None, say: Callable[[str], None], *, is_needed: bool, quiet_s: float = QUIET_S
) -> str:
    """Return all that stdin holds; empty for a terminal, a closed one, or one that stays silent.

    ``is_needed``: there is no other prompt, so silence is waited out. Bytes that are not UTF-8 become U+FFFD.

    Raises:    UsageError: it cannot be read, or holds too much.
    """
    if stdin is None or stdin.closed or stdin.isatty():
        return ""
    try:
        data = _read(stdin.fileno(), say, is_needed=is_needed, quiet_s=quiet_s)
    except OSError as error:
        raise UsageError(f"stdin cannot be read: {error.strerror}") from error
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _read(descriptor: int, say: Callable[[str], None], *, is_needed: bool, quiet_s: float) -> bytes:
    data = bytearray()
    patience_s: float | None = quiet_s
    while True:
        if not select.select([descriptor], [], [], patience_s)[0]:
            if not data and not is_needed:
                say(
                    f"nothing came on stdin for {quiet_s:g} s: going on without it (`</dev/null` says so at once)"
                )
                return b""
            say("waiting for the end of stdin …")
            patience_s = None
            continue
        chunk = os.read(descriptor, _CHUNK_BYTES)
        if not chunk:
            return bytes(data)
        data += chunk
        if len(data) > MAX_BYTES:
            raise UsageError(
                f"stdin holds more than {MAX_BYTES:,} bytes: write it to a file and name that instead"
            )
