"""What runs or decides in a project: settings, what their hooks run, agent types; each read once, so that what was judged is used."""

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from agent.instructions.gathering import outside_of
from agent.trust.said import scripts_of

SETTINGS = (".agent/settings.json", ".agent/settings.local.json")
"""The weaker first."""
AGENT_TYPES = (".agent/agents", ".claude/agents")
"""Folders of agent types, one `.md` each, the stronger first."""
MAX_FILE_BYTES = 1_000_000
MAX_TYPES = 200
"""In one folder, with all that lies in it: more are no agent types but a flood."""
_MAX_DEPTH = 3
"""Folders below the one of agent types in which they are looked for."""
_OPENING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""A pipe or a terminal in the place of a file neither holds us up nor becomes ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedFile:
    """One file, as it was when it was read; ``name`` is relative to the project."""

    name: str
    data: bytes = b""
    place: str = ""
    """Where it lies, when a link leads elsewhere than to its name; absolute outside of the project."""
    owner: int | None = None
    """User id of whoever else it belongs to."""
    problem: str = ""
    """Why nothing of it can be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """All of it, in an order that does not depend on the disk.

    ``imports``: files outside of the project that its instruction files want to be read, absolute.
    """

    files: tuple[GatedFile, ...] = ()
    imports: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of all that counts: names, where links lead, bytes; empty when there is nothing."""
        if not (self.files or self.imports):
            return ""
        files = [
            [one.name, one.place, one.problem, hashlib.sha256(one.data).hexdigest()] for one in self.files
        ]
        return hashlib.sha256(json.dumps([files, self.imports]).encode()).hexdigest()

    def named(self, *names: str) -> list[GatedFile]:
        """Return the files of these names, in the order of the names."""
        found = {one.name: one for one in self.files}
        return [found[name] for name in names if name in found]

    def below(self, *folders: str) -> list[GatedFile]:
        """Return the files in these folders, such as `AGENT_TYPES`."""
        return [one for one in self.files if one.name.startswith(tuple(f"{folder}/" for folder in folders))]

    @property
    def scripts(self) -> list[GatedFile]:
        """Return the files that its hooks run."""
        others = (*SETTINGS, *AGENT_TYPES)
        types = self.below(*AGENT_TYPES)
        return [one for one in self.files if one.name not in others and one not in types]

    def having(self, name: str, data: bytes | None) -> "Gathered":
        """Return all of it with other bytes in the file ``name``; None: without that file."""
        others = [one for one in self.files if one.name != name]
        if data is not None:
            was = next((one for one in self.files if one.name == name), GatedFile(name=name))
            others.append(replace(was, data=data, problem=""))
        return replace(self, files=tuple(sorted(others, key=_rank)))


def gather(project: Path, home: Path) -> Gathered:
    """Read all of it. What lies in the user's own folder ``home`` is his own, also where that is in the project."""
    own = is_own(project, home)
    settings = [] if own else _all(project, SETTINGS)
    names = scripts_of([file.data for file in settings], project)
    for folder in AGENT_TYPES:
        if not (own and folder.startswith(".agent/")):
            names += _types(project, folder)
    files = [*settings, *_all(project, dict.fromkeys(name for name in names if name not in SETTINGS))]
    return Gathered(files=tuple(sorted(files, key=_rank)), imports=tuple(outside_of(project, home)))


def _all(project: Path, names: Iterable[str]) -> list[GatedFile]:
    """Read those of the files that there are."""
    return [file for name in names if (file := _read(project, name)) is not None]


def is_own(project: Path, home: Path) -> bool:
    """Tell whether ``project`` is the folder in which the user's own `.agent` lies: that is not the project's."""
    return home.name == ".agent" and home.parent.resolve() == project


def _rank(file: GatedFile) -> tuple[int, str]:
    at = SETTINGS.index(file.name) if file.name in SETTINGS else len(SETTINGS)
    return at, file.name


def types_in(base: Path, folder: str) -> list[GatedFile]:
    """Read the agent types in the folder ``folder`` of ``base``, and in folders of it; none where it is not there.

    Where there are too many, or it is shut, one file comes back that says so: the folder itself.
    """
    return _all(base, _types(base, folder))


def _types(project: Path, folder: str) -> Iterator[str]:
    """Yield the names of the agent types in ``folder``; the folder's own where there are too many, or it is shut."""
    try:
        found = list(islice(_names(project, folder, depth=0), MAX_TYPES + 1))
    except OSError:
        yield folder
        return
    if len(found) > MAX_TYPES:
        yield folder
        return
    yield from (name for name in sorted(found) if name.endswith(".md"))


def _names(project: Path, folder: str, *, depth: int) -> Iterator[str]:
    """Yield what lies in ``folder``, and in its folders; a link to a folder leads nowhere. Raises OSError: it is shut."""
    try:
        with os.scandir(project / folder) as entries:
            inside = list(islice(entries, MAX_TYPES + 1))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in inside:
        name = f"{folder}/{entry.name}"
        yield name
        if depth < _MAX_DEPTH and entry.is_dir(follow_symlinks=False):
            yield from _names(project, name, depth=depth + 1)


def _read(project: Path, name: str) -> GatedFile | None:
    """Read one file; None where there is none."""
    path = project / name
    made = GatedFile(name=name, place=_place(project, path))
    try:
        descriptor = os.open(path, _OPENING)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return replace(made, problem=error.strerror or type(error).__name__)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            is_flood = stat.S_ISDIR(found.st_mode) and name in AGENT_TYPES
            return replace(made, problem=f"more than {MAX_TYPES} files" if is_flood else "no regular file")
        data = _bytes(descriptor)
    except OSError as error:
        return replace(made, problem=error.strerror or type(error).__name__)
    finally:
        os.close(descriptor)
    owner = None if found.st_uid in (os.geteuid(), 0) else found.st_uid
    if len(data) > MAX_FILE_BYTES:
        return replace(made, owner=owner, problem=f"larger than {MAX_FILE_BYTES:,} bytes")
    return replace(made, data=data, owner=owner)


def _bytes(descriptor: int) -> bytes:
    """Return the bytes of a file, at most one more than it may have. Raises OSError."""
    data = b""
    while len(data) <= MAX_FILE_BYTES and (more := os.read(descriptor, MAX_FILE_BYTES + 1 - len(data))):
        data += more
    return data


def _place(project: Path, path: Path) -> str:
    """Return where ``path`` leads when that is not where it stands."""
    real = os.path.realpath(path)
    if real == str(path):
        return ""
    inside = os.path.relpath(real, project)
    return real if inside.startswith("..") else inside
