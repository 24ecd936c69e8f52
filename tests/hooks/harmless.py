"""Generates shell commands that only read, or that a rule allows, written in all the ways that people and models write them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shlex import quote

from hypothesis import strategies as st

from tests.hooks.productions import ansi_quoted, double_quoted

READING = (
    "ls -la src",
    "cat README.md",
    "head -n 20 src/a.py",
    "tail -5 a.txt",
    "wc -l a.txt b.txt",
    "grep -rn 'def main(' src",
    "grep -E 'a|b; c && d' a.txt",
    "rg -n 'x > y' src",
    "find . -name '*.py' -type f",
    "git status --short",
    "git log --oneline -5",
    "git diff HEAD~1 --stat",
    "git show HEAD:src/a.py",
    "git blame src/a.py",
    "git grep -n '$(x) `y`'",
)
"""What never asks."""
ALLOWED = (
    "npm run build",
    "make test",
    "echo 'it is done; all of it'",
    "printf '%s' 'a # b'",
    "pytest -q tests/a.py",
)
RULES = ("bash(npm run:*)", "bash(make test)", "bash(echo:*)", "bash(printf:*)", "bash(pytest:*)")
"""The rules that allow ALLOWED."""

_WORD = re.compile(r"'([^']*)'|(\S+)")
_SAFE = re.compile(r"[\w./:=@%+,-]")


def _escaped(word: str) -> str:
    return "".join(char if _SAFE.fullmatch(char) else "\\" + char for char in word)


def _in_parts(word: str) -> str:
    return quote(word[:1]) + double_quoted(word[1:])


PLAIN_QUOTES: Mapping[str, Callable[[str], str]] = {
    "as it is, or quoted where it must be": quote,
    "single": lambda word: "'" + word.replace("'", "'\\''") + "'",
    "double": double_quoted,
    "backslashes": _escaped,
    "parts": _in_parts,
}
ODD_QUOTES: Mapping[str, Callable[[str], str]] = {
    "$''": ansi_quoted,
    "empty quotes": lambda word: "''" + quote(word),
    "a line end": lambda word: quote(word) + "\\\n",
}
PLAIN_SIGNS = (" && ", " || ", "; ", " | ", "\n", "&&", ";", " |\n", " &&\n  ")
PLAIN_FRAMES = (
    "{}",
    "  {}  ",
    "{}\n",
    "{} # it's; rm",
    "{} 2>/dev/null",
    "{} >/dev/null 2>&1",
    "{} 2>&1",
    "\n{}",
)
ODD_FRAMES = (
    "({})",
    "{{ {}\n}}",
    "if {}\nthen {}\nfi",
    "for i in a b; do {}\ndone",
    "while {}\ndo {}\nbreak; done",
    "case a in a) {}\n;; esac",
    "! {}",
    "time {}",
    "timeout 5 {}",
    'echo "$({}\n)"',
    "bash -c 'ls'; {}",
    "{} &",
    "cat <<'E'\n$(rm -rf x)\nE\n{}",
)


@dataclass(frozen=True, slots=True)
class Harmless:
    """A command that should be allowed; ``is_plain``: literal words, lists and pipes only, so that it must be."""

    command: str
    is_plain: bool


@st.composite
def simple_commands(draw: st.DrawFn, *, is_plain: bool) -> str:
    """One command, its words quoted in different ways."""
    quotes = {**PLAIN_QUOTES} if is_plain else {**PLAIN_QUOTES, **ODD_QUOTES}
    words = [single or bare for single, bare in _WORD.findall(draw(st.sampled_from(READING + ALLOWED)))]
    return " ".join(quotes[draw(st.sampled_from(sorted(quotes)))](word) for word in words)


@st.composite
def harmless(draw: st.DrawFn) -> Harmless:
    """One to three commands, in a list or a pipe, maybe inside something."""
    is_plain = draw(st.booleans())
    command = draw(simple_commands(is_plain=is_plain))
    for _ in range(draw(st.integers(0, 2))):
        command += draw(st.sampled_from(PLAIN_SIGNS)) + draw(simple_commands(is_plain=is_plain))
    frames = PLAIN_FRAMES if is_plain else PLAIN_FRAMES + ODD_FRAMES
    return Harmless(draw(st.sampled_from(frames)).format(*[command] * 2), is_plain)
