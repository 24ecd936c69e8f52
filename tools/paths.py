"""From a path as a model writes it to the one file that permission judges and the tool opens."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

from tools.base import Access, ResolvedPath, ToolError
from tools.lookalikes import find_existing
from tools.spelling import spelled

_SHELL_WORDS = frozenset(
    {"$HOME", "${HOME}", "$PWD", "${PWD}", "$OLDPWD", "${OLDPWD}", "$TMPDIR", "${TMPDIR}"}
)
_SHOWN_CHARS = 200


def resolve(
    raw: str,
    *,
    access: Access,
    project: Path,
    base: Path | None,
    is_own_file: Callable[[Path], bool],
) -> ResolvedPath:
    """Resolve ``raw`` against ``base`` (None: the project), following symlinks.

    The deepest existing parent decides where a file yet to be made will lie. ``~`` and variables are never
    expanded. A name that does not exist gives way to its only lookalike on disk; ``note`` then says so.

    Raises:    ToolError: no usable path, or several lookalikes; the text says what to write instead.
    """
    root = Path(os.path.realpath(project))
    folder = base or root
    _refuse_unusable(raw)
    _refuse_shell_words(raw, folder)
    try:
        found, swaps = find_existing(_single_root(folder / raw))
        path, is_caseless = spelled(_single_root(Path(os.path.realpath(found))))
        entry = _entry(path)
    except OSError as problem:
        raise ToolError(
            f"`{_short(raw)}` cannot be used as a path: {problem.strerror}. Look with `ls -l` in bash."
        ) from problem
    written = Path(os.path.normpath(found))
    return ResolvedPath(
        path=path,
        shown=show(path, project=root),
        access=access,
        is_inside=is_inside(path, project=root),
        is_own=is_own_file(path),
        note="; ".join(swaps),
        written=None if written == path else written,
        is_shared=entry is not None and stat.S_ISREG(entry.st_mode) and entry.st_nlink > 1,
        is_caseless=is_caseless,
    )


def refuse_moved(resolved: ResolvedPath) -> None:
    """Raise ToolError if ``resolved`` has come to lead elsewhere since it was judged: a part of it is a link now."""
    if os.path.realpath(resolved.path) != str(resolved.path):
        raise ToolError(moved(resolved.shown))


def moved(shown: str) -> str:
    """Return what the model is told of a path that has come to lead elsewhere."""
    return (
        f"`{_short(shown)}` leads elsewhere than when it was asked for: a part of it has become a link."
        " Nothing was done; call again."
    )


def is_inside(path: Path, *, project: Path) -> bool:
    """Tell whether ``path`` is ``project`` or lies in it; both must be resolved."""
    return path.is_relative_to(project)


def show(path: Path, *, project: Path) -> str:
    """Return ``path`` as the model should write it: relative to ``project`` inside it, absolute outside."""
    return str(path.relative_to(project)) if is_inside(path, project=project) else str(path)


def _refuse_unusable(raw: str) -> None:
    if "\0" in raw:
        raise ToolError("A path cannot hold a NUL character; write the path without it.")
    try:
        raw.encode()
    except UnicodeEncodeError as problem:
        raise ToolError(
            "The path is not valid Unicode (a lone surrogate); reach such a file with bash."
        ) from problem


def _refuse_shell_words(raw: str, folder: Path) -> None:
    """Refuse what a shell would expand and we do not, unless a file of that very name exists."""
    first = raw.split("/", 1)[0]
    if (first.startswith("~") or first in _SHELL_WORDS) and not os.path.lexists(folder / first):
        raise ToolError(
            f"`{_short(raw)}`: `{_short(first)}` is not expanded in paths. Write the absolute path,"
            f" or `./{_short(raw)}` if that is the very name."
        )


def _entry(path: Path) -> os.stat_result | None:
    """Return what stands at ``path``; None: nothing yet.

    Raises:    OSError: a link that leads to itself, or what the system cannot look up (too long).
    """
    try:
        entry = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(entry.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return entry


def _single_root(path: Path) -> Path:
    """Return ``path`` without the double slash at its head that POSIX lets stand: one file, one spelling."""
    return Path("/", *path.parts[1:])


def _short(raw: str) -> str:
    return raw if len(raw) <= _SHOWN_CHARS else f"{raw[:100]}…{raw[-60:]}"
