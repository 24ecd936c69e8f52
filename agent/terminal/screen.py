"""The one application that owns the bottom of the screen for the life of the session."""

import asyncio
import contextlib
import io
import os
import signal
import termios
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Always
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyBindingsBase, merge_key_bindings
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from agent.glyphs import settled
from agent.terminal.above import Above
from agent.terminal.frames import FrameWriter
from agent.terminal.layout import Fields, Parts, layout_of
from agent.terminal.lending import Lending
from agent.terminal.prompt_buffer import PromptBuffer

REDRAW_INTERVAL_S = 0.05


@dataclass(slots=True)
class Screen:
    """Draws the parts and the input; commits finished output above them, once and for good.

    ``stdout``: the terminal; ``size``: its rows and columns now.
    """

    buffer: PromptBuffer
    keys: KeyBindingsBase
    input: Input
    stdout: TextIO
    parts: Parts = field(default_factory=Parts)
    fields: Fields = field(init=False)
    writer: FrameWriter = field(init=False)
    app: "SteadyApplication" = field(init=False)
    lending: Lending = field(init=False)
    _found: list[Any] = field(init=False, default_factory=list)
    """The terminal's settings when we came."""

    def __post_init__(self) -> None:
        self.writer = FrameWriter(self.stdout)
        with contextlib.suppress(termios.error, io.UnsupportedOperation):  # tests give a pipe for an input
            self._found = termios.tcgetattr(self.input.fileno())
        output = SparingOutput(
            self.writer,  # type: ignore[arg-type]  # it needs no more of a TextIO than FrameWriter has
            self._size,
            term=os.environ.get("TERM"),
            default_color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            enable_bell=False,
            enable_cpr=False,
        )
        self.fields = Fields(self.buffer)
        self.app = SteadyApplication(
            writer=self.writer,
            layout=layout_of(self.parts, self.fields, lambda: (self.width, self.rows)),
            key_bindings=merge_key_bindings([self.keys, _keys(self)]),
            input=self.input,
            output=output,
            min_redraw_interval=REDRAW_INTERVAL_S,
            erase_when_done=True,
        )
        self.lending = Lending(self.input, self._found, forget=self.app.above.forget, write=self._write)
        self.app.ttimeoutlen = 0.05  # Esc interrupts: it must not wait long for a sequence that may follow

    @property
    def width(self) -> int:
        """Columns to draw in: all but the last.

        When a terminal wraps anew it may join a row that is full with the next one, and nobody could tell where.
        """
        return max(1, self._size().columns - 1)

    @property
    def rows(self) -> int:
        """Rows of the terminal."""
        return self._size().rows

    def refresh(self) -> None:
        """Draw again soon: at most 20 times a second, whatever happens meanwhile."""
        self.app.invalidate()

    def commit(self, text: str) -> None:
        """Put ``text`` (lines with ANSI colours) above the live parts; it scrolls away and is not drawn again."""
        if not text:
            return
        ended = settled(text if text.endswith("\n") else f"{text}\n")
        raw = ended.replace("\n", "\r\n")
        if self.lending.is_on:
            self.lending.hold(raw)
            return
        if not self.app.is_running:
            self._write(raw)
            return
        with self.app.above_live_parts():
            self.app.above.add(ended, self._size().columns)
            self.app.output.write_raw(raw)

    async def run(self) -> None:
        """Show the screen until `stop`; the terminal is afterwards as it was.

        Raises whatever went wrong while a frame was drawn: a screen that cannot be trusted is not kept.
        """
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._fail(context))
        try:
            await self.app.run_async(handle_sigint=False, set_exception_handler=False)
        finally:
            loop.set_exception_handler(None)
            self._write("\r\x1b[J")  # what an error in the middle of a frame left standing

    def stop(self) -> None:
        """Erase the live parts and give the terminal back."""
        if self.app.is_running and not self.app.is_done:
            self.app.exit()

    def suspend(self) -> None:
        """Give the terminal back as it was and stop, as every job does at Ctrl-Z; take it again when continued.

        Nothing stops where nobody could continue us: the kernel sees to that.
        """
        if self.lending.is_on:
            os.kill(os.getpid(), signal.SIGSTOP)  # as the other program has stopped: the settings are its own
        else:
            run_in_terminal(self._stop_job)

    def equip(self, *, history: History, completer: Completer) -> None:
        """Give the input its history and completions, once they are loaded."""
        self.buffer.use_history(history)
        self.buffer.completer = completer
        self.buffer.complete_while_typing = Always()

    def open_field(
        self, keys: KeyBindingsBase, changed: Callable[[str], None], label: str = "search: ", text: str = ""
    ) -> None:
        """Put another field, holding ``text``, in place of the input, with ``keys`` before all others.

        It stands until `close_field`; ``changed`` gets what stands in it whenever that changes.
        """
        self.app.layout.focus(self.fields.opened(keys, changed, label=label, text=text))
        self.refresh()

    def close_field(self) -> None:
        """Bring the input back, with what was typed in it."""
        self.fields.close()
        self.app.layout.focus(self.buffer)
        self.refresh()

    def _write(self, raw: str) -> None:
        self.writer.write(raw)
        self.writer.flush()

    def _stop_job(self) -> None:
        terminal = self.input.fileno()
        own = termios.tcgetattr(terminal)
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        self.app.renderer.reset()
        self.app.above.forget()
        self.app.output.flush()
        termios.tcsetattr(terminal, termios.TCSADRAIN, self._found)
        os.kill(0, signal.SIGTSTP)
        termios.tcsetattr(terminal, termios.TCSADRAIN, own)
        signal.signal(signal.SIGTSTP, handler)

    def _fail(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException) and self.app.is_running and not self.app.is_done:
            self.app.exit(exception=error)

    def _size(self) -> Size:
        try:
            found = os.get_terminal_size(self.stdout.fileno())
        except OSError:
            return Size(rows=24, columns=80)
        return Size(rows=found.lines or 24, columns=found.columns or 80)


