"""Which occurrences of an event a hook of the settings is for: names, a list of names, or a regular expression."""

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[\w\- ,|]*", re.ASCII)
_SEPARATOR = re.compile(r"[|,]")


class MatcherError(Exception):
    """A matcher that cannot be read; the text says why."""


class Matcher:
    """A matcher as settings spell it.

    Nothing, the empty text and `*` match all. Letters, digits, `_`, `-`, blanks, `,` and `|` alone are one whole name,
    or several of which each is one. Anything else is a regular expression, found anywhere in a name unless it says
    `^` and `$`. Capitals never count.

    Raises: MatcherError: it is no regular expression.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._names: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        if text in ("", "*"):
            return
        if _PLAIN.fullmatch(text):
            self._names = frozenset(name.strip().casefold() for name in _SEPARATOR.split(text))
            return
        try:
            self._pattern = re.compile(text, re.IGNORECASE)
        except (re.error, OverflowError) as problem:
            raise MatcherError(f"`{text}` is no regular expression: {problem}") from problem

    def matches(self, names: Iterable[str]) -> bool:
        """Tell whether one of ``names``, all of them names of one thing, is meant."""
        if self._pattern is not None:
            return any(self._pattern.search(name) for name in names)
        return not self._names or any(name.casefold() in self._names for name in names)
