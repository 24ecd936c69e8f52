"""Words of a shell command from the nodes of its grammar: what the program gets, where that can be known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tree_sitter import Node

from hooks.shell.lexer import Token

_BARE = re.compile(r"(?:[^\s\\'\"$`;&|<>()\x00-\x1f\x7f]|\\[^\n])+")
"""What a word without quotes may consist of."""
_IN_QUOTES = re.compile(r"(?:[^\\\"$`]|\\.|\$(?![\w({'\"@*#?$!\[-]))*", re.DOTALL)
"""Between double quotes: no expansion that the grammar did not see."""
_RAW = re.compile(r"'[^']*'")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(r"\\(x[0-7][0-9a-fA-F]|x[1-9a-fA-F](?![0-9a-fA-F])|[01][0-7][0-7]|.)", re.DOTALL)
_ANSI_LETTERS = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_SIMPLE = re.compile(r"\$(?:\w+|[@*#?$!-])")
_NUMBERS = re.compile(r"\$\(\([\d\s+*/%<>=!&|^~?:,()-]*\)\)")
_OPERAND = r"[^$`\"'\\{}<>()&|;!@*\[\]\s]*"
_BRACED = re.compile(
    rf"\$\{{(?:#?(?:\w+|[@*#?$!-])|[A-Za-z_]\w*(?::?[-+?]|%%?|##?|//?|\^\^?|,,?){_OPERAND}"
    rf"|[A-Za-z_]\w*: ?-?\d+(?::\d+)?)\}}"
)
"""Parameter expansions that neither assign nor run nor calculate with variables."""
_SPECIAL = "\\~*?[]{}$`,"
_BRACE = re.compile(r"(?<![$\\])\{(?=.*(?:,|\.\.))", re.DOTALL)
_TILDE = re.compile(r"(?:^|[=:])~")
_GLOB = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_LONGEST = 60
_SUBSTITUTIONS = ("command_substitution", "process_substitution")


class UnreadError(Exception):
    """Something in a command that is not understood; the text says what."""


@dataclass(slots=True)
class _Parts:
    text: str = ""
    pattern: str = ""
    is_quoted: bool = False
    is_known: bool = True
    inner: list[Node] = field(default_factory=list)

    def quote(self, text: str) -> None:
        self.is_quoted = True
        self.text += text
        self.pattern += "".join("\\" + char if char in _SPECIAL else char for char in text)

    def leave(self, text: str, pattern: str) -> None:
        """Add what only the shell can know."""
        self.is_known = False
        self.text += text
        self.pattern += pattern


def spell(node: Node, source: bytes, inner: list[Node]) -> Token:
    """Return the word that ``node`` is; its substitutions are added to ``inner``. Raises UnreadError."""
    if source[node.start_byte : node.start_byte + 1] == b"#":
        raise UnreadError("what begins with `#` may be a comment")
    parts = _Parts(inner=inner)
    _add(node, source, parts)
    is_plain = not (
        _BRACE.search(parts.pattern) or _TILDE.search(parts.pattern) or _GLOB.search(parts.pattern)
    )
    return Token(
        kind="word",
        text=parts.text,
        pattern=parts.pattern,
        is_quoted=parts.is_quoted,
        is_literal=parts.is_known and is_plain,
    )


def spell_pieces(
    expansions: Sequence[Node],
    source: bytes,
    span: tuple[int, int],
    *,
    literal: re.Pattern[str],
    inner: list[Node],
) -> None:
    """Check the text of ``span`` in which ``expansions`` stand: all else must be ``literal``. As `spell`."""
    _add_pieces(expansions, source, span, literal=literal, parts=_Parts(inner=inner))


def shown(text: str) -> str:
    """Return ``text`` short enough, and on one line, to be named in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def text_of(node: Node, source: bytes) -> str:
    """Return what stands there."""
    return source[node.start_byte : node.end_byte].decode()


