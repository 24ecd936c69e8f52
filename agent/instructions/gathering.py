"""Reads the instruction files of a project with what they import, the nearest first, within one budget."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent.instructions.budget import BUDGET_BYTES, KEPT_BYTES, beginning
from agent.instructions.finding import HOME_NAMES, LOCAL_NAMES, NAMES, folders_of
from agent.instructions.mentions import is_surely_path, mentioned, spellings
from agent.instructions.note import Note
from agent.instructions.places import NEVER, OUTSIDE, Places
from agent.instructions.reading import Content, NotReadError, read_content
from agent.surrogates import repaired_text
from tools.visible import escape_line

MAX_DEPTH = 5
"""Imports of imports of imports …"""
MAX_IMPORTS = 100
TOO_DEEP = f"it is imported over more than {MAX_DEPTH} files: import it nearer to the first"
TOO_MANY = f"there are more than {MAX_IMPORTS} imports: this one and all after it are left out"
OUT_FROM_BELOW = (
    "it lies outside of the project: imported in the project's own AGENTS.md, it is asked about at the start"
)
NO_ROOM = f"other instruction files take the {BUDGET_BYTES:,} bytes that there are for all; read it when you need it"


def notes_of(places: Places, below: Sequence[Path] = ()) -> list[Note]:
    """Return all instruction files that say something, the strongest last: each after what it imports.

    The nearest to the project has the budget first, each file before what it imports; imports leave something to
    one another and to the files that are farther away.

    Args:  below: folders below the project that count as well: they are stronger, and have a budget of their own.
    """
    return _Gathering(replace(places)).notes(below)  # a copy: where the root is, is looked for anew


def outside_of(project: Path, home: Path) -> list[str]:
    """Return the files outside of the project that its instruction files want to be told, resolved, if they can be read."""
    notes = notes_of(Places(project=project, home=home, trusted=None))
    return sorted({note.outside for note in notes if note.outside and not note.problem})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A file that was looked at; either ``content`` or ``problem`` is there."""

    shown: str
    real: Path
    """Its resolved path."""
    is_users: bool
    """The user names it, not the project."""
    content: Content | None = None
    problem: str = ""
    outside: str = ""
    by: str = ""
    depth: int = 0


