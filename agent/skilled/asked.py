"""Skills that the user asks for by name: `/name what it is for`, or `/skill:name` where a command has that name."""

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

SURE = "skill:"
"""Stands before the name of a skill that is meant even where a command has it."""
_ASKED = re.compile(rf"/(?P<sure>{SURE})?(?P<name>[^\s/]+)(?:\s+(?P<given>.*))?", re.DOTALL)
MOST_NEAR = 3
CLOSE = 0.7
"""How like a name must be to be offered beside others; the only one may be less like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A skill that the user asks for, and what he says behind its name."""

    name: str
    given: str


def asked(words: str, skills: Collection[str], commands: Collection[str]) -> Asked | None:
    """Return the skill that ``words`` ask for; None where they are no such request, or there is no such skill."""
    found = _ASKED.fullmatch(words.strip())
    if found is None or found["name"] not in skills or (not found["sure"] and found["name"] in commands):
        return None
    return Asked(name=found["name"], given=(found["given"] or "").strip())


def named(words: str) -> str:
    """Return the name of the command or skill that ``words`` begin with; empty: they begin with none."""
    found = _ASKED.fullmatch(words.strip())
    return f"{found['sure'] or ''}{found['name']}" if found else ""


def nearest(name: str, known: Sequence[str]) -> list[str]:
    """Return the names most like ``name``, the likeliest first."""
    by_folded = {one.casefold(): one for one in known}
    wanted = name.removeprefix(SURE).strip().casefold()
    near = difflib.get_close_matches(wanted, by_folded, n=MOST_NEAR, cutoff=CLOSE)
    return [by_folded[one] for one in near or difflib.get_close_matches(wanted, by_folded, n=1)]
