"""Glob patterns: braces written out, each part of a path as something that tests a name."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from tools.base import ToolError

MAX_ALTERNATIVES = 1_000
MAX_BRACES = 100
ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a pattern, between two slashes."""

    text: str
    regex: re.Pattern[str] | None
    """None: the part is a plain name."""

    def matches(self, name: str, siblings: Collection[str]) -> bool:
        """Tell whether ``name`` fits. Where a name equal to the part exists, only that one does."""
        if self.regex is None or self.text in siblings:
            return name == self.text
        return self.regex.fullmatch(name) is not None


def parse(pattern: str) -> list[tuple[Part, ...]]:
    """Return the alternatives of ``pattern``, each as its parts; the pattern with literal braces is one of them.

    Raises:    ToolError: too many alternatives.
    """
    spelled = dict.fromkeys([*expand_braces(pattern), pattern])
    return [tuple(_part(text) for text in one.split("/") if text not in {"", "."}) for one in spelled]


def expand_braces(pattern: str) -> list[str]:
    """Return the words that bash makes of brace lists; braces that make no list stay as they are.

    Raises:    ToolError: more than MAX_ALTERNATIVES of them.
    """
    if pattern.count("{") > MAX_BRACES:
        raise ToolError(f"The pattern has more than {MAX_BRACES} braces; use fewer or a `*`.")
    return _expand(pattern)


def find_breaks(pattern: str) -> list[str]:
    """Return a sentence for each bracket that is opened and never closed (it was taken literally)."""
    depth = 0
    for char in re.sub(r"\\.", "", pattern):
        depth = max(0, depth + (char == "{") - (char == "}"))
    broken = ["{"] if depth else []
    if any("[" in _pieces(part) for part in pattern.split("/")):
        broken.append("[")
    return [f"`{char}` is never closed in the pattern and was taken literally" for char in broken]


def _expand(pattern: str) -> list[str]:
    for start, char in _unescaped(pattern):
        if char != "{":
            continue
        pieces, end = _split_list(pattern, start)
        if len(pieces) > 1:
            middles = [word for piece in pieces for word in _expand(piece)]
            return _combine(pattern[:start], middles, rest=pattern[end:])
    return [pattern]


def _combine(head: str, middles: list[str], *, rest: str) -> list[str]:
    tails = _expand(rest)
    if len(middles) * len(tails) > MAX_ALTERNATIVES:
        raise ToolError(f"The braces make more than {MAX_ALTERNATIVES} patterns; use fewer or a `*`.")
    return [head + middle + tail for middle in middles for tail in tails]


def _split_list(pattern: str, start: int) -> tuple[list[str], int]:
    """Return the pieces of the list that opens at ``start``, and where it ends; no pieces if it never closes."""
    depth, pieces, since = 0, [], start + 1
    for place, char in _unescaped(pattern, start):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 1:
            pieces.append(pattern[since:place])
            since = place + 1
        if depth == 0:
            return [*pieces, pattern[since:place]], place + 1
    return [], start + 1


def _unescaped(pattern: str, start: int = 0) -> list[tuple[int, str]]:
    """Return place and character of everything not behind a backslash."""
    return [(match.start(), match[0]) for match in re.compile(r"\\.|.", re.DOTALL).finditer(pattern, start)]


def _part(text: str) -> Part:
    if text == ANY_DEPTH or not re.search(r"[*?\[\\]", text):
        return Part(text, None)
    return Part(text, re.compile(_translate(text), re.DOTALL))


def _translate(text: str) -> str:
    """Return the regular expression for one part.

    What stands between two stars is matched at its first place for good: no name makes it search for ever.
    """
    runs = [""]
    for piece in _pieces(text):
        if piece.startswith("*"):
            runs.append("")
        else:
            runs[-1] += _piece_regex(piece)
    if len(runs) == 1:
        return runs[0]
    return runs[0] + "".join(f"(?>.*?{run})" for run in runs[1:-1]) + ".*" + runs[-1]


_PIECE = re.compile(r"\*+|\[[!^]?+\]?+[^\]]*\]|\\.|.", re.DOTALL)


def _pieces(text: str) -> list[str]:
    """Return stars, classes, escaped and plain characters; a bracket that is never closed is a plain one."""
    return [match[0] for match in _PIECE.finditer(text)]


def _piece_regex(piece: str) -> str:
    if piece == "?":
        return "."
    if len(piece) > 1 and piece.startswith("["):
        return _class_regex(piece[1:-1])
    return re.escape(piece[1:] if len(piece) > 1 else piece)


def _class_regex(body: str) -> str:
    """Return the regular expression for the inside of `[…]`; a backward range holds nothing, as in bash."""
    is_negated = body[0] in "!^"
    ranges = re.findall(r"(.)-(.)|(.)", body[is_negated:], re.DOTALL)
    inside = "".join(
        re.escape(single) or f"{re.escape(low)}-{re.escape(high)}"
        for low, high, single in ranges
        if low <= high
    )
    if not inside:
        return "." if is_negated else "(?!)"
    return f"[{'^' if is_negated else ''}{inside}]"
