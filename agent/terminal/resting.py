"""The terminal's own cursor, at rest at the start of the first row that we draw; the one that is seen is drawn.

A terminal wraps, cuts and moves rows when it is resized, at a time that nobody can know while a frame is on its way; the
one thing that it keeps is its cursor with the character under it. So all that we ever erase is below the cursor, and a
row that stands for good is above it.
"""

from typing import Any

from prompt_toolkit.application import get_app
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout import HSplit
from prompt_toolkit.layout.screen import Char, Screen

CURSOR = "class:cursor reverse"
TOP = Point(x=0, y=0)


class Resting(HSplit):
    """All that is drawn, one part below the other."""

    def write_to_screen(self, screen: Screen, *how: Any, **where: Any) -> None:
        """Draw the parts, then the cursor of the one that is typed in."""
        super().write_to_screen(screen, *how, **where)
        window = get_app().layout.current_window
        if (at := screen.cursor_positions.get(window)) is not None:
            row = screen.data_buffer[at.y]
            row[at.x] = _marked(row[at.x])
        screen.cursor_positions[window] = TOP
        screen.show_cursor = False


def _marked(cell: Char) -> Char:
    return Char(cell.char, f"{cell.style} {CURSOR}")
