"""Markdown of the model's or the user's in a document of ours: what it leaves open is closed, and it loads nothing.

It stays as it was written, but for what would reach beyond it: HTML, images from elsewhere, headings of our own
levels, a fence that is never closed.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

MOST_CHARS = 200_000
"""A longer text is shown as it is, in a fence: reading it as Markdown would take too long."""
ROUNDS = 4
"""What is escaped may make something else of its neighbours; after so many times all of it is."""
LOWEST = 3
"""Headings of the document itself are of a higher level than this."""
_TICKS = re.compile("`+")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_OPENING = re.compile("```|~~~")
_END = "end-of-it"
_parser = MarkdownIt("commonmark")


def settled(text: str) -> str:
    """Return ``text`` so that it keeps to itself."""
    if len(text) > MOST_CHARS:
        return fenced(text)
    for _ in range(ROUNDS):
        spots = sorted(set(_spots(text)), reverse=True)
        if not spots:
            return _closed(text)
        for spot, added in spots:
            text = f"{text[:spot]}{added}{text[spot:]}"
    return fenced(text)


def fenced(text: str) -> str:
    """Put a text in a fence that nothing in it closes."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _closed(text: str) -> str:
    """Return ``text`` with the fence closed that is open at its end."""
    if not _OPENING.search(text):
        return text
    tokens = _parser.parse(f"{text}\n\n{_END}\n")
    if tokens[-1].type == "paragraph_close" and tokens[-2].content == _END:
        return text
    return f"{text}\n{tokens[-1].markup}"


def _spots(text: str) -> Iterator[tuple[int, str]]:
    """Yield (place, what is put there) for all in ``text`` that would reach beyond it."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for token in _parser.parse(text):
        if token.map is None:
            continue
        start, end = starts[token.map[0]], min(len(text), starts[token.map[1]])
        if token.type == "html_block":
            yield from ((found.start(), "\\") for found in _TAG.finditer(text, start, end))
        elif token.type == "inline":
            yield from _inline(text, start, end, token.children or ())
        elif token.type == "heading_open" and not token.level and int(token.tag[1]) < LOWEST:
            yield from _lowered(text, start, end, token)


def _inline(text: str, start: int, end: int, children: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Find the pieces of a paragraph in its source, one after the other."""
    at = start
    for one in children:
        if one.type == "html_inline":
            found = _TAG.search(text, max(at, text.find(one.content, at, end)), end)
        elif one.type == "image" and not str(one.attrGet("src")).startswith("data:"):
            found = re.compile(r"!(?=\[)").search(text, at, end)
        else:
            if one.type == "code_inline":
                at = max(at, text.find(one.content, at, end) + len(one.content))
            continue
        if found is not None:
            yield found.start(), "\\"
            at = found.end()


def _lowered(text: str, start: int, end: int, heading: Token) -> Iterator[tuple[int, str]]:
    """Make a heading one of a lower level; an underlined one becomes a paragraph."""
    if heading.markup.startswith("#"):
        yield text.index("#", start, end), "#" * (LOWEST - 1)
        return
    underline = text.rindex(heading.markup[0], start, end)
    while text[underline - 1] == heading.markup[0]:
        underline -= 1
    yield underline, "\\"
