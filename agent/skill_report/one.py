"""One skill whole: where it lies, what its fields say, what lies beside it, and how its text begins."""

import json
from collections.abc import Iterator
from typing import Any

from agent.skill_report.book import Book
from agent.terminal.columns import LEAST, flowed, labelled, one_line
from agent.terminal.figures import times, tokens
from agent.terminal.render import plain
from skills.discover import Shadowed, Skill
from skills.reading import Reading, SkillGone, read_again

MOST_LINES = 12
"""Of its text."""


def one_skill(book: Book, skill: Skill, width: int) -> Iterator[str]:
    """Yield what there is to know of ``skill`` as it is now, in lines of at most ``width`` cells."""
    roots = {other.root for other in book.found.skills}
    try:
        reading = read_again(skill, roots)
    except SkillGone as problem:
        yield from flowed([str(problem)], width)
        return
    front = reading.front
    size = f"{tokens(book.count(front.body))} tokens"
    yield from flowed([one_line(front.name), size, one_line(book.place(skill.path))], width)
    yield from flowed([one_line(front.about)], width)
    for label, value in _fields(reading):
        yield from labelled(label, [value], width)
    others = [f"`{book.place(one.skill.path)}` has this name, too" for one in _behind(book, skill)]
    for warning in (*skill.warnings, *others):
        yield from labelled("warning", [one_line(warning)], width)
    yield ""
    yield from _text(front.body, width)


def _fields(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield the fields that are there, as their author wrote them, and the files beside the skill."""
    front = reading.front
    found: dict[str, Any] = {
        "allowed-tools": ", ".join(front.allowed_tools),
        "license": front.license,
        "compatibility": front.compatibility,
        **front.metadata,
        **front.others,
    }
    for name, value in found.items():
        if value not in ("", None):
            yield one_line(name), one_line(_shown(value))
    if reading.files:
        more = ", and more" if reading.has_more else ""
        yield "files", one_line(", ".join(reading.files) + more)


def _shown(value: object) -> str:
    """Return a value nearly as its author wrote it: a list of words in brackets, what is nested as JSON."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _behind(book: Book, skill: Skill) -> list[Shadowed]:
    return [one for one in book.found.shadowed if one.by == skill]


def _text(body: str, width: int) -> Iterator[str]:
    """Yield the first lines of a text, each cut where the screen ends; and how many more there are."""
    lines = body.split("\n")
    for line in lines[:MOST_LINES]:
        broken = flowed([plain(line)], max(width - 3, LEAST)) or [""]
        yield f"  {broken[0]}{'…' if len(broken) > 1 else ''}"
    if (more := len(lines) - MOST_LINES) > 0:
        yield f"  … {times(more, 'more line')}"
