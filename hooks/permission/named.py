"""Files that a shell command names: a rule that keeps a file from being read holds for them, too.

What a command finds by itself, such as a search through a whole folder, is not looked for.
"""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from hooks.events import Decision, PathUse, Verdict
from hooks.permission.places import MOST_WILD, file_names
from hooks.permission.rules import PermissionRules
from hooks.shell.command import Command
from hooks.shell.lexer import Token
from hooks.shell.reader import Shell

_WILD = re.compile(r"[*?\[]")
_NO_NAME = re.compile("[\\0\ud800-\udfff]")
_PARTS = re.compile(r"[=:]")
"""Behind these a path may begin: `--file=x`, `HEAD:x`."""


def about_named(rules: PermissionRules, shell: Shell, cwd: str, project: str) -> Verdict | None:
    """Return what the rules about `read` that deny or ask say of the files named in ``shell``; None: nothing."""
    lists: tuple[tuple[Decision, str], ...] = (("deny", "denied by"), ("ask", "asked about by"))
    for decision, verb in lists:
        about = [rule for rule in rules.of(decision, "read") if rule.spec is not None]
        uses = list(_uses(shell, cwd=cwd, project=project)) if about else []
        for rule, use in ((rule, use) for rule in about for use in uses):
            if rule.covers_path(use):
                reason = f"{verb} the rule `{rule.text}` ({rule.origin}): the command names `{use.shown}`"
                return Verdict(decision=decision, reason=reason)
    return None


def _uses(shell: Shell, *, cwd: str, project: str) -> Iterator[PathUse]:
    commands = (*shell.commands, *(shell.proved or ()))
    folders = _folders(commands, cwd)
    words = chain.from_iterable(_words(command) for command in commands)
    for path in dict.fromkeys(path for word in words for path in _paths(word, folders)):
        real, written = os.path.realpath(path), posixpath.normpath(path)
        yield PathUse(
            path=real,
            shown=_shown(real, project),
            access="read",
            is_inside=real.startswith(f"{project}/"),
            written=written,
            written_shown=_shown(written, project),
        )


def _words(command: Command) -> Iterator[Token]:
    yield from command.words[1:]
    yield from (target for _, target in command.redirects)


def _folders(commands: Iterable[Command], cwd: str) -> list[str]:
    """Return where a command may stand: it may have gone to another folder before, from there or from the first."""
    folders = [cwd]
    for command in commands:
        target = command.texts[1] if command.texts[:1] == ("cd",) and len(command.words) > 1 else ""
        if target and not _NO_NAME.search(target):
            folders += [posixpath.normpath(posixpath.join(folder, target)) for folder in (cwd, folders[-1])]
    return list(dict.fromkeys(folders))


def _paths(word: Token, folders: Iterable[str]) -> Iterator[str]:
    """Yield what is there by this name, absolute; of a folder also what may lie in it."""
    texts = {word.text, *(word.text[match.end() :] for match in _PARTS.finditer(word.text))}
    for text, folder in ((_at_home(text), folder) for text in sorted(texts) if text for folder in folders):
        if _NO_NAME.search(text):
            continue
        wild = 0 if word.is_literal else sum(bool(_WILD.search(part)) for part in text.split("/"))
        if wild > MOST_WILD:  # no such command runs unasked
            continue
        for found in file_names(text, folder=folder) if wild else (text,):
            path = posixpath.join(folder, found)
            if not os.path.lexists(path):
                continue
            yield path
            if Path(path).is_dir():
                yield f"{path}/*"


def _at_home(text: str) -> str:
    return f"{Path.home()}{text[1:]}" if text == "~" or text.startswith("~/") else text


def _shown(path: str, project: str) -> str:
    return path.removeprefix(f"{project}/")
