"""Walks the grammar's tree of a shell command, and refuses what it does not know."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from tree_sitter import Node

from hooks.shell.command import Command
from hooks.shell.lexer import Token
from hooks.shell.word_nodes import UnreadError, shown, spell, text_of

ANYWHERE = re.compile(r"(?:[ \t\n]|\\\n)*")
"""What may stand between statements."""
IN_LINE = re.compile(r"(?:[ \t]|\\\n)*")
"""What may stand around the words of one command."""
_BETWEEN_WORDS = re.compile(r"[ \t](?:[ \t]|\\\n)*|(?:\\\n)+[ \t](?:[ \t]|\\\n)*")
DEEPEST = 60
"""Nodes inside one another; Python's own stack ends later."""
PUNCTUATION: Mapping[str, frozenset[str]] = {
    "program": frozenset({";", "&", "\n"}),
    "list": frozenset({"&&", "||"}),
    "pipeline": frozenset({"|", "|&"}),
    "negated_command": frozenset({"!"}),
    "subshell": frozenset({"(", ")", ";", "&", "\n"}),
    "compound_statement": frozenset({"{", "}", ";", "&", "\n"}),
    "command_substitution": frozenset({"$(", ")", "`", ";", "&", "\n"}),
    "process_substitution": frozenset({"<(", ">(", ")", ";", "&", "\n"}),
    "if_statement": frozenset({"if", "then", "fi", ";", "&", "\n"}),
    "elif_clause": frozenset({"elif", "then", ";", "&", "\n"}),
    "else_clause": frozenset({"else", ";", "&", "\n"}),
    "while_statement": frozenset({"while", "until", ";", "&", "\n"}),
    "do_group": frozenset({"do", "done", ";", "&", "\n"}),
    "function_definition": frozenset({"function", "(", ")", ";"}),
    "case_item": frozenset({"(", "|", ")", ";;", ";", "&", "\n"}),
}
"""Nodes that only hold statements, and what may stand between these."""
_CONTINUING = frozenset({"comment", "elif_clause", "else_clause", "do_group"})
"""What may follow a statement without an end of its own."""
WORDS = frozenset(
    [
        "word",
        "number",
        "string",
        "raw_string",
        "ansi_c_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "brace_expression",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    ]
)


class Reader:
    """Lists the simple commands of ``source`` in ``done``, each before those of its substitutions.

    ``readings``: how to read the nodes that are not mere groups of statements.
    """

    def __init__(self, source: bytes, readings: Mapping[str, "Reading"]) -> None:
        self.source = source
        self.readings = readings
        self.done: list[Command] = []
        self.repeats = 0

    def text(self, node: Node) -> str:
        return text_of(node, self.source)

    def statements(self, node: Node, *, depth: int) -> None:
        """Read what ``node``, a group of statements, holds."""
        self.check_gaps(node, ANYWHERE)
        before: Node | None = None
        for child in node.children:
            if child.is_named:
                self.check_ended(before, child)
                self.statement(child, depth=depth + 1)
            elif self.text(child) not in PUNCTUATION[node.type]:
                raise UnreadError(f"`{shown(self.text(child))}` is not understood")
            before = child

    def repeated(self, node: Node, *, depth: int) -> None:
        """Read what may run any number of times."""
        self.repeats += 1
        self.statement(node, depth=depth)
        self.repeats -= 1

    def statement(self, node: Node, *, depth: int) -> None:
        if depth > DEEPEST:
            raise UnreadError("it nests too deeply")
        if reading := self.readings.get(node.type):
            reading(self, node, depth)
        elif node.type in PUNCTUATION:
            self.statements(node, depth=depth)
        else:
            raise UnreadError(f"`{shown(self.text(node))}` is not understood")

    def substitutions(self, inner: Sequence[Node], *, depth: int) -> None:
        """Read the commands of substitutions that words hold."""
        for node in inner:
            text = self.text(node)
            if text.startswith("`") and "\\" in text:
                raise UnreadError("an escape between backticks is not understood")
            self.statement(node, depth=depth + 1)

    def word(self, node: Node, inner: list[Node]) -> Token:
        if node.type not in WORDS:
            raise UnreadError(f"`{shown(self.text(node))}` is not understood")
        return spell(node, self.source, inner)

    def add(self, command: Command, inner: Sequence[Node], *, depth: int) -> None:
        self.done.append(replace(command, is_certain=depth == 1, is_repeated=self.repeats > 0))
        self.substitutions(inner, depth=depth)

    def check_gaps(self, node: Node, blank: re.Pattern[str]) -> None:
        """Raise UnreadError unless only blanks stand around and between the children of ``node``."""
        at = node.start_byte
        for child in node.children:
            check_blank(self.source[at : child.start_byte], blank)
            at = child.end_byte
        check_blank(self.source[at : node.end_byte], blank)

    def check_ended(self, before: Node | None, node: Node) -> None:
        """Raise UnreadError unless a line ends, or something else stands, between two statements."""
        if before is None or not before.is_named or node.type in _CONTINUING:
            return
        between = self.source[before.end_byte - 1 : node.start_byte].replace(b"\\\n", b"")
        if b"\n" not in between:
            raise UnreadError(f"where `{shown(self.text(before))}` ends is not understood")

    def check_apart(self, nodes: Sequence[Node]) -> None:
        """Raise UnreadError unless blanks stand between each two words."""
        for left, right in pairwise(nodes):
            check_blank(self.source[left.end_byte : right.start_byte], _BETWEEN_WORDS)


Reading = Callable[[Reader, Node, int], None]
"""Reads one node at a depth."""


def check_blank(text: bytes, blank: re.Pattern[str]) -> None:
    """Raise UnreadError unless ``text`` is what may stand between two nodes."""
    if not blank.fullmatch(text.decode()):
        raise UnreadError(f"`{shown(text.decode())}` is not understood")


def check_adjacent(nodes: Sequence[Node]) -> None:
    """Raise UnreadError unless ``nodes`` follow one another without a gap."""
    if any(left.end_byte != right.start_byte for left, right in pairwise(nodes)):
        raise UnreadError("a blank stands where none may")
