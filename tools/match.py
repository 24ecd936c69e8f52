"""Finding the place that an edit means, and weaving the new text in so that all else keeps its bytes."""

import difflib
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys(
            "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000", " "
        ),
    }
)
"""Characters that models write as, or take for, their plain ASCII forms; one for one."""

MAX_COUNTED = 10_000
_MAX_WOVEN_TOKENS = 1_000
_WORD = re.compile(r"\w+|\W")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A stretch of the text: 0-based half-open offsets, and the line (from 1) it starts in."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What `find` found: every place (overlapping ones too), and how."""

    places: list[Place]
    needle: str
    """The old text in the form that fits the folded text."""
    new: str
    """The new text in the same form."""
    is_lookalike: bool = False
    is_literal: bool = False
    r"""The text has no `\r\n` and ``new`` goes in as it is."""


@dataclass(slots=True)
class FoldedText:
    r"""A text with its `\r\n` folded to `\n`, able to tell where a place lies in the original."""

    raw: str
    text: str = field(init=False)
    _pairs: list[int] = field(init=False)

    def __post_init__(self) -> None:
        found = re.finditer("\r\n", self.raw)
        self._pairs = [match.start() - before for before, match in enumerate(found)]
        self.text = self.raw.replace("\r\n", "\n")

    @property
    def has_pairs(self) -> bool:
        r"""The original holds at least one `\r\n`."""
        return bool(self._pairs)

    def raw_at(self, offset: int) -> int:
        """Return the place in the original of ``offset`` in the folded text."""
        return offset + bisect_left(self._pairs, offset)

    def raw_slice(self, start: int, end: int) -> str:
        """Return the original of a stretch of the folded text."""
        return self.raw[self.raw_at(start) : self.raw_at(end)]

    def line_end_at(self, start: int) -> str:
        """Return the line end in use at ``start``: that of its line, or of the last line before."""
        at = self.text.find("\n", start)
        if at < 0:
            at = self.text.rfind("\n", 0, start)
        return "\r\n" if at >= 0 and self.raw_slice(at, at + 1) == "\r\n" else "\n"


def find(folded: FoldedText, old: str, new: str, *, everywhere: bool) -> Match | None:
    """Return the places of ``old``: exact ones, else such as differ in line ends, else in lookalikes only.

    In a text of mixed line ends the one exact place wins, unless the change is wanted ``everywhere``.
    """
    for needle, replacement, is_literal in _candidates(folded, old, new):
        places = _places(folded.text, needle)
        if places:
            exact = [place for place in places if folded.raw_slice(place.start, place.end) == old]
            chosen = exact if len(exact) == 1 and not everywhere else places
            return Match(places=chosen, needle=needle, new=replacement, is_literal=is_literal)
    needle = _fold(old)
    places = _places(folded.text.translate(LOOKALIKES), needle.translate(LOOKALIKES))
    if not places:
        return None
    return Match(places=places, needle=needle, new=_fold(new), is_lookalike=True)


def apply(folded: FoldedText, match: Match, *, everywhere: bool) -> tuple[str, int]:
    """Return the original with the new text at the first place, or at all that do not overlap, and their count."""
    parts, done, count = [], 0, 0
    for place in _apart(match, folded.text) if everywhere else match.places[:1]:
        for start, end, text in _changes(folded, match, place):
            parts += [folded.raw_slice(done, start), text]
            done = end
        count += 1
    return "".join([*parts, folded.raw_slice(done, len(folded.text))]), count


def _fold(text: str) -> str:
    return text.replace("\r\n", "\n")


def _candidates(folded: FoldedText, old: str, new: str) -> Iterator[tuple[str, str, bool]]:
    """Yield forms of old and new to try, and whether new is meant literally."""
    if not folded.has_pairs:
        yield old, new, True
        if "\r\n" in old:
            yield _fold(old), _fold(new), False
        return
    yield _fold(old), _fold(new), False
    if old.endswith("\r"):
        # A line copied with half of its line end.
        yield _fold(old)[:-1], _fold(new).removesuffix("\r"), False


def _places(text: str, needle: str) -> list[Place]:
    places: list[Place] = []
    line, counted_to = 1, 0
    start = text.find(needle) if needle else -1
    while start >= 0 and len(places) < MAX_COUNTED:
        line += text.count("\n", counted_to, start)
        counted_to = start
        places.append(Place(start=start, end=start + len(needle), line=line))
        start = text.find(needle, start + 1)
    return places


def _apart(match: Match, text: str) -> Iterator[Place]:
    """Yield all places that do not overlap, from left to right, beyond those counted too."""
    if len(match.places) < MAX_COUNTED:
        end = 0
        for place in match.places:
            if place.start >= end:
                yield place
                end = place.end
        return
    start = text.find(match.needle)
    while start >= 0:
        yield Place(start=start, end=start + len(match.needle), line=0)
        start = text.find(match.needle, start + len(match.needle))


def _changes(folded: FoldedText, match: Match, place: Place) -> Iterator[tuple[int, int, str]]:
    """Yield what changes at ``place``, in folded offsets; what old and new share keeps its original bytes."""
    if match.is_literal:
        yield place.start, place.end, match.new
        return
    line_end = folded.line_end_at(place.start)
    for a, b, c, d in _differences(match.needle, match.new):
        text = match.new[c:d].replace("\n", line_end)
        yield place.start + a, place.start + b, text


def _differences(old: str, new: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield old[a:b] -> new[c:d], by words, in long changes by lines, in very long ones as a whole."""
    one, other = _WORD.findall(old), _WORD.findall(new)
    head = _shared(one, other)
    start = sum(map(len, one[:head]))
    one, other = one[head:], other[head:]
    tail = _shared(one[::-1], other[::-1])
    one, other = one[: len(one) - tail], other[: len(other) - tail]
    if max(len(one), len(other)) > _MAX_WOVEN_TOKENS:
        one, other = _LINE.findall("".join(one)), _LINE.findall("".join(other))
    if max(len(one), len(other)) > _MAX_WOVEN_TOKENS:
        one, other = ["".join(one)], ["".join(other)]
    yield from _align(one, other, start)


def _align(one: list[str], other: list[str], start: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the differences of two lists of tokens that both begin at ``start``, in characters."""
    at_old = at_new = start
    for kind, a, b, c, d in difflib.SequenceMatcher(None, one, other).get_opcodes():
        end_old, end_new = at_old + sum(map(len, one[a:b])), at_new + sum(map(len, other[c:d]))
        if kind != "equal":
            yield at_old, end_old, at_new, end_new
        at_old, at_new = end_old, end_new


def _shared(one: list[str], other: list[str]) -> int:
    """Return how many tokens are the same from the start on."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
