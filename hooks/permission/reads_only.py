"""Whether one command only reads, by the list in `reads_only.toml`, and which paths it reads."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hooks.permission.runners import CALCULATING, TESTS

_LIST = Path(__file__).with_name("reads_only.toml")
_UNLIMITED = 1_000_000
_SPECIAL = frozenset({"find", "git", "variables"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What may stand behind one command; the list says what the fields mean."""

    flags: str = ""
    texts: str = ""
    paths: str = ""
    long: Mapping[str, str] = field(default_factory=dict)
    """Name to the kinds of argument it may have: `` for none, `t`, `p`."""
    takes: str = ""
    by: frozenset[str] = frozenset()
    most: int = _UNLIMITED
    has_numbers: bool = False
    has_lone_options: bool = False
    each: str = ""
    first: str = ""


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(_LIST.read_text(encoding="utf-8"))


@cache
def _entry(name: str) -> _Entry | None:
    table = _tables().get(name)
    if table is None or name in _SPECIAL:
        return None
    fields: dict[str, Any] = dict(table)
    shared = [_tables()[other] for other in fields.pop("like", ())]
    for key in ("flags", "texts", "long"):
        fields[key] = " ".join([fields.get(key, ""), *(other.get(key, "") for other in shared)])
    long: dict[str, str] = {}
    for word in fields["long"].split():
        option, _, kind = word.partition("=")
        long[option] = long.get(option, "") + (kind or "-")
    has_numbers = any(table.get("has_numbers", False) for table in (table, *shared))
    by = frozenset(fields.get("by", "").split())
    return _Entry(**{**fields, "long": long, "by": by, "has_numbers": has_numbers})


def listed() -> tuple[str, ...]:
    """Return the commands of the list, such as `ls` and `git log`, in order."""
    return tuple(
        sorted(
            [name for name in _tables() if name not in ("git", "variables") and not name.isupper()] + ["cd"]
        )
    )


def is_tame_variable(name: str) -> bool:
    """Tell whether a command may be given this variable."""
    return name in _tables()["variables"]["names"].split()


def paths_read(texts: Sequence[str], *, patterns: AbstractSet[str] = frozenset()) -> tuple[str, ...] | None:
    """Return what ``texts``, a command, may read by its arguments; None when it may do more.

    ``patterns``: those of the words that match any number of file names.
    """
    program, arguments = texts[0], texts[1:]
    if program in TESTS:
        return None if CALCULATING.intersection(arguments) else tuple(_operands(arguments))
    if program == "find":
        return _found_paths(arguments)
    name, rest = _command_name(program, arguments)
    entry = _entry(name)
    is_counted = entry is not None and bool(entry.most < _UNLIMITED or entry.each)
    return None if entry is None or (is_counted and patterns) else _paths(entry, rest, patterns)


def _operands(arguments: Sequence[str]) -> Iterator[str]:
    return (text for text in arguments if not text.startswith("-"))


def _command_name(program: str, arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the longest name in the list that the words begin with, and what stands behind it."""
    if program == "command":
        return f"command {' '.join(arguments[:1])}", arguments[1:]
    if program != "git":
        return program, arguments
    options = _tables()["git"]["options"].split()
    start = next((i for i, text in enumerate(arguments) if text not in options), len(arguments))
    for length in (2, 1):
        words = arguments[start : start + length]
        if f"git {' '.join(words)}" in _tables():
            return f"git {' '.join(words)}", arguments[start + length :]
    return "", ()


def _found_paths(arguments: Sequence[str]) -> tuple[str, ...] | None:
    tests = {kind: frozenset(names.split()) for kind, names in _tables()["find"].items()}
    end = next((i for i, text in enumerate(arguments) if text[:1] in ("-", "(", "!")), len(arguments))
    paths = list(arguments[:end])
    at = end
    while at < len(arguments):
        text = arguments[at]
        if text in tests["of_path"]:
            paths += arguments[at + 1 : at + 2]
        elif text not in tests["alone"] | tests["of_text"]:
            return None
        at += 1 if text in tests["alone"] else 2
    return tuple(paths)


def _paths(entry: _Entry, arguments: Sequence[str], patterns: AbstractSet[str]) -> tuple[str, ...] | None:
    """Return the paths among ``arguments``; None when one of them is not in ``entry``."""
    if entry.takes == "any":
        return ()
    options, plain, paths = _sorted(entry, arguments)
    if options is None or len(plain) > entry.most:
        return None
    if entry.each and not all(re.fullmatch(entry.each, text) for text in plain):
        return None
    first = plain[0] if plain else ""
    if entry.first and (first in patterns or not re.fullmatch(entry.first, first)):
        return None
    if entry.takes == "words":
        return tuple(paths)
    has_pattern = entry.takes == "pattern" and not entry.by.intersection(options)
    return (*paths, *plain[has_pattern:])


def _sorted(entry: _Entry, arguments: Sequence[str]) -> tuple[list[str] | None, list[str], list[str]]:
    """Return the options (None when one is not known), the plain arguments, and the arguments of options."""
    options: list[str] = []
    plain: list[str] = []
    paths: list[str] = []
    waiting = list(reversed(arguments))
    while waiting:
        text = waiting.pop()
        if text == "--":
            return options, plain + waiting[::-1], paths
        if not text.startswith("-") or text == "-":
            plain.append(text)
            continue
        kind, attached = _long(entry, text) if text.startswith("--") else _short(entry, text)
        takes_next = kind in ("p", "t") and attached is None and bool(waiting)
        if kind is None or (takes_next and _may_be_option(entry, text, waiting[-1])):
            return None, plain, paths
        options.append(text.partition("=")[0] if text.startswith("--") else text[:2])
        if kind == "p" and attached is not None:
            paths.append(attached)
        elif takes_next:
            paths.append(waiting.pop())  # a text too: some options take one only where it is attached
    return options, plain, paths


def _may_be_option(entry: _Entry, option: str, following: str) -> bool:
    """Tell whether the word behind ``option`` could be one itself: some take an argument only where it is attached."""
    is_pattern = option in entry.by
    return following.startswith("-") and not re.fullmatch(r"-\d*", following) and not is_pattern


def _long(entry: _Entry, text: str) -> tuple[str | None, str | None]:
    """Return what kind of argument a long option takes, None when it is not known, and the one behind `=`."""
    name, sign, value = text[2:].partition("=")
    kinds = entry.long.get(name, "")
    if sign:
        return ("p" if "p" in kinds else "t" if "t" in kinds else None), value
    return ("-" if "-" in kinds else kinds or None), None


def _short(entry: _Entry, text: str) -> tuple[str | None, str | None]:
    """As `_long`, for joined short options: all but the last take no argument."""
    if entry.has_numbers and text[1:].isdecimal():
        return "-", None
    for i, letter in enumerate(text[1:], start=2):
        if letter in entry.texts.replace(" ", "") or letter in entry.paths:
            if entry.has_lone_options and (i > len("-x") or not re.fullmatch(r"\d*", text[i:])):
                return None, None
            return ("p" if letter in entry.paths else "t"), text[i:] or None
        if letter not in entry.flags.replace(" ", ""):
            return None, None
    return "-", None