class SparingOutput(Vt100_Output):
    """Never clears a whole screen unasked: tmux would put what stood on it into the scrollback."""

    def erase_down(self) -> None:
        """Clear the cursor's line, then what is below it; the cursor, at the start of a line, stays."""
        self.write_raw("\x1b7\x1b[K\x1b[B\x1b[J\x1b8")


class SteadyApplication(Application[None]):
    """An application that leaves no ghosts when the terminal is resized."""

    def __init__(self, *, writer: FrameWriter, **how: Any) -> None:
        super().__init__(**how)
        self.above = Above()
        self._writer = writer

    @contextlib.contextmanager
    def above_live_parts(self) -> Iterator[None]:
        """Take the live parts away, let something be written where they began, and draw them below it; in one frame."""
        with self._writer.frame():
            self.follow_resize()
            self.renderer.erase(leave_alternate_screen=False)
            yield
            self.output.flush()
            self.render_counter += 1  # else the parts' texts of the frame before are shown again
            self.renderer.render(self, self.layout)
            self.note_height()

    def repaint(self) -> None:
        """Draw again all that stands on the screen: whatever else was written there is gone."""
        with self.above_live_parts():
            lines, rows = self.above.shown(self.output.get_size().rows)
            up = f"\r\x1b[{rows}A" if rows else "\r"
            # Row by row: a screen that is cleared as a whole goes to the scrollback of some terminals.
            self.output.write_raw(up + "\x1b[2K\x1b[B" * rows + up)
            self.output.write_raw("".join(f"{line}\r\n" for line in lines))

    def note_height(self) -> None:
        """Remember how far down the frame that was just drawn reaches."""
        if (screen := self.renderer.last_rendered_screen) is not None:
            self.above.drawn(screen.height)

    def follow_resize(self) -> None:
        """Erase from where the first row is *now*, if the terminal has another size than at the last frame.

        It has wrapped what is wider than it has become; the stock handler goes up by the rows of the old width and
        leaves the rest standing. Called before every frame: the signal that tells of a new size may come later.
        """
        size = self.renderer._last_size  # there is no public way to say where the cursor is
        if size is None or size == self.output.get_size():
            return
        self._account_for_reflow()
        self.above.forget()
        self.renderer.erase(leave_alternate_screen=False)

    def _on_resize(self) -> None:
        self.follow_resize()
        self._redraw()

    def _redraw(self, render_as_done: bool = False) -> None:
        self.follow_resize()
        super()._redraw(render_as_done)
        self.note_height()

    def _account_for_reflow(self) -> None:
        """Set the cursor to where the terminal's own wrapping has put it."""
        renderer, screen = self.renderer, self.renderer.last_rendered_screen
        columns = self.output.get_size().columns
        if screen is None or columns <= 0:
            return
        cursor = renderer._cursor_pos
        widths = [_used(screen.data_buffer[row]) for row in range(cursor.y + 1)]
        above = sum(max(1, -(-width // columns)) for width in widths[:-1])
        at = min(cursor.x, max(0, widths[-1] - 1))  # behind the text the cursor stays with its last character
        renderer._cursor_pos = cursor._replace(y=above + at // columns, x=at % columns)


def _keys(screen: Screen) -> KeyBindings:
    """Return the screen's own key: Ctrl-L draws it again."""
    keys = KeyBindings()
    keys.add("c-l")(lambda _: screen.app.repaint())
    return keys


def _used(row: Mapping[int, Char]) -> int:
    """Return how many columns of a row were written: blanks at its end are not."""
    return max((at + 1 for at, cell in row.items() if not cell.char.isspace()), default=0)
