"""The skills of a project, told: a line or two for each, and what is wrong with any."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size

from agent.models import DEFAULT_MODEL
from agent.skill_report.places import place
from agent.skill_report.room import Room
from agent.terminal.columns import LEAST, flowed, one_line
from agent.terminal.figures import times, tokens
from skills.catalog import Catalog
from skills.discover import Found, Shadowed, Skill
from skills.walk import BrokenSkill

WHOLE = "all warnings of a skill: `/skills NAME`, `agent skills check FOLDER`"
_NAME_CELLS = 28
"""Of the column of names; a longer one moves what follows."""
_LEAST_ABOUT = 30
"""Cells that a description needs to stand on the line of its skill."""


@dataclass(frozen=True, slots=True)
class Book:
    """The skills of a project, and how they are told of."""

    found: Found
    project: Path
    env: Mapping[str, str]
    count: Callable[[str], int]

    def place(self, path: Path) -> str:
        """Return where something lies, as short as can be."""
        return place(path, project=self.project, env=self.env)


def rows(book: Book) -> dict[str, Any]:
    """Return all of it, for a program."""
    return {
        "skills": [_row(book, skill) for skill in book.found.skills],
        "shadowed": [
            {**_row(book, one.skill), "shadowed_by": str(one.by.path)} for one in book.found.shadowed
        ],
        "broken": [{"path": str(broken.path), "error": broken.error} for broken in book.found.broken],
    }


def lines(book: Book, width: int) -> Iterator[str]:
    """Yield the lines of the list, none wider than ``width`` cells."""
    skills = book.found.skills
    name_cells = min(max((cell_len(skill.front.name) for skill in skills), default=0), _NAME_CELLS)
    place_cells = max((cell_len(book.place(skill.root)) for skill in skills), default=0)
    for skill in skills:
        yield from _skill(book, skill, (name_cells, place_cells), width)
    for shadowed in book.found.shadowed:
        yield from flowed([_shadowed(book, shadowed)], width)
    for broken in book.found.broken:
        yield from flowed([_broken(book, broken)], width)
    yield ""
    if any(skill.warnings for skill in skills):
        yield from flowed([WHOLE], width)
    yield from flowed(
        [f"{times(len(skills), 'skill')}: {Room.of(Catalog(book.found), DEFAULT_MODEL).line}"], width
    )


def _skill(book: Book, skill: Skill, cells: tuple[int, int], width: int) -> Iterator[str]:
    """Yield its line, or two where it is narrow; of its warnings the first, for real skills have many."""
    name, place = one_line(skill.front.name), one_line(book.place(skill.root))
    about = one_line(skill.front.about)
    size = f"{tokens(book.count(skill.front.body)):>5}"
    head = f"{_padded(name, cells[0])}  {size}  {_padded(place, cells[1])}"
    if width - cell_len(head) - 2 >= _LEAST_ABOUT:
        yield f"{head}  {_fitting(about, width - cell_len(head) - 2)}"
    else:
        yield from flowed([name, f"{size.strip()} tokens", place], width)
        yield f"    {_fitting(about, max(width - 4, LEAST))}"
    if warnings := skill.warnings:
        told = one_line(f"{times(len(warnings), 'warning')}: {warnings[0]}")
        yield f"    {_fitting(told, max(width - 4, LEAST))}"


def _shadowed(book: Book, shadowed: Shadowed) -> str:
    path, by = book.place(shadowed.skill.path), book.place(shadowed.by.path)
    return f"shadowed: {path} has the name `{shadowed.skill.front.name}` too, {by} comes first"


def _broken(book: Book, broken: BrokenSkill) -> str:
    return f"broken: {book.place(broken.path)} {broken.error}"


def _row(book: Book, skill: Skill) -> dict[str, Any]:
    front = skill.front
    return {
        "name": front.name,
        "root": book.place(skill.root),
        "path": str(skill.path),
        "tokens": book.count(front.body),
        "description": front.description,
        "license": front.license,
        "compatibility": front.compatibility,
        "metadata": dict(front.metadata),
        "allowed_tools": list(front.allowed_tools),
        "others": json.loads(json.dumps(front.others, default=str)),
        "warnings": list(skill.warnings),
    }


def _padded(text: str, cells: int) -> str:
    return text + " " * max(cells - cell_len(text), 0)


def _fitting(text: str, room: int) -> str:
    return text if cell_len(text) <= room else f"{set_cell_size(text, room - 1).rstrip()}…"
