"""How a file stood at a moment, as records tell it, and how it stands now."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any, TypedDict

from agent.session.records import Record


class FileState(TypedDict):
    """How a file stood before a change of ours."""

    turn: int
    """That of the change; 0 for one that went back."""
    path: str
    """Absolute."""
    is_there: bool
    mode: int
    link: str
    """What a symbolic link points to; empty for a file."""
    sha256: str
    """Of its bytes; empty when they could not be read."""
    kept: str
    """Where the bytes are kept, relative to the project when inside it; empty when they are not."""


def place(project: Path, path: Any) -> str:
    """Return the absolute path that a record names. Raises TypeError, ValueError for what can be none."""
    if "\0" in path:
        raise ValueError("a path with a NUL")
    return str(project / path)


def file_state(record: Record, turn: int) -> FileState:
    """Read the state of a file from a record. Raises LookupError, ValueError where it is not as it was written."""
    if any("\0" in str(record[name]) for name in ("path", "link", "kept")):
        raise ValueError("a path with a NUL")
    return FileState(
        turn=turn,
        path=str(record["path"]),
        is_there=bool(record["is_there"]),
        mode=int(record["mode"]),
        link=str(record["link"]),
        sha256=str(record["sha256"]),
        kept=str(record["kept"]),
    )


def sha256_of(path: Path) -> str:
    """Hash of a file's bytes. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identity(state: FileState) -> str:
    """Return what tells two states of a file apart: hash, link target, or nothing."""
    if not state["is_there"]:
        return ""
    return f"-> {state['link']}" if state["link"] else state["sha256"]


def identity_now(path: Path) -> str:
    """Return the identity of what stands at ``path``; `?` for what is no file or cannot be read."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return f"-> {path.readlink()}"
        return sha256_of(path) if stat.S_ISREG(mode) else "?"
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError:
        return "?"


def is_astray(path: Path) -> bool:
    """True when a folder on the way to a file has become a link: what is written there is another file."""
    return os.path.realpath(path.parent) != str(path.parent)


def is_kept(state: FileState, project: Path) -> bool:
    """True when the file can be brought back as it was: there is nothing to keep, or its bytes are on disk."""
    has_bytes = bool(state["kept"]) and (project / state["kept"]).is_file()
    return not state["is_there"] or bool(state["link"]) or has_bytes
