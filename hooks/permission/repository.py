"""Programs that git would run while it only reads, because the repository's own settings, not the user's, name them.

No clone brings such settings; an unpacked archive or a shared folder does. The user's own settings are his own.
"""

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hooks.shell.word_nodes import shown

_RUNNING = re.compile(
    r"core\.(fsmonitor|worktree|alternaterefscommand)"
    r"|diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?program"
    r"|include\.path|includeif\..*\.path|extensions\.partialclone|remote\..*\.(promisor|partialclonefilter)",
    re.DOTALL,
)
"""Settings that make a reading git run something, fetch, read further settings, or read another folder."""
_HARMLESS = re.compile(
    r"core\.fsmonitor=(true|false|)|filter\.lfs\.\w+=git-lfs (clean -- %f|smudge -- %f|filter-process)"
)
"""Of these, what names no program of the repository: git's own monitor, and the store for large files."""
_HOOK = "post-index-change"
"""The one hook that a reading git runs: when it writes down what it saw of the files."""
_HEADER = re.compile(r'\[([\w.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\][ \t\r]*', re.ASCII)
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t\r]*(?:=([^\0]*))?")
_MOST_BYTES = 50_000_000
_DEEPEST = 5
_GITLINK = b"\0\0\xe0\0"
"""The mode of a submodule in the index."""
_MODE_AT, _NAME_AT = 24, 62
"""Bytes from an entry's beginning in the index, with hashes of 20 bytes."""
_LONGEST_NAME = 4096
_FLAT = (2, 3)
"""Versions of the index that write every name in full."""


class _UnreadError(Exception):
    """Something in a repository that is not understood; the text says what."""


@dataclass(frozen=True, slots=True)
class _Repository:
    """``tree``: its working tree; ``folder``: where its git folder lies; ``common``: what its worktrees share."""

    tree: str
    folder: str
    common: str


def program_named(project: str) -> str:
    """Return what makes a reading git in ``project`` (resolved) run something, in words; empty when nothing does.

    Contract: what is not understood is named too. Only the disk is read, nothing is run.
    """
    try:
        found = _repository_of(project)
        return _named(found, depth=0) if found else ""
    except _UnreadError as problem:
        return str(problem)
    except (OSError, RuntimeError, ValueError) as problem:
        return f"the git folder cannot be read ({type(problem).__name__})"


def _repository_of(project: str) -> _Repository | None:
    for folder in (project, *map(str, Path(project).parents)):
        entry = posixpath.join(folder, ".git")
        if os.path.lexists(entry):
            return _opened(folder, entry)
        if all(os.path.lexists(posixpath.join(folder, name)) for name in ("HEAD", "objects", "refs")):
            return _Repository(folder, folder, folder)
    return None


def _opened(tree: str, entry: str) -> _Repository:
    """Return the repository whose `.git` is ``entry``: a folder, or a file that says where it lies."""
    folder = entry
    if not Path(entry).is_dir():
        said = _text(entry)
        if not said.startswith("gitdir:"):
            raise _UnreadError("`.git` is not understood")
        folder = posixpath.join(tree, said.removeprefix("gitdir:").strip())
    shared = _text(posixpath.join(folder, "commondir")).strip()
    return _Repository(tree, folder, posixpath.join(folder, shared) if shared else folder)


def _named(repository: _Repository, *, depth: int) -> str:
    if depth > _DEEPEST:
        raise _UnreadError("submodules nest too deeply")
    hooks = [posixpath.join(repository.common, "hooks")]
    configs = (f"{repository.common}/config", f"{repository.folder}/config.worktree")
    for name, value in (setting for path in configs for setting in _settings(_text(path))):
        is_own_tree = name == "core.worktree" and _is_same(
            posixpath.join(repository.folder, value), repository.tree
        )
        if _RUNNING.fullmatch(name) and not (is_own_tree or _HARMLESS.fullmatch(f"{name}={value}")):
            return f"the settings of this repository say `{name}`"
        if name == "core.hookspath":
            hooks.append(str(repository.tree / Path(value).expanduser()))
    if any(os.path.lexists(posixpath.join(folder, _HOOK)) for folder in hooks):
        return f"this repository has a hook `{_HOOK}`"
    for tree in _submodules(repository):
        entry = posixpath.join(tree, ".git")
        if os.path.lexists(entry) and (found := _named(_opened(tree, entry), depth=depth + 1)):
            return f"submodule `{posixpath.basename(tree)}`: {found}"
    return ""


def _is_same(path: str, other: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of a configuration, names in lower case. Raises _UnreadError."""
    section = ""
    for line in text.removeprefix("\ufeff").split("\n"):
        rest = line.strip(" \t\r")
        if rest.endswith("\\"):  # the next line may be none of its own
            raise _UnreadError("a setting of this repository goes on in a further line")
        while match := _HEADER.match(rest):
            section = match[1] + (f".{match[2]}" if match[2] is not None else "")
            rest = rest[match.end() :]
        if not rest or rest[0] in "#;":
            continue
        said = _SETTING.fullmatch(rest)
        if said is None or not section:
            raise _UnreadError(f"the settings of this repository are not understood: `{shown(rest)}`")
        value = "true" if said[2] is None else said[2].strip(" \t\r").strip('"')
        yield f"{section}.{said[1]}".lower(), value


def _submodules(repository: _Repository) -> Iterator[str]:
    """Yield the folders that the index may name as submodules, some that are none included."""
    index = _bytes(posixpath.join(repository.folder, "index"))
    shared = [_bytes(str(path)) for path in Path(repository.folder).glob("sharedindex.*")]
    for data in (index, *shared):
        if _GITLINK not in data:
            continue
        has_other_hashes = "objectformat" in _text(f"{repository.common}/config").lower()
        if int.from_bytes(data[4:8]) not in _FLAT or has_other_hashes:
            raise _UnreadError("its submodules cannot be listed")
        for match in re.finditer(re.escape(_GITLINK), data):
            name = data[match.start() - _MODE_AT + _NAME_AT :].partition(b"\0")[0]
            yield posixpath.join(repository.tree, os.fsdecode(name[:_LONGEST_NAME]))


def _text(path: str) -> str:
    """Return what the file holds; empty where there is none."""
    return _bytes(path).decode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes:
    if not os.path.lexists(path):
        return b""
    if not Path(path).is_file():  # to open a pipe would wait for whoever writes to it
        raise _UnreadError(f"`{posixpath.basename(path)}` of the git folder is no file")
    with Path(path).open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise _UnreadError(f"`{posixpath.basename(path)}` of the git folder is too large")
    return data
