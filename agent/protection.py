"""What is protected beside the usual names: the agent's own folders and git's, where they lie elsewhere."""

import os
import re
from pathlib import Path

_HOOKS_PATH = re.compile(r"^\s*hookspath\s*=\s*\"?([^\"\n;#]+)", re.IGNORECASE | re.MULTILINE)
_MOST_CHARS = 1_000_000
"""Of a configuration of git so much is read."""


def protected_places(project: Path, home: Path, user_home: Path) -> tuple[str, ...]:
    """Return the files and folders, resolved, whose change is always asked about.

    Args:  home: the user's own folder of the program; user_home: his home folder.
    """
    own, git = _git_folder(project), git_folder(project)
    common = [git / "config"] if git else []
    configs = (user_home / ".gitconfig", user_home / ".config/git/config", *common)
    hooks = [found.strip() for config in configs for found in _HOOKS_PATH.findall(_text(config))]
    types = (home / "agents", user_home / ".claude/agents")
    places = [
        home,
        *(folder for folder in types if os.path.realpath(folder) != str(folder)),
        *([own] if own and own != project / ".git" else []),
        *(project / _without_tilde(path, user_home) for path in hooks),
    ]
    root = os.path.realpath(project)
    return tuple(sorted({real for place in places if (real := os.path.realpath(place)) != root}))


def git_folder(project: Path) -> Path | None:
    """Return where git keeps what all worktrees of the repository share that holds ``project``; None: there is none."""
    for folder in (project, *project.parents):
        if (found := _git_folder(folder)) is not None:
            return found / _first_line(found / "commondir")
    return None


def _git_folder(project: Path) -> Path | None:
    """Return where git keeps what belongs to ``project``: `.git`, or what a file of that name points to."""
    entry = project / ".git"
    if entry.is_dir():
        return entry
    found = re.match(r"gitdir:\s*(.+)", _first_line(entry))
    return project / found[1].strip() if found else None


def _without_tilde(path: str, user_home: Path) -> str:
    return str(user_home / path[2:]) if path.startswith("~/") else path


def _first_line(path: Path) -> str:
    return _text(path).partition("\n")[0]


def _text(path: Path) -> str:
    """Return the beginning of a file; empty where there is none that can be read."""
    try:
        if not path.is_file():
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_CHARS)
    except OSError:
        return ""
