"""Whether a command may turn out to be one that a rule is about, where some of its words are known only when it runs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hooks.shell.command import Command, program_name
from hooks.shell.lexer import Token
from hooks.shell.wrappers import skip_options, unwrapped

_GIT_LETTERS = "Cc"
_GIT_LONG = frozenset(
    {"--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path"}
)
"""Options of git before the subcommand that take a word."""
_DEEPEST = 10
_FILLED_IN = "{}"
"""What find and xargs put something else in place of."""

Words = tuple[Token, ...]


def without_options(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``texts``, a command, without what may stand between `git` and its subcommand."""
    return (*texts[:1], *texts[_subcommand(texts) :])


def may_be(command: Command, wanted: Sequence[str], *, is_prefix: bool) -> bool:
    """Tell whether ``command``, or what it starts, may run ``wanted``: begin with it, or be it unless ``is_prefix``.

    ``command``: by the strict reading. A program that is not known itself is no match: it is asked about anyway.
    """
    return any(
        _fits(words, wanted, is_prefix=is_prefix, is_open=is_open)
        for words, is_open in _started(command.words)
    )


def may_match(command: Command, program: str) -> bool:
    """Tell whether ``command`` runs ``program``, or starts it, with words that are not known."""
    return any(
        _runs(words, program) and not all(word.is_literal for word in words)
        for words, _ in _started(command.words)
    )


def _started(words: Words, *, is_open: bool = False, depth: int = 0) -> Iterator[tuple[Words, bool]]:
    """Yield ``words`` and what they start; and whether further words will be added to it."""
    yield words, is_open
    name = program_name(_texts(words))
    if depth > _DEEPEST:
        return
    for inner in unwrapped(words):
        filled = inner if name not in ("find", "xargs") else tuple(map(_unknown_where_filled_in, inner))
        yield from _started(filled, is_open=is_open or name == "xargs", depth=depth + 1)


def _unknown_where_filled_in(word: Token) -> Token:
    return replace(word, is_literal=False) if _FILLED_IN in word.text else word


def _fits(found: Words, wanted: Sequence[str], *, is_prefix: bool, is_open: bool) -> bool:
    if not _runs(found, wanted[0]):
        return False
    at = _subcommand(_texts(found))
    if len(wanted) > 1 and not all(word.is_literal for word in found[1:at]):
        return True
    rest = list(found[at:])
    for text in wanted[1:]:
        if not rest:
            return is_open
        word = rest.pop(0)
        if not word.is_literal:
            return True
        if word.text != text:
            return _is_behind_options(word, rest, text)
    return is_prefix or is_open or not any(word.is_literal for word in rest)


def _texts(words: Words) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _runs(words: Words, program: str) -> bool:
    return bool(words) and words[0].is_literal and program in (words[0].text, program_name(_texts(words)))


def _is_behind_options(word: Token, rest: Sequence[Token], text: str) -> bool:
    """Tell whether ``text`` may follow ``word``, an option of a program whose options nobody here knows."""
    is_option = word.text.startswith("-") and not text.startswith("-")
    return is_option and any(other.text == text or not other.is_literal for other in rest)


def _subcommand(texts: tuple[str, ...]) -> int:
    """Return where the subcommand of git stands; 1 for other programs."""
    return skip_options(texts, letters=_GIT_LETTERS, long=_GIT_LONG) if program_name(texts) == "git" else 1
