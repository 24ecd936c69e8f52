"""prompt-toolkit's output and renderer, without ghosts: when the terminal is resized, what was drawn is found again."""

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import BaseStyle

from agent.terminal.above import Above
from agent.terminal.reflow import Reflow, is_wrapping
from agent.terminal.resting import CURSOR
from agent.terminal.whereabouts import Whereabouts

KEY_REDRAW_S = 0.008
"""So long after a frame the next key has one of its own: many keys that come at once have few."""


class SparingOutput(Vt100_Output):
    """Never clears a whole screen unasked: tmux would put what stood on it into the scrollback."""

    def erase_down(self) -> None:
        """Clear the cursor's line, then what is below it; the cursor, at the start of a line, stays."""
        self.write_raw("\x1b7\x1b[K\x1b[B\x1b[J\x1b8")


class SteadyRenderer(Renderer):
    """Erases and draws from where the first row is *now*: the cursor rests there, see `agent.terminal.resting`.

    A frame that cannot be drawn yet is left out: ``whereabouts`` has the next one drawn. The size is looked at before
    each: the signal that tells of a new one may come later.
    """

    def __init__(self, style: BaseStyle, output: Output, whereabouts: Whereabouts) -> None:
        super().__init__(style, output)
        self._whereabouts = whereabouts
        self._reflow = Reflow(is_wrapping=is_wrapping(os.environ))
        self._above = Above()

    @property
    def may_put_above(self) -> bool:
        """Nothing of ours is to be erased above first, which waits until the terminal keeps its size."""
        return self._whereabouts.is_settled or not self._reflow.pushed

    def render(self, app: Application[Any], layout: Layout, is_done: bool = False) -> None:
        """Draw."""
        if not self._whereabouts.may_draw():
            return
        if self._has_moved:
            self.erase(leave_alternate_screen=False)
        super().render(app, layout, is_done)
        if self._last_screen is not None:
            self._above.drawn(self._last_screen.height)

    def erase(self, leave_alternate_screen: bool = True) -> None:
        """Erase all that was drawn; the cursor is where its first row was."""
        if self._has_moved:
            self._follow()
        super().erase(leave_alternate_screen)

    def put_above(self, text: str) -> None:
        """Erase what is drawn and write ``text``, whole lines, for good; what is drawn next stands below it."""
        self.erase(leave_alternate_screen=False)
        self._reflow.forget()
        self._above.add(text, self.output.get_size().columns)
        self.output.write_raw(text.replace("\n", "\r\n"))
        self.output.flush()

    def repaint_above(self) -> None:
        """Erase what is drawn and write again what stands above it."""
        self.erase(leave_alternate_screen=False)
        lines, rows = self._above.shown(self.output.get_size().rows)
        up = f"\r\x1b[{rows}A" if rows else "\r"
        # Row by row: a screen that is cleared as a whole goes to the scrollback of some terminals.
        self.output.write_raw(up + "\x1b[2K\x1b[B" * rows + up)
        self.output.write_raw("".join(f"{line}\r\n" for line in lines))

    def forget_above(self) -> None:
        """Something else was written on the screen."""
        self._above.forget()

    def forget(self) -> None:
        """Leave what is drawn where it is; others write below it."""
        self.reset()
        self._reflow.forget()
        self._above.forget()
        self.output.flush()

    @property
    def _has_moved(self) -> bool:
        """The terminal has, or had, another size than the one that was drawn for."""
        if self._last_size is None or self._last_screen is None:
            return False
        return self._whereabouts.cursor is not None or self._last_size != self.output.get_size()

    def _follow(self) -> None:
        """Set the cursor to the first row of ours that can be reached."""
        screen, size, cursor = self._last_screen, self.output.get_size(), self._whereabouts.cursor
        assert screen is not None
        assert self._last_size is not None
        lost = max(0, self._last_size.rows - size.rows)  # a window that has become lower loses its last rows
        used = [_used(screen.data_buffer[row]) for row in range(max(1, screen.height - lost))]
        is_known = cursor is not None and (cursor.y == 0 or self.may_put_above)
        above = cursor.y if cursor is not None and is_known else None
        rows = self._reflow.follow(used, columns=size.columns, rows=size.rows, above=above)
        self._above.forget()
        self.output.write_raw("\r")
        self.output.cursor_up(rows)


class SteadyApplication(Application[None]):
    """Asks the terminal where it is when it was resized, before anything is drawn or erased.

    A key is shown at once, not with the next frame of an answer that streams.
    """

    whereabouts: Whereabouts
    _drawn_at = 0.0
    _is_due = False
    """A key waits for its frame."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.key_processor.after_key_press += lambda _: self._show_key()

    def _show_key(self) -> None:
        if not self._is_due:
            self._is_due = True
            wait_s = self._drawn_at + KEY_REDRAW_S - time.monotonic()
            asyncio.get_running_loop().call_later(max(0.0, wait_s), self._show_keys)

    def _show_keys(self) -> None:
        if self._is_due and self.is_running and not self.is_done:
            self._redraw()

    def _redraw(self, render_as_done: bool = False) -> None:
        self._is_due = False
        super()._redraw(render_as_done)
        self._drawn_at = time.monotonic()

    def _on_resize(self) -> None:
        self.whereabouts.unsettle()
        self._redraw()


def answers_for(whereabouts: Whereabouts) -> KeyBindings:
    """Return the bindings that take the terminal's answers out of what is typed."""
    keys = KeyBindings()

    @keys.add(Keys.CPRResponse, save_before=lambda _: False)
    def take(event: KeyPressEvent) -> object:
        row, column = event.data[2:-1].split(";")
        whereabouts.take(int(row), int(column))
        return NotImplemented  # nothing is to be drawn anew for it

    return keys


def _used(row: Mapping[int, Char]) -> int:
    """Return how many columns of a row were written: blanks at its end are not, but for the one that is the cursor."""
    return max(
        (at + 1 for at, cell in row.items() if CURSOR in cell.style or not cell.char.isspace()), default=0
    )
