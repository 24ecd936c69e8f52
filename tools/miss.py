"""Why an edit found no place, in words that let the model send a better one."""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from tools.texts import visible

_NUMBERED = re.compile(r"^\s*\d+(?:\+\d+)?\t", re.ASCII)
_MAX_COMPARED_LINES = 5_000
_MAX_FREQUENT = 200
_MAX_LINE_CHARS = 160
_MIN_TELLING_CHARS = 4


def explain_miss(text: str, old: str, new: str) -> str:
    """Return the reasons why ``old`` is not in ``text`` (both with folded line ends), one a line."""
    return "\n".join(_reasons(text, old, new)) or "Nothing in the file is like it; read the file again."


def _reasons(text: str, old: str, new: str) -> Iterator[str]:
    if not text:
        yield "The file is empty; use write to fill it."
        return
    bare = _without_numbers(old)
    if bare != old:
        yield "`old_string` carries the line-number prefix of the read view; leave out the number and the tab."
        if bare in text:
            return
    lines, wanted = text.split("\n"), _trim(bare.split("\n"))
    at = _same_but_for_blanks(lines, wanted)
    if at is not None:
        yield f"{_span(at, len(wanted))} of the file: the same except for whitespace."
        yield from _first_difference(lines, wanted, at)
    else:
        yield from _nearest(lines, wanted)
    if len(new.strip()) >= _MIN_TELLING_CHARS and new in text:
        line = text.count("\n", 0, text.index(new)) + 1
        yield f"`new_string` already stands at line {line}: was this edit made before?"


def _without_numbers(old: str) -> str:
    lines = old.split("\n")
    if not all(_NUMBERED.match(line) for line in lines if line):
        return old
    return "\n".join(_NUMBERED.sub("", line) for line in lines)


def _trim(lines: list[str]) -> list[str]:
    """Return ``lines`` without blank ones at both ends; one blank line if there is nothing else."""
    told = [number for number, line in enumerate(lines) if line.strip()]
    return lines[told[0] : told[-1] + 1] if told else lines[:1]


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def _same_but_for_blanks(lines: list[str], wanted: list[str]) -> int | None:
    """Return where ``wanted`` stands if whitespace does not count; its ends may lie inside a line."""
    targets = [_squeeze(line) for line in wanted]
    if not targets[0]:
        return None
    squeezed = [_squeeze(line) for line in lines]
    if len(targets) == 1:
        return next((at for at, line in enumerate(squeezed) if targets[0] in line), None)
    middle = targets[1:-1]
    for at in range(len(lines) - len(targets) + 1):
        end = at + len(targets) - 1
        if (
            squeezed[at].endswith(targets[0])
            and squeezed[end].startswith(targets[-1])
            and squeezed[at + 1 : end] == middle
        ):
            return at
    return None


def _nearest(lines: list[str], wanted: list[str]) -> Iterator[str]:
    """Say where most lines agree, or else which line is most like the first one."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line.strip(), []).append(number)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(wanted):
        found = places.get(line.strip(), [])
        if line.strip() and len(found) <= _MAX_FREQUENT:
            votes.update(number - offset for number in found)
    if votes:
        at, count = max(votes.items(), key=lambda vote: (vote[1], -vote[0]))
        yield f"Nearest: {_span(max(at, 0), len(wanted)).lower()}, where {count} of {len(wanted)} lines agree."
        yield from _first_difference(lines, wanted, at)
        return
    head = [line.strip()[:_MAX_LINE_CHARS] for line in lines[:_MAX_COMPARED_LINES]]
    close = difflib.get_close_matches(
        wanted[0].strip()[:_MAX_LINE_CHARS], [line for line in head if line], n=1
    )
    if close:
        at = head.index(close[0])
        yield f"Nearest: line {at + 1}."
        yield from _first_difference(lines, wanted, at)


def _first_difference(lines: list[str], wanted: list[str], at: int) -> Iterator[str]:
    """Show the first line that is not the same, and the first character in which it differs."""
    for number, mine in enumerate(wanted, start=at):
        theirs = lines[number] if 0 <= number < len(lines) else None
        if theirs is None:
            yield f"The file ends at line {len(lines)}." if number > 0 else "The file begins later."
            return
        is_inside = mine in theirs if len(wanted) == 1 else mine == theirs
        if not is_inside:
            yield f"line {number + 1}:     {_show(theirs)}"
            yield f"old_string: {_show(mine)}"
            yield _first_odd(theirs, mine)
            return


def _first_odd(theirs: str, mine: str) -> str:
    column = next((i for i, (a, b) in enumerate(zip(theirs, mine, strict=False)) if a != b), None)
    if column is None:
        column = min(len(theirs), len(mine))
    return f"column {column + 1}: the file has {_name(theirs, column)}, old_string has {_name(mine, column)}"


def _name(line: str, column: int) -> str:
    if column >= len(line):
        return "the end of the line"
    odd = line[column]
    return f"U+{ord(odd):04X} {unicodedata.name(odd, 'TAB' if odd == chr(9) else '')}".strip()


def _show(line: str) -> str:
    shown = visible(line).replace("\t", "\\t").replace("\r", "\\r")
    return shown if len(shown) <= _MAX_LINE_CHARS else f"{shown[:_MAX_LINE_CHARS]}…"


def _span(at: int, count: int) -> str:
    return f"Line {at + 1}" if count == 1 else f"Lines {at + 1}-{at + count}"
