"""What a command would remove: the root, the home folder, or the session's own files."""

import posixpath
import re
from collections.abc import Iterable, Iterator

from hooks.permission.globs import segment_regex
from hooks.shell.command import Command
from hooks.shell.lexer import TooDeepError
from hooks.shell.wrappers import skip_options

OWN_FOLDERS = (".transcripts", ".task_outputs")
"""Folders of a project that hold what left the view."""

_REMOVERS = frozenset({"rm", "rmdir", "unlink", "shred", "mv", "trash"})
_FIND_FILTER_NAMES = (
    "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -ctime -cmin -atime -amin -newer -size -user "
    "-group -empty -perm -inum -lname -samefile"
)
_FIND_FILTERS = frozenset(_FIND_FILTER_NAMES.split())
"""Tests of find that spare most files."""
_MOST_ALTERNATIVES = 1_000
_BRACE = re.compile(r"(?<!\$)\{([^{}]*,[^{}]*)\}")


def removes_root_or_home(command: Command, *, cwd: str | None, homes: tuple[str, ...]) -> bool:
    """Tell whether ``command`` (rm, or find with -delete) would remove `/`, a home or what holds it."""
    if command.program == "find":
        targets, is_removal = _found_by_find(command)
    else:
        is_removal = command.program == "rm"
        targets = list(_arguments(command))
    if not is_removal:
        return False
    if "--no-preserve-root" in command.texts:
        return True
    return any(
        _is_fatal(path, homes) for target in targets for path in target_paths(target, cwd=cwd, homes=homes)
    )


def removes_own_files(command: Command, *, cwd: str | None, homes: tuple[str, ...]) -> bool:
    """Tell whether ``command`` may remove a project's transcripts or spills (see OWN_FOLDERS)."""
    if command.program == "git":
        return _cleans_ignored(command.texts)
    if command.program == "find":
        starts, is_removal = _found_by_find(command)
        is_named = "-delete" in command.texts and any(
            own in text for own in OWN_FOLDERS for text in command.texts
        )
        if is_named or not is_removal or "-maxdepth" in command.texts:
            return is_named
        return any(
            _holds_own(path, cwd) for start in starts for path in target_paths(start, cwd=cwd, homes=homes)
        )
    if command.program not in _REMOVERS:
        return False
    targets = list(_arguments(command))
    if command.program == "mv":
        del targets[-1:]  # where it moves them to
    return any(
        _holds_own(path, cwd) for target in targets for path in target_paths(target, cwd=cwd, homes=homes)
    )


def changed_directory(command: Command, *, cwd: str | None, homes: tuple[str, ...]) -> str | None:
    """Return where the shell stands after ``command``, None when that cannot be known."""
    if command.program not in ("cd", "pushd"):
        return cwd
    targets = list(_arguments(command)) or ["~"]
    if len(targets) > 1 or targets[0] == "-" or re.search(r"[*?\[$`]", targets[0].replace("${HOME}", "")):
        return None
    return next(target_paths(targets[0], cwd=cwd, homes=homes), None)


def _arguments(command: Command) -> Iterator[str]:
    is_over = False
    for word in command.words[1:]:
        if word.text == "--" and not is_over:
            is_over = True
        elif is_over or not word.text.startswith("-") or word.text == "-":
            yield word.pattern


def _found_by_find(command: Command) -> tuple[list[str], bool]:
    """Return the start folders of a find, and whether it removes what it finds, unfiltered."""
    words = command.words[1:]
    end = next((i for i, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    rest = {word.text for word in words[end:]}
    has_rm = any(posixpath.basename(text) == "rm" for text in rest)
    is_removal = ("-delete" in rest or has_rm) and not rest & _FIND_FILTERS
    return [word.pattern for word in words[:end]] or ["."], is_removal


def target_paths(target: str, *, cwd: str | None, homes: tuple[str, ...]) -> Iterator[str]:
    """Yield ``target`` as absolute, normalised patterns, one for each home and each brace alternative."""
    for home in homes:
        known = target.replace("${HOME}", home)
        known = known if cwd is None else known.replace("${PWD}", cwd)
        for path in _without_braces(known):
            tilde = re.match(r"~(\+|[\w.-]*)(?=/|$)", path)
            start = "" if tilde is None else (cwd or "") if tilde[1] == "+" else home
            spelled = start + path[tilde.end() if tilde else 0 :]
            if cwd is not None or spelled.startswith("/"):
                absolute = posixpath.join(cwd or "/", spelled)
                yield "/" + posixpath.normpath(absolute).lstrip("/")


def _without_braces(pattern: str) -> list[str]:
    """Return the alternatives of ``pattern``. Raises TooDeepError when they are too many."""
    waiting = [pattern]
    done: list[str] = []
    while waiting:
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise TooDeepError
        first = waiting.pop()
        if match := _BRACE.search(first):
            waiting += [first[: match.start()] + part + first[match.end() :] for part in match[1].split(",")]
        else:
            done.append(first)
    return done


def _is_fatal(path: str, homes: Iterable[str]) -> bool:
    parts = _parts(path)
    for home in homes:
        home_parts = _parts(home)
        for length in range(len(home_parts) + 1):
            kept = home_parts[:length]
            if _matches(parts, kept) or (parts and _is_all(parts[-1]) and _matches(parts[:-1], kept)):
                return True
    return False


def _holds_own(path: str, cwd: str | None) -> bool:
    """Tell whether ``path`` names an own folder, lies in one, or holds the working directory."""
    parts = _parts(path)
    if any(part.startswith(".") and _matches((part,), (own,)) for part in parts for own in OWN_FOLDERS):
        return True
    return cwd is not None and _matches(parts, _parts(cwd)[: len(parts)])


def _cleans_ignored(texts: tuple[str, ...]) -> bool:
    at = skip_options(texts, letters="Cc", long={"--git-dir", "--work-tree", "--namespace"})
    options = [text for text in texts[at + 1 :] if text.startswith("-") and not text.startswith("--")]
    return texts[at : at + 1] == ("clean",) and any(letter in text for text in options for letter in "xX")


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)


def _matches(patterns: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return len(patterns) == len(parts) and all(
        re.fullmatch(segment_regex(pattern, has_classes=True), part, re.DOTALL)
        for pattern, part in zip(patterns, parts, strict=True)
    )


def _is_all(segment: str) -> bool:
    """Tell whether ``segment`` matches nearly every name: `*`, `.*`, `.[!.]*`, `?*`."""
    rest = re.sub(r"\[[!^]?\]?[^\]]*\]", "", segment)
    return "*" in rest and not rest.strip(".?*")
