"""A streamed answer: finished blocks are committed once and for good, the unfinished tail is shown live."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO

from markdown_it.token import Token

from agent.terminal.render import Drawn, as_lines, markdown, parser, to_ansi

LONG_BLOCK_LINES = 30
"""A list or code block longer than that is committed piece by piece, so that the tail stays small."""


class MarkdownStream:
    """Takes the text of one answer as it comes.

    Contract: what `take_finished` and `finish` return, one after the other, is the whole answer, each line once.
    """

    def __init__(self) -> None:
        self.is_inside = False
        """What is returned next goes on with the block that was returned last."""
        self._pending = ""
        self._drawn = Drawn()

    def feed(self, text: str) -> None:
        """Take more of the answer."""
        self._pending += text

    def take_finished(self, width: int) -> str:
        """Return once, as ANSI, the blocks that nothing later can change; empty when there are none."""
        if "\n" not in self._pending:
            return ""
        cut = split_finished(self._pending)
        self._pending = cut.rest
        taken = _rendered(cut.finished, width)
        if taken:
            self.is_inside = cut.is_inside
        return taken

    def finish(self, width: int) -> str:
        """Return the rest as ANSI: nothing more will come."""
        rest = self._pending
        self.discard()
        return _rendered(rest, width)

    def discard(self) -> None:
        """Forget the rest: the reply broke off and will be asked for again."""
        self._pending = ""
        self.is_inside = False

    def tail(self, width: int) -> Sequence[str]:
        """Return the lines of what is not finished yet."""
        return self._drawn.of((self._pending, width), lambda: as_lines(_rendered(self._pending, width)))


ENDED_BY_BLANK = ("paragraph_open", "heading_open", "hr")
"""Blocks that a blank line ends for good; lists and code may go on behind one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """An unfinished answer cut in two; ``is_inside``: the rest goes on with the block that is cut."""

    finished: str
    rest: str
    is_inside: bool = False


def split_finished(text: str) -> Cut:
    """Cut ``text`` before its last block: whatever comes, nothing changes what stands before that one.

    A long code block or list is cut inside: a code block before its last line, the rest under a fence of its
    own; a list before its last item. An unfinished line decides nothing: a `#` may become `#1`.
    """
    whole = Cut(finished="", rest=text)
    ended, unended = text[: text.rfind("\n") + 1], text[text.rfind("\n") + 1 :]
    blocks = [
        token for token in parser().parse(ended) if token.level == 0 and token.map and token.nesting >= 0
    ]
    if not blocks:
        return whole
    # Lines as the parser counts them: it knows no other line end.
    lines = StringIO(ended, newline="\n").readlines()
    last = blocks[-1]
    start, stop = last.map or (0, 0)
    if last.type in ENDED_BY_BLANK and stop < len(lines):
        return Cut(finished=ended, rest=unended)
    if start > 0:
        return Cut(finished="".join(lines[:start]), rest="".join([*lines[start:], unended]))
    if stop - start <= LONG_BLOCK_LINES:
        return whole
    cut = _split_fence(lines, last) if last.type == "fence" else _split_list(ended, lines)
    return replace(cut, rest=cut.rest + unended)


def _split_fence(lines: Sequence[str], fence: Token) -> Cut:
    """Cut a long code block before its last line; the rest opens anew."""
    opening = lines[0]
    indent = opening[: len(opening) - len(opening.lstrip())]
    if lines[-1].strip().startswith(fence.markup[0] * 3):
        return Cut(finished="", rest="".join(lines))  # closed, or about to be
    head = "".join([*lines[:-1], f"{indent}{fence.markup}\n"])
    return Cut(finished=head, rest="".join([opening, lines[-1]]), is_inside=True)


def _split_list(text: str, lines: Sequence[str]) -> Cut:
    """Cut a long list before its last item; anything else stays whole."""
    items = [
        token.map[0]
        for token in parser().parse(text)
        if token.type == "list_item_open" and token.level == 1 and token.map
    ]
    cut = items[-1] if items else 0
    return Cut(finished="".join(lines[:cut]), rest="".join(lines[cut:]), is_inside=cut > 0)


def _rendered(source: str, width: int) -> str:
    """Return the lines of ``source`` without empty ones around them: whoever shows them sets them apart."""
    lines = as_lines(to_ansi(markdown(source), width)) if source.strip() else []
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "".join(f"{line}\n" for line in lines)
