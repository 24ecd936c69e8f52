"""Where a command reads: the folders it may stand in, and whether paths stay inside the project."""

import glob
import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from hooks.shell.lexer import Token

_MOST_MATCHES = 1_000
MOST_WILD = 2
"""Folders of a pattern that may be wild: a tree is not searched for a decision."""
_ANYWHERE = frozenset({"/dev/null", "-"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders, absolute, that a command may run in; all inside ``project``, or ``folders`` is empty."""

    project: str
    folders: frozenset[str]

    @classmethod
    def starting(cls, *, project: str, cwd: str) -> "Places":
        """Return where the first command runs; both are followed through links."""
        root = os.path.realpath(project)
        folder = os.path.realpath(cwd)
        return cls(project=root, folders=frozenset({folder} if _is_in(folder, root) else ()))

    def after(self, target: str) -> "Places | None":
        """Return the places after `cd target`, which may fail; None when it may lead out of the project."""
        reached = self.inside(target) if target else None
        return reached and Places(project=self.project, folders=self.folders | reached.folders)

    def inside(self, target: str) -> "Places | None":
        """Return the places of what runs in ``target``; None when it may lie outside the project."""
        if not self.holds(target):
            return None
        reached = {os.path.realpath(posixpath.join(folder, target)) for folder in self.folders}
        return Places(project=self.project, folders=frozenset(reached))

    def holds(self, path: str) -> bool:
        """Tell whether ``path`` lies inside the project, from wherever the command runs."""
        if path in _ANYWHERE:
            return True
        if "\0" in path:
            return False
        return bool(self.folders) and all(
            _is_in(os.path.realpath(posixpath.join(folder, path)), self.project) for folder in self.folders
        )

    def holds_matches(self, word: Token) -> bool:
        """Tell whether all that a pattern such as `src/*.py` matches lies inside, and none reads like an option."""
        if not is_plain_pattern(word) or sum(map(_is_wild, word.pattern.split("/"))) > MOST_WILD:
            return False
        found = [match for folder in self.folders for match in _matches(word, folder)]
        is_few = len(found) < _MOST_MATCHES
        return is_few and all(not match.startswith("-") and self.holds(match) for match in found)

    def is_own_repository(self) -> bool:
        """Tell whether git would take the project's repository: one below it could bring its own settings."""
        return all(
            not _is_repository(folder) for start in self.folders for folder in _between(start, self.project)
        )


def is_plain_pattern(word: Token) -> bool:
    """Tell whether the shell only matches ``word`` against file names, by `*` and `?`."""
    bare = re.sub(r"\\.", "", word.pattern, flags=re.DOTALL)
    return word.kind == "word" and not re.search(r"[\[\]{}$`~]", bare) and bool(re.search(r"[*?]", bare))


def _matches(word: Token, folder: str) -> Iterator[str]:
    """Yield what the shell may make of ``word`` in ``folder``, hidden files too; itself when nothing fits."""
    yield word.text
    yield from file_names(word.pattern, folder=folder, has_hidden=True)


def file_names(pattern: str, *, folder: str, has_hidden: bool = False) -> Iterator[str]:
    """Yield the first names in ``folder`` that match ``pattern``, in which a backslash makes a character literal.

    ``has_hidden``: also those that begin with a dot where the pattern does not.
    """
    spelled = re.sub(
        r"\\(.)|([^\\]+)",
        lambda match: glob.escape(match[1]) if match[1] else match[2],
        pattern,
        flags=re.DOTALL,
    )
    return islice(glob.iglob(spelled, root_dir=folder, include_hidden=has_hidden), _MOST_MATCHES)


def _is_wild(segment: str) -> bool:
    return bool(re.search(r"[*?]", re.sub(r"\\.", "", segment)))


def _is_in(path: str, root: str) -> bool:
    return f"{path}/".startswith(f"{root.rstrip('/')}/")


def _between(start: str, root: str) -> Iterator[str]:
    """Yield the folders from ``start`` up to, without, ``root``."""
    while start != root and _is_in(start, root):
        yield start
        start = posixpath.dirname(start)


def _is_repository(folder: str) -> bool:
    parts = [posixpath.join(folder, name) for name in ("HEAD", "objects", "refs")]
    return os.path.lexists(posixpath.join(folder, ".git")) or all(map(os.path.lexists, parts))
