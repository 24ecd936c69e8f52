"""Which files a command would write, replace or remove, as far as its words tell: to find those that are protected."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from hooks.permission.places import file_names
from hooks.permission.protected import Protection
from hooks.permission.removal import target_paths
from hooks.shell.command import Command
from hooks.shell.lexer import Token, TooDeepError

_ALL = frozenset(
    {
        *(
            "tee",
            "rm",
            "rmdir",
            "unlink",
            "shred",
            "truncate",
            "touch",
            "chmod",
            "chown",
            "chgrp",
            "ed",
            "ex",
        ),
        *(
            "trash",
            "chattr",
            "setfacl",
            "sponge",
            "mkfifo",
            "mknod",
            "gzip",
            "gunzip",
            "bzip2",
            "xz",
            "patch",
        ),
    }
)
"""Programs that change every file they are given."""
_LAST = frozenset({"cp", "mv", "ln", "install", "rsync", "scp", "link"})
"""Programs that write to their last argument, or below it; `mv` also takes the others away."""
_SECOND = frozenset({"xxd", "uniq"})
_IN_PLACE: Mapping[str, str] = {"sed": "i", "gsed": "i", "perl": "i", "ruby": "i"}
"""Programs that change their files with this option."""
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "cp": ("-t", "--target-directory"),
    "mv": ("-t", "--target-directory"),
    "ln": ("-t", "--target-directory"),
    "install": ("-t", "--target-directory"),
    "curl": ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--output-dir"),
    "wget": ("-O", "--output-document", "-o", "--output-file", "-P", "--directory-prefix", "-a"),
    "sort": ("-o", "--output"),
    "tree": ("-o",),
    "gcc": ("-o",),
    "cc": ("-o",),
    "tar": ("-C", "--directory", "-f", "--file"),
    "unzip": ("-d",),
    "patch": ("-o", "--output", "-d", "--directory"),
    "split": (),
    "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
    "git": ("--output",),
    "xz": (),
    "openssl": ("-out",),
    "ssh-keygen": ("-f",),
    "script": ("-O", "-B", "--log-out", "--log-io"),
    "time": ("-o", "--output"),
    "strace": ("-o", "--output"),
    "rsync": ("--log-file",),
    "awk": ("-o",),
}
"""Options whose argument, attached or in the next word, is written to."""
_GIT_RUNS = re.compile(
    r"core\.(fsmonitor|hookspath|sshcommand|pager|editor|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)"
    r"|(alias|filter|include|includeif|credential|pager|protocol|url|trailer|gpg|difftool|mergetool)\..+|.+\.(cmd|path)"
    r"|diff\.(external|.+\.(command|textconv))|merge\..+\.driver|sequence\.editor|init\.templatedir|interactive\.difffilter"
    r"|(remote|submodule)\..+\.(uploadpack|receivepack|vcs|proxy|promisor|update)|uploadpack\.packobjectshook",
    re.IGNORECASE | re.DOTALL,
)
"""Settings of git that name a program, or where further settings stand."""
_LIKE_FOLDER = re.compile(r"(?:^|/)(?:\.{0,2}|~[\w.-]*|\$\{\w+\})/?$")
_IF_FOLDER = "\0"
"""Stands between a name and what would be written below it if that is a folder."""
_MOST_WILD = 3
"""Folders of a pattern that may be wild: more of the disk is not searched for a decision."""
_UNKNOWN = "/…"
"""Stands for a folder that is known only when the command runs."""


def protected_target(command: Command, *, cwd: str | None, protection: Protection, project: str) -> str:
    """Return what is protected among the files that ``command`` would change, and why; empty when nothing is.

    ``cwd``: where it runs, None when unknown: then a name counts wherever it may lie.
    """
    for target in (*_targets(command), *_set_by_git(command)):
        shown = _plain(target).replace(_IF_FOLDER, "/")
        try:
            paths = list(_paths(target, cwd=cwd or _UNKNOWN, homes=protection.homes))
        except TooDeepError:
            return f"`{shown}` may be anything, also what is protected"
        for path in paths:
            inside = project if f"{path}/".startswith(f"{project}/") else ""
            if why := protection.why(path, project=inside):
                return f"`{shown}` is protected: {why}"
    return ""


def _paths(target: str, *, cwd: str, homes: tuple[str, ...]) -> Iterator[str]:
    """Yield what ``target`` may name, resolved."""
    folder, is_below, _ = target.partition(_IF_FOLDER)
    if is_below and not any(map(os.path.isdir, _paths(folder, cwd=cwd, homes=homes))):
        return
    for path in target_paths(target.replace(_IF_FOLDER, "/"), cwd=cwd, homes=homes):
        yield from _resolved(path)


def _targets(command: Command) -> Iterator[str]:
    """Yield the patterns of what is written, as the words have them."""
    for operator, target in command.redirects:
        if ">" in operator:
            yield target.pattern
    program = command.program.rpartition("/")[2]
    words = command.words[1:]
    plain = [word for word in words if not word.text.startswith("-") or word.text == "-"]
    patterns = [word.pattern for word in plain]
    if program in _ALL:
        yield from patterns
    elif program in _LAST:
        yield from _copies(program, words, patterns)
    elif program in _SECOND:
        yield from patterns[1:]
    elif program == "dd":
        yield from (word.pattern.removeprefix("of=") for word in words if word.text.startswith("of="))
    elif program in _IN_PLACE and any(_has_letter(word, _IN_PLACE[program]) for word in words):
        yield from patterns
    yield from _option_values(words, _OPTIONS.get(program, ()))


def _copies(program: str, words: Sequence[Token], patterns: Sequence[str]) -> Iterator[str]:
    """Yield where copies go: the last argument, the names below it, and with `mv` what is taken away."""
    folders = list(_option_values(words, _OPTIONS.get(program, ())))
    sources = patterns if folders else patterns[:-1]
    if program == "mv":
        yield from sources
    for target in folders or patterns[-1:]:
        yield target
        below = target.rstrip("/") + (
            "/" if folders or len(sources) > 1 or _LIKE_FOLDER.search(target) else _IF_FOLDER
        )
        yield from (below + name for source in sources if (name := source.rstrip("/").rpartition("/")[2]))


def _set_by_git(command: Command) -> Iterator[str]:
    """Yield where `git config` would set what git runs: such a name, with something behind it."""
    words = command.words if command.program == "git" else ()
    start = next((i + 1 for i, word in enumerate(words) if word.text == "config"), len(words))
    if any(_GIT_RUNS.fullmatch(word.text) or "${" in word.pattern for word in words[start:-1]):
        yield ".git/config"


def _option_values(words: Sequence[Token], options: Sequence[str]) -> Iterator[str]:
    for i, word in enumerate(words):
        for option in options:
            following = words[i + 1 : i + 2]
            if word.text == option and following:
                yield following[0].pattern
            elif option.startswith("--") and word.text.startswith(f"{option}="):
                yield word.pattern.partition("=")[2]
            elif not option.startswith("--") and len(option) == len("-o"):
                yield from _joined(word, option, following)


def _joined(word: Token, option: str, following: Sequence[Token]) -> Iterator[str]:
    """Yield the argument of a short option that stands among joined ones, such as `-sSo FILE` or `-oFILE`."""
    match = re.match(rf"-\w*?{option[1]}(.*)", word.text, re.DOTALL)
    if match and word.text != option:
        if match[1]:
            yield match[1]
        elif following:
            yield following[0].pattern


def _has_letter(word: Token, letter: str) -> bool:
    return bool(re.match(rf"-\w*{letter}|--in-place", word.text))


def _resolved(path: str) -> Iterator[str]:
    """Yield ``path``, a pattern, as a name, and every file it matches, links followed."""
    if "\0" in path:
        return
    yield os.path.realpath(_plain(path))
    wild = [part for part in path.split("/") if re.search(r"(?<!\\)[*?\[]", part)]
    if len(wild) > _MOST_WILD:
        raise TooDeepError
    if wild:
        for match in file_names(path, folder="/"):
            yield os.path.realpath(match)


def _plain(pattern: str) -> str:
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
