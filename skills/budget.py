"""A list of skills, or of the like, within a budget of tokens: the longest descriptions are shortened first, and nothing is dropped silently."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SHARE = 0.02
"""Of the working window; other agents take 1 % or 2 %, and their users ask for more."""
LEAST_TOKENS, MOST_TOKENS = 1_000, 8_000
"""Some ten skills in full in the smallest window, and never more than a long file in the largest."""
MAX_DESCRIPTION_CHARS = 1_024
"""The most that the standard allows; a longer one is cut in any case."""
MIN_DESCRIPTION_CHARS = 40
"""What is cut shorter does not tell any more when a skill fits."""
MAX_BYTES_A_TOKEN = 8
"""A list that is longer than this by far is not counted: counting takes longer than all else."""

Entry = tuple[str, str]
"""Name and description of a skill, both on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a list says of that for which it has no room; ``{}`` in ``left_out`` is how many."""

    bare: str = "(Where no description stands there was no room for it: load_skill tells more.)"
    left_out: str = "({} more skills have no room here: `agent skills list` names them all.)"


SKILLS = Words()


def budget_of(window: int) -> int:
    """Return how many tokens the list may have in a working window of so many."""
    return min(max(int(window * SHARE), LEAST_TOKENS), MOST_TOKENS)


def listed(
    entries: Sequence[Entry],
    *,
    budget_tokens: int,
    count: Callable[[str], int],
    words: Words = SKILLS,
    dearest: Sequence[Entry] = (),
) -> str:
    """Return a line for each skill, `- name: description`, in all within ``budget_tokens``.

    Descriptions are cut to one common length; where that would be too short to tell anything, the last ones have none;
    where not even the names fit, the last line says how many are left out.

    Args:      count: tokens of a text; dearest: the same entries in the order in which they get room where it is short.
    """

    def largest(most: int, make: Callable[[int], str]) -> int:
        """Return the largest number up to ``most`` whose text fits; -1 for none."""
        return bisect_left(range(most + 1), True, key=lambda number: not fits(make(number))) - 1

    def fits(text: str) -> bool:
        return len(text.encode()) <= budget_tokens * MAX_BYTES_A_TOKEN and count(text) <= budget_tokens

    spare = MAX_DESCRIPTION_CHARS - MIN_DESCRIPTION_CHARS
    if (more := largest(spare, lambda number: _cut(entries, MIN_DESCRIPTION_CHARS + number))) >= 0:
        return _cut(entries, MIN_DESCRIPTION_CHARS + more)
    entries = dearest or entries
    if (described := largest(len(entries) - 1, lambda number: _named(entries, number, words))) >= 0:
        return _named(entries, described, words)
    kept = max(largest(len(entries) - 1, lambda number: _first(entries, number, words)), 0)
    return _first(entries, kept, words)


def unshortened(entries: Sequence[Entry]) -> str:
    """Return the list as it is where there is room for all of it."""
    return _cut(entries, MAX_DESCRIPTION_CHARS)


def _cut(entries: Sequence[Entry], chars: int) -> str:
    """Every description, at most ``chars`` of it."""
    return "\n".join(f"- {name}: {_shortened(about, chars)}" for name, about in entries)


def _named(entries: Sequence[Entry], described: int, words: Words) -> str:
    """Every name, with a short description for the first ``described``."""
    names = [f"- {name}" for name, _ in entries[described:]]
    return "\n".join([*filter(None, [_cut(entries[:described], MIN_DESCRIPTION_CHARS)]), *names, words.bare])


def _first(entries: Sequence[Entry], kept: int, words: Words) -> str:
    """The first ``kept`` names, and how many there are besides."""
    left = words.left_out.format(f"{len(entries) - kept:,}")
    return "\n".join([*(f"- {name}" for name, _ in entries[:kept]), left])


def _shortened(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[: chars - 1].rstrip()}…"