def _add(node: Node, source: bytes, parts: _Parts) -> None:
    text = text_of(node, source)
    if node.type == "concatenation":
        if not _is_gapless(node):
            raise UnreadError(f"`{shown(text)}` may be one word or several")
        for child in node.children:
            _add(child, source, parts)
    elif node.type == "string":
        _add_string(node, source, parts)
    elif node.type == "raw_string" and _RAW.fullmatch(text):
        parts.quote(text[1:-1])
    elif node.type == "ansi_c_string" and (match := _ANSI.fullmatch(text)):
        _add_ansi(match[1], parts)
    elif not _add_expansion(node, text, parts):
        _add_bare(node, text, parts)


def _add_bare(node: Node, text: str, parts: _Parts) -> None:
    is_leaf = node.child_count == 0 or node.type == "brace_expression"
    if text == "$" or not is_leaf or not _BARE.fullmatch(text):
        raise UnreadError(f"`{shown(text)}` is not understood")
    for match in re.finditer(r"\\(.)|([^\\]+)", text, re.DOTALL):
        if match[1]:
            parts.quote(match[1])
        else:
            parts.text += match[2]
            parts.pattern += match[2]


def _add_expansion(node: Node, text: str, parts: _Parts) -> bool:
    """Add a variable, a substitution or a sum of numbers; False for anything else."""
    if node.type in _SUBSTITUTIONS:
        parts.inner.append(node)
        parts.leave(text, "${}")
    elif node.type == "simple_expansion" and _SIMPLE.fullmatch(text):
        parts.leave(text, f"${{{text[1:]}}}")
    elif node.type == "expansion" and _BRACED.fullmatch(text):
        name = re.search(r"\w*", text[2:])
        parts.leave(text, f"${{{name[0] if name else ''}}}")
    elif node.type == "arithmetic_expansion" and _NUMBERS.fullmatch(text):
        parts.leave(text, "${}")
    else:
        return False
    return True


def _add_string(node: Node, source: bytes, parts: _Parts) -> None:
    first, last = node.children[0], node.children[-1]
    if (first.type, last.type) != ('"', '"') or first == last:
        raise UnreadError("a quote does not end")
    parts.quote("")
    expansions = [child for child in node.children if child.type not in ('"', "string_content", "$")]
    span = (first.end_byte, last.start_byte)
    _add_pieces(expansions, source, span, literal=_IN_QUOTES, parts=parts)


def _add_pieces(
    expansions: Sequence[Node],
    source: bytes,
    span: tuple[int, int],
    *,
    literal: re.Pattern[str],
    parts: _Parts,
) -> None:
    at, end = span
    for child in expansions:
        _add_literal(source[at : child.start_byte].decode(), parts, literal=literal)
        if child.start_byte < at or not _add_expansion(child, text_of(child, source), parts):
            raise UnreadError(f"`{shown(text_of(child, source))}` is not understood")
        at = child.end_byte
    if at > end:
        raise UnreadError("an expansion reaches over the end of its text")
    _add_literal(source[at:end].decode(), parts, literal=literal)


def _add_literal(text: str, parts: _Parts, *, literal: re.Pattern[str]) -> None:
    if not literal.fullmatch(text):
        raise UnreadError(f"`{shown(text)}` is not understood")
    parts.quote(re.sub(r"\\(?:\n|([$`\"\\]))", lambda match: match[1] or "", text))


def _add_ansi(body: str, parts: _Parts) -> None:
    """Add what `$'…'` holds; an escape that is not known for sure leaves the word unknown."""
    for match in re.finditer(_ANSI_ESCAPE.pattern + r"|([^\\]+)", body, re.DOTALL):
        escape = match[1]
        if escape is None:
            parts.quote(match[2])
        elif escape in _ANSI_LETTERS:
            parts.quote(_ANSI_LETTERS[escape])
        elif escape[1:]:
            parts.quote(chr(int(escape[1:], 16) if escape[0] == "x" else int(escape, 8)))
        else:
            parts.is_known = False
            parts.quote(escape)
    parts.is_known = parts.is_known and "\0" not in parts.text


def _is_gapless(node: Node) -> bool:
    children = node.children
    ends = children[0].start_byte == node.start_byte and children[-1].end_byte == node.end_byte
    return ends and all(left.end_byte == right.start_byte for left, right in pairwise(children))
