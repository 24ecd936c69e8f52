"""Every simple command that a shell command may run: chained, substituted, wrapped, or handed to a shell.

Two readings: a lenient one that also finds what may be there, for what must not run; and a strict one (`grammar`)
that understands every byte or nothing, for what may run unasked.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hooks.shell.command import Command
from hooks.shell.grammar import strict_commands
from hooks.shell.lexer import LEADING, MAX_DEPTH, Token, TooDeepError, tokens
from hooks.shell.word_nodes import UnreadError
from hooks.shell.wrappers import SHELLS, handed_scripts, shell_script, unwrapped

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_NAMING = frozenset({"function", "coproc"})
"""Reserved words that a name and a group follow."""
_LOOPS = frozenset({"for", "select"})
"""Reserved words that a name follows, and then maybe at once the body."""
_MAX_CHARS = 300_000
"""Text that is read in all, what stands inside several others counted each time: seconds at worst."""
_MAX_SCRIPTS = 5_000
_SPEAKERS = frozenset({"echo", "printf"})
"""Programs whose arguments a shell at the other end of a pipe would run."""


@dataclass(slots=True)
class _Parts:
    """A simple command while it is being collected."""

    words: list[Token] = field(default_factory=list)
    redirects: list[tuple[str, Token]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    redirect: str = ""
    """The redirection whose target comes next."""

    def add(self, token: Token) -> None:
        self.nested += token.nested
        if token.kind == "redirect":
            self.redirect = token.text
            return
        if token.kind == "heredoc" or self.redirect == "<<<":
            self.bodies.append(token.text)
        elif self.redirect:
            self.redirects.append((self.redirect, token))
        else:
            self.words.append(token)
        self.redirect = ""

    def built(self) -> Command:
        return Command(
            words=_command_words(self.words), redirects=tuple(self.redirects), bodies=tuple(self.bodies)
        )


def _command_words(found: Sequence[Token]) -> tuple[Token, ...]:
    """Return ``found`` without the reserved words and the assignments before the command."""
    words = list(found)
    while words and (count := _reserved_at(words) or bool(_ASSIGNMENT.match(words[0].text))):
        del words[:count]
    return tuple(words)


def _reserved_at(words: list[Token]) -> int:
    """Return how many reserved words, and names that they give, stand at the beginning of ``words``."""
    first = words[0]
    if first.is_quoted:
        return 0
    if first.text in LEADING:
        return 1
    if first.text in _LOOPS and [word.text for word in words[2:3]] == ["do"]:
        return 3
    return _brace_in(words) if first.text in _NAMING else 0


def _brace_in(words: list[Token]) -> int:
    """Return the index after the brace that opens the body of a named group, 0 when there is none."""
    return next((i + 1 for i, word in enumerate(words[:3]) if word.text == "{" and not word.is_quoted), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """What a shell command would run."""

    commands: tuple[Command, ...]
    """Every simple command in the order written; those inside others follow the outer one."""
    scripts: tuple[tuple[Token, ...], ...]
    """The tokens of the whole, of each substitution, and of each text that a shell is given."""
    proved: tuple[Command, ...] | None = None
    """The same by the strict reading, which looks into no wrapper; None when it does not understand the whole."""
    doubt: str = ""
    """What it does not understand."""


def read_shell(source: str) -> Shell:
    """Return every simple command of ``source``, those inside others included.

    What a wrapper (`sudo`, `env`, `xargs`, …) starts, what a shell gets by `-c`, a here-document or a pipe from
    `echo`, `eval`, `find -exec`, and all substitutions are listed as commands of their own.
    Raises: TooDeepError.
    """
    reader = _Reader()
    commands = tuple(reader.read(source, depth=0))
    try:
        proved, doubt = strict_commands(source), ""
    except UnreadError as problem:
        proved, doubt = None, str(problem)
    return Shell(commands=commands, scripts=tuple(reader.scripts), proved=proved, doubt=doubt)


class _Reader:
    def __init__(self) -> None:
        self.scripts: list[tuple[Token, ...]] = []
        self.read_chars = 0

    def read(self, source: str, *, depth: int) -> Iterator[Command]:
        self.read_chars += len(source)
        if self.read_chars > _MAX_CHARS or len(self.scripts) > _MAX_SCRIPTS:
            raise TooDeepError
        stream = tuple(tokens(source, depth=depth))
        self.scripts.append(stream)
        said: tuple[str, ...] = ()
        for command, nested in _commands(stream):
            for each in self.unfold(command, said=said, depth=depth):
                yield each
                said += _said(each)
            for inner in nested:
                yield from self.read(inner, depth=depth + 1)

    def unfold(self, command: Command, *, said: tuple[str, ...], depth: int) -> Iterator[Command]:
        """Yield ``command`` and what it starts; ``said``: what a pipe may bring to it."""
        if depth > MAX_DEPTH:
            raise TooDeepError
        yield command
        for words in unwrapped(command.words):
            inner = replace(command, words=_command_words(words), redirects=())
            yield from self.unfold(inner, said=said, depth=depth + 1)
        scripts = handed_scripts(command.words)
        if command.program in SHELLS and shell_script(command.words) is None:
            scripts += command.bodies + said
        for script in scripts:
            yield from self.read(script, depth=depth + 1)


def _said(command: Command) -> tuple[str, ...]:
    """Return the texts that ``command`` may say to a shell at the other end of a pipe."""
    arguments = command.texts[1:] if command.program in _SPEAKERS else ()
    formatted = arguments[1:] if command.program == "printf" else ()
    return (*command.bodies, *([" ".join(arguments)] if arguments else ()), *formatted)


def _commands(stream: tuple[Token, ...]) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Yield each simple command of ``stream``, and the commands of its substitutions."""
    parts = _Parts()
    for token in (*stream, Token(kind="operator", text="\n")):
        if token.kind != "operator":
            parts.add(token)
            continue
        yield replace(parts.built(), ended_by=token.text), tuple(parts.nested)
        parts = _Parts()
