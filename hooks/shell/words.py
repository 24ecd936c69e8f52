"""Commands that are provably one simple command of literal words, as the shell would read them."""

import re

_BARE = re.compile(r"[\w%+,./:=@^-]|(?<=[\w%+,./@^-])~")
"""Outside quotes: what no shell gives a meaning. A `~` counts only where no home folder can stand."""
_SINGLE = re.compile(r"'([^'\0]*)'")
_DOUBLE = re.compile(r'"([^"$`!\\\0]*)"')
_BLANK = re.compile(r"[ \t]+")


def plain_words(command: str) -> tuple[str, ...] | None:
    """Return the words of ``command`` without their quotes, or None where nothing can be proved.

    Contract: when it answers, `bash -c` runs exactly these words as one command: no operator, redirection,
    expansion, assignment, comment, escape or open quote. Single-quoted text is literal; double-quoted text is too, as
    long as it holds none of dollar sign, backtick, exclamation mark and backslash.
    """
    command = command.strip(" \t\n")
    words: list[str] = []
    word: str | None = None
    at = 0
    while at < len(command):
        if match := _BLANK.match(command, at):
            words += [] if word is None else [word]
            word = None
        elif match := _SINGLE.match(command, at) or _DOUBLE.match(command, at):
            word = (word or "") + match[1]
        elif match := _BARE.match(command, at):
            word = (word or "") + match[0]
        else:
            return None
        at = match.end()
    words += [] if word is None else [word]
    return None if not words or "=" in words[0] else tuple(words)
