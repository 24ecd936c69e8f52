"""The sessions of a project as numbered lines, for a terminal in which nothing can be chosen by moving."""

from itertools import islice

from agent.terminal.picker import Choice
from agent.terminal.render import plain
from agent.terminal.sessions import Shelf, is_listed, listed

MOST = 20
HOW = "/resume N opens one of them"
NONE = "no other sessions here"


def numbered_lines(shelf: Shelf, *, now: float, current: str) -> list[str]:
    """Return a line for each of the newest sessions, under the number by which `/resume` knows it."""
    known = (one for one in shelf.store.logs() if is_listed(shelf.store, one, current))
    found = listed(shelf, islice(known, MOST), now=now, current=current)
    if not any(one.choice.is_offered for one in found):
        return [NONE]
    return [*(f"{number:>3}  {_line(one.choice)}" for number, one in enumerate(found, 1)), HOW]


def _line(choice: Choice) -> str:
    cells = [cell for cell in choice.cells if cell]
    return "  ".join([*cells, *([f"({choice.note})"] if choice.note else []), plain(choice.name)])
