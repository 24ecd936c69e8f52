"""What a user says behind the name of a skill, put where its text wants it."""

import re
from collections.abc import Mapping, Sequence

_PLACEHOLDER = re.compile(
    r"(?P<literal>\\)?\$(?:ARGUMENTS\[(?P<index>\d{1,2})\]|(?P<all>ARGUMENTS)\b"
    r"|(?P<number>\d{1,2})(?![.,]?\d|\w)|(?P<name>[A-Za-z_]\w*))"
)
_FIRST_OF_ALL = re.compile(r"(?<!\\)\$(?:0(?!\d)|ARGUMENTS\[)")
_WORD = re.compile(r"""(["'])(?P<held>(?:(?!\1).)*)\1(?!\S)|\S+""", re.DOTALL)
"""Quotes hold words together where they begin and end one: `'my app'`, not `it's`."""


def filled(body: str, given: str, names: Sequence[str] = ()) -> tuple[str, bool]:
    """Return ``body`` with ``given`` in the place of its placeholders, and whether it had any.

    `$ARGUMENTS` is all of it; `$ARGUMENTS[0]` its first word, in quotes where that has blanks; so is `$0` in a text
    that counts from it, and `$1` in one that does not; `$topic` is the word that ``names``, the skill's own field
    `arguments`, gives that place. What no word was given for stays as it is, for it may be meant for a shell, and so
    does what a backslash stands before.
    """
    words = _words(given)
    first = 0 if _FIRST_OF_ALL.search(body) else 1
    by_name = dict(zip(names, words, strict=False))
    is_used = False

    def put(match: re.Match[str]) -> str:
        nonlocal is_used
        if match["literal"]:
            is_meant = match["all"] or match["index"] or match["number"] or match["name"] in names
            return match[0][1:] if is_meant else match[0]
        found = _value(match, given, words, first=first, by_name=by_name)
        is_used = is_used or found is not None
        return match[0] if found is None else found

    return _PLACEHOLDER.sub(put, body), is_used


def _value(
    match: re.Match[str], given: str, words: Sequence[str], *, first: int, by_name: Mapping[str, str]
) -> str | None:
    """Return what a placeholder stands for; None: nothing that was given."""
    if match["all"]:
        return given
    if match["name"]:
        return by_name.get(match["name"])
    at = int(match["index"]) if match["index"] else int(match["number"]) - first
    return words[at] if 0 <= at < len(words) else None


def _words(given: str) -> list[str]:
    """Return the words of what was given: quotes hold one together, and are left out."""
    return [found[0] if found["held"] is None else found["held"] for found in _WORD.finditer(given)]
