"""How bash tells us where it ended up, without a word of the command being changed.

bash runs the file named by BASH_ENV before a command. Ours puts the user's BASH_ENV back, runs the user's file,
and sets an EXIT trap that writes the directory to a descriptor. A command that replaces the trap or the shell
(`trap … EXIT`, `exec`, `kill -9 $$`) simply leaves the directory unchanged. The one trace: `set -v` makes bash echo the trap.
"""

import fcntl
import os
import re
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

_LOWEST_DESCRIPTOR = 230
"""Far above those that scripts use by number (3 to 9, 200 for `flock`), below macOS' limit of 256."""
_LONGEST_PATH_BYTES = 65_536  # a pipe's capacity: the trap never blocks
# The first command of the trap runs under the user's DEBUG trap and `set -x`, so its output is closed off first.
_TRAP = r"{{ \trap - DEBUG; \set +xv; \builtin pwd -P >&{descriptor}; }} >/dev/null 2>&1"
_USER_FILE = """\
__palimpsest_file="{value}"
case $__palimpsest_file in */*) ;; *) __palimpsest_file=./$__palimpsest_file ;; esac
if [ -e "$__palimpsest_file" ] && [ ! -d "$__palimpsest_file" ]; then . "$__palimpsest_file"; fi
unset __palimpsest_file
"""


class DirectoryReport:
    """One call's channel for the directory: put `file`, by `bash_env`, and `descriptor` into the shell, then `read`.

    Raises:    OSError: on construction, when there is no room for a temporary file or descriptor.
    """

    def __init__(self, user_value: str | None) -> None:
        self._read_end, write_end = os.pipe()
        try:
            os.set_blocking(self._read_end, False)
            self.descriptor = fcntl.fcntl(write_end, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
        except OSError:
            os.close(self._read_end)
            raise
        finally:
            os.close(write_end)
        self._file = Path()
        try:
            handle, name = tempfile.mkstemp(prefix="palimpsest-", suffix=".sh")
            self._file = Path(name)
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(startup_text(user_value, self.descriptor))
        except OSError:
            self.close()
            raise

    @property
    def file(self) -> Path:
        """The file that bash is to run before the command."""
        return self._file

    def read(self, is_directory: Callable[[Path], bool] = Path.is_dir) -> Path | None:
        """Return where the shell ended, or None if it did not say or ``is_directory`` does not hold of it any more."""
        try:
            data = os.read(self._read_end, _LONGEST_PATH_BYTES)
            path = Path(data.removesuffix(b"\n").decode())
        except (BlockingIOError, UnicodeDecodeError):
            return None
        return path if path.is_absolute() and is_directory(path) else None

    def close(self) -> None:
        """Close the descriptors and remove the file."""
        os.close(self._read_end)
        os.close(self.descriptor)
        if self._file.name:
            self._file.unlink(missing_ok=True)


def bash_env(file: Path) -> str:
    """Return the value of BASH_ENV that names ``file``: bash expands it like a word in double quotes."""
    return re.sub(r'([\\$`"])', r"\\\1", str(file))


def startup_text(user_value: str | None, descriptor: int) -> str:
    """Return the text of the file that bash runs before the command."""
    trap = f"trap {shlex.quote(_TRAP.format(descriptor=descriptor))} EXIT"
    if not user_value:
        restore = "unset BASH_ENV" if user_value is None else "export BASH_ENV="
        return f"{restore}\n{trap}\n"
    value = user_value.replace('"', r"\"")
    return (
        f"export BASH_ENV={shlex.quote(user_value)}\n"
        f"{_USER_FILE.format(value=value)}"
        f'[ -n "$(trap -p EXIT)" ] || {trap}\n'
    )
