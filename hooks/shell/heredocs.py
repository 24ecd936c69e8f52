"""The strict reading of here-documents: where they end, and what the shell expands in them."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from hooks.shell.tree_reader import IN_LINE, Reader, check_blank
from hooks.shell.word_nodes import UnreadError, shown, spell_pieces

_DELIMITER = re.compile(r"[\w.-]+|'[\w. -]+'|\"[\w. -]+\"|\\[\w.-]+", re.ASCII)
_IN_BODY = re.compile(r"(?:[^\\$`]|\\[^\n]|\$(?![\w({'\"@*#?$!\[-]))*", re.DOTALL)
"""Text that the shell leaves as it is; a line that is continued could hide the end."""


def read_heredocs(reader: Reader, redirects: Sequence[Node], *, depth: int) -> None:
    """Read the here-documents among ``redirects``. Raises UnreadError."""
    for node in redirects:
        if node.type == "heredoc_redirect":
            _read_heredoc(reader, node, depth=depth)


def _read_heredoc(reader: Reader, node: Node, *, depth: int) -> None:
    start = next(child for child in node.children if child.type == "heredoc_start")
    delimiter = reader.text(start)
    end = node.children[-1]
    line_end = reader.source.find(b"\n", start.end_byte)
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    if not _DELIMITER.fullmatch(delimiter) or end.type != "heredoc_end" or line_end < 0 or body is None:
        raise UnreadError(f"the here-document `{delimiter}` is not understood")
    _read_behind(reader, node.children[:-1], (start.end_byte, line_end), depth=depth)
    has_tabs = "<<-" in (reader.text(child) for child in node.children)
    body_end = _body_end(reader.source, line_end + 1, delimiter.strip("'\"\\"), has_tabs=has_tabs)
    if (
        body_end is None
        or not body_end <= end.start_byte
        or reader.source[body_end : end.start_byte].strip(b"\t")
    ):
        raise UnreadError(f"where the here-document `{delimiter}` ends is not understood")
    if delimiter.isidentifier():
        _read_body(reader, body, (line_end + 1, body_end), depth=depth)


def _read_behind(reader: Reader, children: Sequence[Node], span: tuple[int, int], *, depth: int) -> None:
    """Read what stands behind the delimiter on its line: redirections are the command's, the rest statements."""
    at, line_end = span
    for child in children:
        if not at <= child.start_byte < line_end:
            continue
        check_blank(reader.source[at : child.start_byte], IN_LINE)
        at = child.end_byte
        if child.is_named and not child.type.endswith("_redirect"):
            reader.statement(child, depth=depth + 1)
        elif not child.is_named and reader.text(child) not in ("&&", "||"):
            raise UnreadError(f"`{shown(reader.text(child))}` is not understood")
    if at > line_end:
        raise UnreadError("a here-document among the words of another line is not understood")
    check_blank(reader.source[at:line_end], IN_LINE)


def _body_end(source: bytes, at: int, delimiter: str, *, has_tabs: bool) -> int | None:
    """Return where the line that ends the text begins, None when there is none."""
    while at < len(source):
        line_end = source.find(b"\n", at)
        line = source[at : line_end if line_end >= 0 else len(source)]
        if (line.lstrip(b"\t") if has_tabs else line) == delimiter.encode():
            return at
        at += len(line) + 1
    return None


def _read_body(reader: Reader, body: Node, span: tuple[int, int], *, depth: int) -> None:
    inner: list[Node] = []
    expansions = [child for child in body.children if child.type != "heredoc_content"]
    spell_pieces(expansions, reader.source, span, literal=_IN_BODY, inner=inner)
    reader.substitutions(inner, depth=depth)
