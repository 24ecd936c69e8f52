"""A change of a text as a short numbered diff: ` 41   kept`, ` 42 - old`, ` 42 + new`."""

import difflib
import io
from collections.abc import Iterator
from dataclasses import dataclass

from tools.texts import visible

_CONTEXT_LINES = 3
_MAX_ALIGNED_LINES = 1_000
"""Longer stretches of change are shown as they are, not matched line by line: that takes too long."""
_MAX_LINE_CHARS = 300
_GAP = "  ..."

Change = tuple[int, int, int, int]
"""Lines old[a:b] gave way to new[c:d], as 0-based half-open ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """A numbered diff. Removed and kept lines carry the old text's numbers, added ones the new text's."""

    lines: list[str]
    changes: list[Change]
    added: int
    removed: int

    def text(self, max_lines: int) -> str:
        """Return the first ``max_lines`` lines, and how many were left out."""
        left_out = len(self.lines) - max_lines
        shown = self.lines if left_out <= 0 else [*self.lines[:max_lines], f"  ... {left_out} more lines"]
        return "\n".join(shown)


def compare(old: str, new: str) -> Diff:
    r"""Return the diff between two texts whose lines end at `\n`."""
    before, after = _lines(old), _lines(new)
    changes = list(_changes(before, after))
    width = max(5, len(str(max(len(before), len(after)))))
    return Diff(
        lines=list(_render(changes, before, after, width)),
        changes=changes,
        added=sum(end - start for _, _, start, end in changes),
        removed=sum(end - start for start, end, _, _ in changes),
    )


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))


def _changes(old: list[str], new: list[str]) -> Iterator[Change]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if max(old_end, new_end) - head <= _MAX_ALIGNED_LINES:
        matcher = difflib.SequenceMatcher(None, old[head:old_end], new[head:new_end])
        pairs = [codes[1:] for codes in matcher.get_opcodes() if codes[0] != "equal"]
    elif old_end == new_end:
        pairs = list(_pairwise(old[head:old_end], new[head:new_end]))
    else:
        pairs = [(0, old_end - head, 0, new_end - head)]
    for a, b, c, d in pairs:
        yield a + head, b + head, c + head, d + head


def _common(one: list[str], other: list[str]) -> int:
    """Return how many lines are the same from the start on."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _pairwise(old: list[str], new: list[str]) -> Iterator[Change]:
    start = None
    for at, (one, other) in enumerate(zip(old, new, strict=True)):
        if one != other and start is None:
            start = at
        elif one == other and start is not None:
            yield start, at, start, at
            start = None
    if start is not None:
        yield start, len(old), start, len(new)


def _render(changes: list[Change], old: list[str], new: list[str], width: int) -> Iterator[str]:
    shown_to = 0
    for at, (a, b, c, d) in enumerate(changes):
        start = max(a - _CONTEXT_LINES, shown_to)
        if start > shown_to and at:
            yield _GAP
        yield from _numbered(old, start, a, mark=" ", width=width)
        yield from _numbered(old, a, b, mark="-", width=width)
        yield from _numbered(new, c, d, mark="+", width=width)
        following = changes[at + 1][0] if at + 1 < len(changes) else len(old)
        shown_to = min(b + _CONTEXT_LINES, following)
        yield from _numbered(old, b, shown_to, mark=" ", width=width)


def _numbered(lines: list[str], start: int, end: int, *, mark: str, width: int) -> Iterator[str]:
    for number in range(start, end):
        line = lines[number].removesuffix("\n").removesuffix("\r")
        cut = line if len(line) <= _MAX_LINE_CHARS else f"{line[:_MAX_LINE_CHARS]}…"
        yield f"{number + 1:>{width}} {mark} {visible(cut)}".rstrip()