class _Gathering:
    """One look at all files."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._room = BUDGET_BYTES
        self._imports = 0
        self._seen: set[Path] = set()
        """Resolved paths: no file is told twice."""

    def notes(self, below: Sequence[Path]) -> list[Note]:
        named = [found for folder, names in self._folders() for found in self._named(folder, names)]
        told = [self._with_imports(found, named[at + 1 :]) for at, found in enumerate(named)]
        self._room = BUDGET_BYTES
        deeper = [
            replace(note, is_below=True, problem=note.problem.replace(OUTSIDE, OUT_FROM_BELOW))
            for folder in below
            for names in (NAMES, LOCAL_NAMES)
            for found in self._named(folder, names)
            for note in self._with_imports(found, [])
        ]
        return [*(note for notes in reversed(told) for note in notes), *deeper]

    def _folders(self) -> Iterator[tuple[Path, Sequence[str]]]:
        """Yield folders and the names to look for there, the nearest first; those of the user's own are his."""
        places = self._places
        for folder in reversed(folders_of(places.project, places.root)):
            yield folder, LOCAL_NAMES
            yield folder, NAMES
        yield places.home, HOME_NAMES

    def _named(self, folder: Path, names: Sequence[str]) -> Iterator[_Found]:
        """Yield the first file of these names that says something, and before it those that cannot be read."""
        for name in names:
            path = folder / name
            if not os.path.lexists(path) or (real := _real(path)) in self._seen:
                continue
            found = self._look(path, real, is_users=folder == self._places.home)
            if found.content is None or found.content.text:
                self._seen.add(real)
                yield found
            if found.content is not None and found.content.text:
                return

    def _look(self, path: Path, real: Path, *, is_users: bool) -> _Found:
        """Read a file where that may be."""
        places = self._places
        refusal = places.refusal(real, is_users=is_users)
        is_asked = not is_users and places.is_outside(real) and refusal != NEVER
        found = _Found(
            shown=repaired_text(places.shown(Path(os.path.normpath(path)))),
            real=real,
            is_users=is_users,
            outside=str(real) if is_asked else "",
        )
        if refusal:
            return replace(found, problem=refusal)
        try:
            return replace(found, content=read_content(real))
        except NotReadError as error:
            return replace(found, problem=str(error))

    def _with_imports(self, first: _Found, farther: Sequence[_Found]) -> list[Note]:
        """Return a file after all that it imports, what is imported directly last."""
        levels, level = [], [first]
        while level:
            notes = [self._note(found, [*level[at + 1 :], *farther]) for at, found in enumerate(level)]
            levels.append([note for note in notes if note.says_something])
            level = [
                more for found, note in zip(level, notes, strict=True) for more in self._imported(found, note)
            ]
        return [note for notes in reversed(levels) for note in notes]

    def _note(self, found: _Found, others: Sequence[_Found]) -> Note:
        """Give a file its part of the budget; an import leaves something to the ``others``."""
        note = Note(shown=found.shown, by=found.by, outside=found.outside, problem=found.problem)
        content = found.content
        if content is None:
            return note
        kept = sum(min(one.content.size, KEPT_BYTES) for one in others if one.content) if found.by else 0
        text = beginning(content.text, self._room - kept)
        self._room -= len(text.encode())
        is_all = content.is_whole and text == content.text
        rest = "" if is_all else _rest(found.shown, content, text)
        return replace(note, text=text.rstrip(), content=content.text, rest=rest)

    def _imported(self, by: _Found, note: Note) -> Iterator[_Found]:
        """Yield what the part of a file that is told imports."""
        for mention in mentioned(note.text):
            if (found := self._import(mention, by)) is not None:
                self._seen.add(found.real)
                self._imports += 1
                yield found

    def _import(self, mention: str, by: _Found) -> _Found | None:
        """Look at a file that may be imported; None for one that is told anyway, and for what is no path."""
        is_users = by.is_users and self._places.is_users(by.real)
        paths = [by.real.parent / self._expanded(spelt) for spelt in spellings(mention)]
        path = next((path for path in paths if self._is_file(path, is_users=is_users)), None)
        if path is None and not any(map(is_surely_path, spellings(mention))):
            return None
        path = path or paths[-1]
        real = _real(path)
        if real in self._seen or self._imports > MAX_IMPORTS:
            return None
        limit = TOO_MANY if self._imports == MAX_IMPORTS else TOO_DEEP if by.depth == MAX_DEPTH else ""
        found = self._look(path, real, is_users=is_users)
        if limit:
            found = replace(found, content=None, problem=limit)
        return replace(found, by=by.shown, depth=by.depth + 1)

    def _is_file(self, path: Path, *, is_users: bool) -> bool:
        """Tell whether there is such a file, of a place where that may be told."""
        try:
            is_there = path.is_file()
        except OSError:  # such as a name that is too long
            return False
        return is_there and not self._places.refusal(_real(path), is_users=is_users)

    def _expanded(self, path: str) -> str:
        return str(self._places.user_home / path[2:]) if path.startswith("~/") else path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _rest(shown: str, content: Content, text: str) -> str:
    """Return what is not told of a file, and how to read it."""
    if not text:
        return f"not told, {content.size:,} bytes: {NO_ROOM}"
    line = content.first_line + text.count("\n")
    told = len(text.rstrip().encode())
    return (
        f"cut after {told:,} of {content.size:,} bytes, for instruction files have {BUDGET_BYTES:,} together: "
        f"when you need the rest, read {escape_line(shown)} from line {line}"
    )
