"""The strict reading of simple commands: words, assignments, redirections, here-documents."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from hooks.shell.command import Command
from hooks.shell.heredocs import read_heredocs
from hooks.shell.lexer import Token
from hooks.shell.tree_reader import IN_LINE, Reader, check_adjacent
from hooks.shell.word_nodes import UnreadError, shown

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_RESERVED = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "do",
        "done",
        "case",
        "esac",
        "while",
        "until",
        "for",
        "select",
        "in",
        "function",
        "coproc",
        "{",
        "}",
        "!",
        "[[",
        "]]",
    ]
)
"""Words that are no program's name: where the grammar takes one for it, it is wrong."""
_OPERATORS = {
    "file_redirect": frozenset({">", ">>", "<", "&>", "&>>", ">|", ">&", "<&"}),
    "herestring_redirect": frozenset({"<<<"}),
}
_REDIRECTS = frozenset({*_OPERATORS, "heredoc_redirect"})
_NO_WORDS = frozenset({*_REDIRECTS, "variable_assignment"})
_CLOSERS = frozenset({">&-", "<&-"})
_BARE_ARGUMENTS = frozenset({"$", "==", "=~", "=", "!="})


def literal(text: str) -> Token:
    """Return the word that is exactly ``text``."""
    return Token(kind="word", text=text, pattern=text, is_literal=True)


def read_command(reader: Reader, node: Node, depth: int) -> None:
    """Read one simple command without redirections behind it."""
    _read_command(reader, node, depth, ())


def read_redirected(reader: Reader, node: Node, depth: int) -> None:
    """Read a simple command with its redirections, or a group with those of the whole."""
    reader.check_gaps(node, IN_LINE)
    redirects = [child for child in node.children if child.type in _REDIRECTS]
    bodies = [child for child in node.children if child.type not in _REDIRECTS]
    if len(bodies) == 1 and bodies[0].type == "command":
        _read_command(reader, bodies[0], depth, redirects)
        return
    inner: list[Node] = []
    reader.add(Command(words=(), redirects=_redirects(reader, redirects, inner)), inner, depth=depth)
    for body in bodies:
        reader.statement(body, depth=depth + 1)
    read_heredocs(reader, redirects, depth=depth)


def _read_command(reader: Reader, node: Node, depth: int, behind: Sequence[Node]) -> None:
    reader.check_gaps(node, IN_LINE)
    redirects = [*behind, *(child for child in node.children if child.type in _REDIRECTS)]
    assignments = [child for child in node.children if child.type == "variable_assignment"]
    others = [child for child in node.children if child.type not in _NO_WORDS]
    nodes = [child.children[0] if child.type == "command_name" else child for child in others]
    reader.check_apart([*assignments, *nodes])
    inner: list[Node] = []
    words = tuple(_argument(reader, word, inner) for word in nodes)
    if words and not words[0].is_quoted and words[0].text in _RESERVED:
        raise UnreadError(f"`{words[0].text}` stands where a program should")
    command = Command(
        words=words,
        redirects=_redirects(reader, redirects, inner),
        assignments=tuple(_assignment(reader, child, inner) for child in assignments),
    )
    reader.add(command, inner, depth=depth)
    read_heredocs(reader, redirects, depth=depth)


def _argument(reader: Reader, node: Node, inner: list[Node]) -> Token:
    text = reader.text(node)
    return literal(text) if not node.is_named and text in _BARE_ARGUMENTS else reader.word(node, inner)


def _redirects(reader: Reader, nodes: Sequence[Node], inner: list[Node]) -> tuple[tuple[str, Token], ...]:
    return tuple(_redirect(reader, node, inner) for node in _flat(nodes) if not _closes(reader, node))


def _flat(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield the redirections, also those that stand behind a here-document's delimiter."""
    for node in nodes:
        if node.type == "heredoc_redirect":
            yield from (child for child in node.children if child.type in _OPERATORS)
        else:
            yield node


def _closes(reader: Reader, node: Node) -> bool:
    children = [child for child in node.children if child.type != "file_descriptor"]
    return len(children) == 1 and reader.text(children[0]) in _CLOSERS


def _redirect(reader: Reader, node: Node, inner: list[Node]) -> tuple[str, Token]:
    reader.check_gaps(node, IN_LINE)
    children = [child for child in node.children if child.type != "file_descriptor"]
    operator, *targets = children
    if reader.text(operator) not in _OPERATORS[node.type] or len(targets) != 1:
        raise UnreadError(f"the redirection `{shown(reader.text(node))}` is not understood")
    return reader.text(operator), reader.word(targets[0], inner)


def read_assignments(reader: Reader, node: Node, depth: int) -> None:
    """Read assignments without a command behind them."""
    nodes = [node] if node.type == "variable_assignment" else node.children
    reader.check_apart(nodes)
    inner: list[Node] = []
    found = tuple(_assignment(reader, child, inner) for child in nodes)
    reader.add(Command(words=(), assignments=found), inner, depth=depth)


def _assignment(reader: Reader, node: Node, inner: list[Node]) -> tuple[str, Token]:
    name, operator, *value = node.children
    is_plain = name.type == "variable_name" and _NAME.fullmatch(reader.text(name)) and len(value) <= 1
    if not is_plain or reader.text(operator) not in ("=", "+="):
        raise UnreadError(f"the assignment `{shown(reader.text(node))}` is not understood")
    check_adjacent(node.children)
    return reader.text(name), reader.word(value[0], inner) if value else literal("")


def read_declaration(reader: Reader, node: Node, depth: int) -> None:
    """Read `export A=b`: a command, with the assignments among its words told from these."""
    reader.check_gaps(node, IN_LINE)
    reader.check_apart(node.children)
    inner: list[Node] = []
    words: list[Token] = []
    assignments: list[tuple[str, Token]] = []
    for child in node.children:
        if child.type == "variable_assignment":
            name, value = _assignment(reader, child, inner)
            assignments.append((name, value))
            words.append(Token(kind="word", text=f"{name}={value.text}", is_literal=value.is_literal))
        elif child.type == "variable_name" or not child.is_named:
            words.append(literal(reader.text(child)))
        else:
            words.append(reader.word(child, inner))
    reader.add(Command(words=tuple(words), assignments=tuple(assignments)), inner, depth=depth)
