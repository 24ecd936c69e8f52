"""A streamed answer: finished blocks are committed once and for good, the unfinished tail is shown live."""

from collections.abc import Sequence

from markdown_it.token import Token

from agent.terminal.render import as_lines, markdown, parser, to_ansi

LONG_BLOCK_LINES = 30
"""A list or code block longer than that is committed piece by piece, so that the tail stays small."""


class MarkdownStream:
    """Takes the text of one answer as it comes.

    Contract: what `take_finished` and `finish` return, one after the other, is the whole answer, each line once.
    """

    def __init__(self) -> None:
        self._pending = ""
        self._drawn: tuple[str, int, Sequence[str]] = ("", 0, ())

    def feed(self, text: str) -> None:
        """Take more of the answer."""
        self._pending += text

    def take_finished(self, width: int) -> str:
        """Return once, as ANSI, the blocks that nothing later can change; empty when there are none."""
        if "\n" not in self._pending:
            return ""
        head, self._pending = split_finished(self._pending)
        return _rendered(head, width)

    def finish(self, width: int) -> str:
        """Return the rest as ANSI: nothing more will come."""
        rest, self._pending = self._pending, ""
        return _rendered(rest, width)

    def discard(self) -> None:
        """Forget the rest: the reply broke off and will be asked for again."""
        self._pending = ""

    def tail(self, width: int) -> Sequence[str]:
        """Return the lines of what is not finished yet."""
        text, drawn_width, lines = self._drawn
        if (text, drawn_width) != (self._pending, width):
            lines = as_lines(_rendered(self._pending, width))
            self._drawn = (self._pending, width, lines)
        return lines


def split_finished(text: str) -> tuple[str, str]:
    """Return (finished, rest): blocks before the last one cannot change any more, whatever comes.

    A long code block or list is split inside: a code block before its last line, the rest under a fence of its
    own; a list before its last item.
    """
    blocks = [
        token for token in parser().parse(text) if token.level == 0 and token.map and token.nesting >= 0
    ]
    if not blocks:
        return "", text
    lines = text.splitlines(keepends=True)
    last = blocks[-1]
    start, stop = last.map or (0, 0)
    if start > 0:
        return "".join(lines[:start]), "".join(lines[start:])
    if stop - start <= LONG_BLOCK_LINES:
        return "", text
    if last.type == "fence":
        return _split_fence(lines, last)
    return _split_list(text, lines)


def _split_fence(lines: Sequence[str], fence: Token) -> tuple[str, str]:
    """Cut a long code block before its last line; the rest opens anew."""
    opening = lines[0]
    indent = opening[: len(opening) - len(opening.lstrip())]
    closing = f"{indent}{fence.markup}\n"
    is_closed = len(lines) > 1 and lines[-1].strip() == fence.markup
    if is_closed:
        return "", "".join(lines)
    return "".join([*lines[:-1], closing]), "".join([opening, lines[-1]])


def _split_list(text: str, lines: Sequence[str]) -> tuple[str, str]:
    """Cut a long list before its last item; anything else stays whole."""
    items = [
        token.map[0]
        for token in parser().parse(text)
        if token.type == "list_item_open" and token.level == 1 and token.map
    ]
    cut = items[-1] if items else 0
    return "".join(lines[:cut]), "".join(lines[cut:])


def _rendered(source: str, width: int) -> str:
    return to_ansi(markdown(source), width) if source.strip() else ""
