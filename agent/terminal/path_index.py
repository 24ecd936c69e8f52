"""Finds paths by some of their letters, fast enough for every key in a project of many thousand files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

CHUNK = 4_000
"""Paths that are searched at once; between two such searches other threads have their turn."""
NET = 300
"""Most paths that one way of searching contributes; those are compared one by one."""
MOST_WANTED = 64
"""Characters that are searched for."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
"""A word of a name: `HTTPServer_test2` has four."""
SEPARATORS = re.compile(r"[\W_]+")

Rank = tuple[int, int, int]
"""How it is found, then how far its letters lie apart, then how long it is: less is better."""


class PathIndex:
    """The paths of a project; a folder ends in `/`.

    What is wanted is a subsequence of a path, whatever the case. Three nets are cast, each for the shortest paths of a
    kind: names that begin so, paths that hold it in one piece, paths that hold its letters in order. What they bring
    is ranked.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths, key=lambda path: (len(path), path))
        folded = [path.casefold() for path in self._paths]
        parts = range(0, len(folded), CHUNK)
        self._folded = ["\n" + "\n".join(folded[at : at + CHUNK]) + "\n" for at in parts]
        names = [path[path.rfind("/", 0, -1) + 1 :] for path in folded]
        self._names = ["\n" + "\n".join(names[at : at + CHUNK]) + "\n" for at in parts]

    def find(self, wanted: str, most: int) -> list[str]:
        """Return at most ``most`` paths, the likeliest first."""
        wanted = wanted.casefold()[:MOST_WANTED]
        if not wanted:
            return self._paths[:most]
        nets = (
            _lines_with(self._names, re.compile(re.escape(f"\n{wanted}"))),
            _lines_with(self._folded, re.compile(re.escape(wanted))),
            _lines_with(self._folded, _in_order(wanted)),
        )
        found = {number for net in nets for number in islice(net, NET)}
        ranked = sorted((_rank(self._paths[number], wanted), number) for number in found)
        return [self._paths[number] for _, number in ranked[:most]]


def _in_order(wanted: str) -> re.Pattern[str]:
    """Return what matches a line that holds these characters in order; it never looks back."""
    parts = [f"[^{re.escape(one)}\n]*+{re.escape(one)}" for one in wanted]
    return re.compile(f"\n{''.join(parts)}")


def _lines_with(chunks: Sequence[str], pattern: re.Pattern[str]) -> Iterator[int]:
    """Yield the numbers of the lines that hold ``pattern``, which may begin with the line end before them."""
    for index, text in enumerate(chunks):
        line, at, position = index * CHUNK - 1, 0, 0
        while (found := pattern.search(text, position)) is not None:
            begin = found.start() + (text[found.start()] == "\n")
            line += text.count("\n", at, begin)
            at, position = begin, text.find("\n", begin)
            yield line


def _rank(path: str, wanted: str) -> Rank:
    folded = path.casefold()
    start = folded.rfind("/", 0, -1) + 1
    name = folded[start:]
    if "/" in wanted and folded.startswith(wanted):
        return 0, 0, len(path)
    if name.startswith(wanted) or folded.startswith(wanted):
        return 1, 0, len(path)
    if wanted in name:
        before = name[name.index(wanted) - 1]
        return (4 if before.isalnum() else 2), 0, len(name)
    letters = SEPARATORS.sub("", wanted)
    if _begin_words(path[start:], letters):
        return 3, 0, len(name)
    if wanted in folded:
        return 5, 0, len(path)
    if _begin_words(path, letters):
        return 6, 0, len(path)
    return 7, _span(folded, wanted), len(path)


def _begin_words(name: str, letters: str) -> bool:
    """True when the beginnings of some of the words of ``name``, in order, are these letters."""
    reached = {0}
    """How many letters can be covered by the words so far."""
    for word in WORD.findall(name):
        folded = word.casefold()
        for count in tuple(reached):
            for length, (one, letter) in enumerate(zip(folded, letters[count:], strict=False), count + 1):
                if one != letter:
                    break
                reached.add(length)
    return bool(letters) and len(letters) in reached


def _span(text: str, wanted: str) -> int:
    """Return over how many characters ``wanted`` is spread where it ends first; all of ``text`` when it is not there."""
    end = 0
    for one in wanted:
        end = text.find(one, end) + 1
        if not end:
            return len(text)
    start = end
    for one in reversed(wanted):
        start = text.rfind(one, 0, start)
    return end - start
