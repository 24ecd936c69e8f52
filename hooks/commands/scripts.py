"""The programs of the user's own that hooks run: whoever changes one decides what runs at the next event."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from hooks.commands.config import CommandHook

_PROJECT = re.compile(r"\$\{?(?:CLAUDE|AGENT)_PROJECT_DIR\}?")
_SUFFIXES = (
    ".sh",
    ".bash",
    ".py",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".rb",
    ".pl",
    ".php",
    ".lua",
    ".jq",
    ".awk",
    ".sed",
)
_SYSTEM = (Path("/bin"), Path("/sbin"), Path("/usr"), Path("/lib"), Path("/opt"), Path("/nix"))
"""What the system's owner writes; a project in there is the user's all the same."""


def scripts_of(hooks: Iterable[CommandHook], project: Path, home: Path) -> tuple[str, ...]:
    """Return the files that ``hooks`` run or read as programs, absolute, resolved, sorted; those yet to be made, too.

    A word of a command counts that begins as a path does, or names a file there is by a name that programs have, or one
    that may be run. ``home`` is the user's home folder. What a shell only makes a path of when it runs is not found.
    """
    found = {path for hook in hooks for word in _words(hook) if (path := _path(word, project, home))}
    return tuple(sorted(found))


def _words(hook: CommandHook) -> Iterator[str]:
    if hook.args is not None:
        yield from (hook.command, *hook.args)
        return
    lexer = shlex.shlex(hook.command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        yield from lexer
    except ValueError:  # quotes that do not close: no shell runs that either
        yield from re.split(r"[\s'\"();<>|&]+", hook.command)


def _path(word: str, project: Path, home: Path) -> str:
    text = _PROJECT.sub(lambda _: str(project), word)
    text = re.sub(r"^(?:~|\$HOME|\$\{HOME\})(?=/)", lambda _: str(home), text)
    if not text or "\0" in text or "$" in text or text.startswith("-"):
        return ""
    path = Path(os.path.realpath(project / text))
    is_said = text.startswith(("/", "./", "../"))
    is_system = any(path.is_relative_to(place) for place in _SYSTEM) and not path.is_relative_to(project)
    is_other = path.exists() and not path.is_file()
    return "" if is_system or is_other or not (is_said or _is_program(path)) else str(path)


def _is_program(path: Path) -> bool:
    return path.is_file() and (path.suffix.lower() in _SUFFIXES or os.access(path, os.X_OK))
