"""Which `@path` in an instruction file may be imports: those that stand in its words, not in code or comments."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from markdown_it import MarkdownIt

MAX_CHARS = 1_000
"""Of one path."""
SUFFIXES = (".md", ".mdc", ".mdx", ".markdown", ".txt", ".rst", ".adoc")
"""What names of files end with that are there to be read."""
_PREFIXES = ("./", "../", "~/")
_MENTION = re.compile(r"(?<![^\s*(\[\"'])@((?:[^\s\\]|\\ )+)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TICKS = re.compile("`+")
_AFTER_A_WORD = ".,;:!?)]}>'\"*_"
_blocks = MarkdownIt("commonmark")
_blocks.core.ruler.disable(["inline"])  # what we need of that is below, and costs the same for every text


def mentioned(text: str) -> list[str]:
    r"""Return what stands after an `@` that begins a word, each once, in order: a path, or anything else.

    Code, in blocks and in lines, and HTML comments do not count. `\ ` is a blank of a path.
    """
    if "@" not in text:
        return []
    found = (_MENTION.findall(words) for words in _words(text))
    paths = (path.replace("\\ ", " ") for paths in found for path in paths)
    return list(dict.fromkeys(path for path in paths if len(path) <= MAX_CHARS))


def spellings(mention: str) -> list[str]:
    """Return the paths that a mention can mean, the likeliest first: punctuation may belong to it, or to its sentence."""
    bare = mention.rstrip(_AFTER_A_WORD)
    anchor = bare.partition("#")[0]
    return [path for path in dict.fromkeys((mention, bare, anchor)) if path]


def is_surely_path(mention: str) -> bool:
    """Tell whether it can be nothing but a path: no decorator, no `@scope/package`, no `@/alias`, no name of somebody."""
    return mention.startswith(_PREFIXES) or mention.lower().endswith(SUFFIXES)


def _words(text: str) -> Iterator[str]:
    """Yield the running text of each paragraph, heading or cell."""
    for token in _blocks.parse(text):
        if token.type in ("inline", "html_block"):
            yield _without_code(_COMMENT.sub("`", token.content))


def _without_code(words: str) -> str:
    """Return a paragraph with a tick in place of each code span: ticks up to as many ticks."""
    runs = [match.span() for match in _TICKS.finditer(words)]
    starts: defaultdict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        starts[end - start].append(start)
    parts, at = [], 0
    for start, end in runs:
        begin = start + _is_escaped(words, start)
        closing = starts[end - begin]
        place = bisect_left(closing, end)
        if start >= at and begin < end and place < len(closing):
            parts.append(f"{words[at:begin]}`")
            at = closing[place] + end - begin
    return "".join([*parts, words[at:]])


def _is_escaped(words: str, at: int) -> bool:
    first = at
    while first and words[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
