"""One simple command, as both readings of a shell command list it."""

import posixpath
from dataclasses import dataclass

from hooks.shell.lexer import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command."""

    words: tuple[Token, ...]
    """The program and its arguments, assignments before it left out; empty for a redirection alone."""
    redirects: tuple[tuple[str, Token], ...] = ()
    """(operator, target), such as `>` and `out.txt`."""
    bodies: tuple[str, ...] = ()
    """Texts it gets on stdin: here-documents and here-strings."""
    ended_by: str = ""
    """The operator behind it, such as `&&`. Only the lenient reading fills this."""
    assignments: tuple[tuple[str, Token], ...] = ()
    """(name, value) of those before it, or of those that stand alone; as all below, only the strict reading fills it."""
    defines: str = ""
    """The function whose definition begins here; its body's commands follow."""
    labels: tuple[str, ...] = ()
    """Patterns of a branch of `case`; its commands follow."""
    is_certain: bool = False
    """The shell itself runs it, whatever the commands before it say."""
    is_repeated: bool = False
    """It stands in a loop or in a function, so it may run any number of times."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The words as the program gets them."""
        return tuple(word.text for word in self.words)

    @property
    def program(self) -> str:
        """Name of the program without the folder of a system path; empty when there is none."""
        return program_name(self.texts)


def program_name(texts: tuple[str, ...]) -> str:
    """Return the program of a command; `/bin/rm` and `../bin/rm` are `rm`, a project's `bin/rm` is not."""
    if not texts:
        return ""
    program = texts[0]
    is_system_path = program.startswith("/") or ".." in program
    return posixpath.basename(program) if is_system_path else program
