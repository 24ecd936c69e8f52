"""The strict reading of a shell command: by bash's grammar, every byte of it understood, or not at all.

The parser guesses where it does not know. So nothing is believed that cannot be checked: every kind of node is known,
only blanks stand between them, and each word is spelled again (see `word_nodes`).
"""

import re
from collections.abc import Mapping

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from hooks.shell.command import Command
from hooks.shell.lexer import Token
from hooks.shell.simple_commands import (
    literal,
    read_assignments,
    read_command,
    read_declaration,
    read_redirected,
)
from hooks.shell.tree_reader import ANYWHERE, DEEPEST, WORDS, Reader, Reading, check_blank
from hooks.shell.word_nodes import UnreadError, shown

_LANGUAGE = Language(tree_sitter_bash.language())
_MOST_CHARS = 100_000
_MOST_NODES = 20_000
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_STAND_INS = {2: "é", 3: "é_", 4: "éé"}
"""By its bytes in UTF-8: what stands for a character that is not ASCII, no longer and no shorter."""
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def strict_commands(source: str) -> tuple[Command, ...]:
    """Return every simple command of ``source``, those of its substitutions included. Raises UnreadError."""
    if len(source) > _MOST_CHARS:
        raise UnreadError("it is too long")
    if "\0" in source:
        raise UnreadError("it holds a NUL")
    try:
        data = source.encode()
    except UnicodeEncodeError as problem:
        raise UnreadError("it holds half a character") from problem
    root = Parser(_LANGUAGE).parse(_in_latin(source)).root_node
    if root.descendant_count > _MOST_NODES:
        raise UnreadError("it has too many parts")
    if root.has_error:
        raise UnreadError("it does not follow the shell's grammar")
    reader = Reader(data, _READINGS)
    try:
        for text in (data[: root.start_byte], data[root.end_byte :]):
            check_blank(text, ANYWHERE)
        reader.statements(root, depth=0)
    except UnicodeDecodeError as problem:
        raise UnreadError("a character is taken apart in it") from problem
    return tuple(reader.done)


def _in_latin(source: str) -> bytes:
    """Return what the parser is given in place of ``source``, byte for byte of its length.

    The parser looks up what kind a character is in a table of 256, and ends this process for some beyond it. To the shell
    all that are not ASCII are letters of words, and so they are here.
    """
    return _NOT_ASCII.sub(lambda match: _STAND_INS[len(match[0].encode())], source).encode()


def _read_comment(reader: Reader, node: Node, depth: int) -> None:
    before = reader.source[max(node.start_byte - 1, 0) : node.start_byte]
    if not _COMMENT.fullmatch(reader.text(node)) or before.strip(b" \t\n;&|()"):
        raise UnreadError(f"the comment `{shown(reader.text(node))}` is not understood")


def _read_for(reader: Reader, node: Node, depth: int) -> None:
    """Read a loop over words; its variable gets what cannot be known."""
    reader.check_gaps(node, ANYWHERE)
    reader.check_apart([child for child in node.children if child.type in WORDS])
    inner: list[Node] = []
    for child in node.children:
        text = reader.text(child)
        if child.type == "variable_name" and _NAME.fullmatch(text):
            value = Token(kind="word", text="")
            reader.add(Command(words=(), assignments=((text, value),)), (), depth=depth)
        elif child.type == "do_group":
            reader.substitutions(inner, depth=depth)
            reader.repeated(child, depth=depth + 1)
        elif child.is_named:
            reader.word(child, inner)
        elif text not in ("for", "select", "in", ";", "\n"):
            raise UnreadError(f"`{shown(text)}` is not understood")


def _read_case(reader: Reader, node: Node, depth: int) -> None:
    reader.check_gaps(node, ANYWHERE)
    inner: list[Node] = []
    for child in node.children:
        text = reader.text(child)
        if child.type == "case_item":
            _read_case_item(reader, child, depth=depth + 1)
        elif child.is_named:
            reader.word(child, inner)
        elif text not in ("case", "in", "esac", "\n", ";"):
            raise UnreadError(f"`{shown(text)}` is not understood")
    reader.substitutions(inner, depth=depth)


def _read_case_item(reader: Reader, node: Node, *, depth: int) -> None:
    """Read patterns up to the parenthesis, and the statements behind it."""
    reader.check_gaps(node, ANYWHERE)
    closer = next((i for i, child in enumerate(node.children) if child.type == ")"), None)
    if closer is None:
        raise UnreadError(f"`{shown(reader.text(node))}` is not understood")
    inner: list[Node] = []
    labels = tuple(reader.text(child) for child in node.children[:closer] if child.is_named)
    reader.add(Command(words=(), labels=labels), (), depth=depth)
    for child in node.children[:closer]:
        if child.type == "extglob_pattern":
            check_blank(reader.source[child.start_byte : child.end_byte], _PATTERN)
        elif child.type not in ("(", "|"):
            reader.word(child, inner)
    reader.substitutions(inner, depth=depth)
    for child in node.children[closer + 1 :]:
        if child.is_named:
            reader.statement(child, depth=depth)
        elif child.type not in (";;", ";", "&", "\n"):
            raise UnreadError(f"`{shown(reader.text(child))}` is not understood")


_PATTERN = re.compile(r"[\w.*?/:=+@%,-]+")
"""A pattern of `case` without anything to expand."""
_TEST_GROUPS = frozenset({"binary_expression", "unary_expression", "parenthesized_expression"})


def _read_test(reader: Reader, node: Node, depth: int) -> None:
    """Read `[ … ]` and `[[ … ]]` as a command of that name."""
    inner: list[Node] = []
    leaves = list(_test_leaves(node, depth=depth))
    reader.check_apart(leaves)
    words = tuple(
        reader.word(leaf, inner) if leaf.type in WORDS else literal(reader.text(leaf)) for leaf in leaves
    )
    if any(leaf.child_count and leaf.type not in WORDS for leaf in leaves):
        raise UnreadError(f"the test `{shown(reader.text(node))}` is not understood")
    reader.add(Command(words=words), inner, depth=depth)


def _test_leaves(node: Node, *, depth: int) -> list[Node]:
    if depth > DEEPEST:
        raise UnreadError("it nests too deeply")
    leaves: list[Node] = []
    for child in node.children:
        leaves += _test_leaves(child, depth=depth + 1) if child.type in _TEST_GROUPS else [child]
    return leaves


def _read_function(reader: Reader, node: Node, depth: int) -> None:
    reader.check_gaps(node, ANYWHERE)
    names = [child for child in node.children if child.type == "word"]
    if len(names) != 1 or not _NAME.fullmatch(reader.text(names[0])):
        raise UnreadError(f"`{shown(reader.text(node))}` is not understood")
    follower = node.next_sibling
    if follower is None or reader.text(follower) != "&":  # else only a child of the shell knows it
        reader.add(Command(words=(), defines=reader.text(names[0])), (), depth=depth)
    for child in node.children:
        if child.is_named and child != names[0]:
            reader.repeated(child, depth=depth + 1)


def _read_while(reader: Reader, node: Node, depth: int) -> None:
    reader.repeats += 1
    reader.statements(node, depth=depth)
    reader.repeats -= 1


_READINGS: Mapping[str, Reading] = {
    "command": read_command,
    "redirected_statement": read_redirected,
    "variable_assignment": read_assignments,
    "variable_assignments": read_assignments,
    "declaration_command": read_declaration,
    "unset_command": read_declaration,
    "comment": _read_comment,
    "for_statement": _read_for,
    "while_statement": _read_while,
    "case_statement": _read_case,
    "test_command": _read_test,
    "function_definition": _read_function,
}
