"""The one application that owns the bottom of the screen for the life of the session."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Always, Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindingsBase
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from agent.terminal.frames import FrameWriter

TAIL_ROWS = 8
"""Most rows of an unfinished answer that are shown; the rest is above it once it is finished."""
INPUT_ROWS = 10
REDRAW_INTERVAL_S = 0.05

Lines = Callable[[int], Sequence[str]]
"""Width in columns -> lines with ANSI colours, none wider than that."""


def no_lines(width: int) -> Sequence[str]:
    """Return nothing: what a part of the screen shows that has nothing to say."""
    return ()


@dataclass(slots=True)
class Parts:
    """What stands above and below the input, each drawn anew with every frame."""

    tail: Lines = no_lines
    """The unfinished answer."""
    activity: Lines = no_lines
    """Running tools."""
    queue: Lines = no_lines
    """What waits to be sent."""
    question: Lines = no_lines
    """A question that wants an answer."""
    menu: Lines = no_lines
    """Completions."""
    status: Lines = no_lines
    """The status bar."""


@dataclass(slots=True)
class Screen:
    """Draws the parts and the input; commits finished output above them, once and for good.

    ``stdout``: the terminal; ``size``: its rows and columns now.
    """

    buffer: Buffer
    keys: KeyBindingsBase
    input: Input
    stdout: TextIO
    parts: Parts = field(default_factory=Parts)
    writer: FrameWriter = field(init=False)
    app: "SteadyApplication" = field(init=False)

    def __post_init__(self) -> None:
        self.writer = FrameWriter(self.stdout)
        output = Vt100_Output(
            self.writer,  # type: ignore[arg-type]  # it needs no more of a TextIO than FrameWriter has
            self._size,
            term=os.environ.get("TERM"),
            default_color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            enable_bell=False,
            enable_cpr=False,
        )
        self.app = SteadyApplication(
            layout=Layout(self._layout()),
            key_bindings=self.keys,
            input=self.input,
            output=output,
            min_redraw_interval=REDRAW_INTERVAL_S,
            erase_when_done=True,
        )
        self.app.ttimeoutlen = 0.05  # Esc interrupts: it must not wait long for a sequence that may follow

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._size().columns

    def refresh(self) -> None:
        """Draw again soon: at most 20 times a second, whatever happens meanwhile."""
        self.app.invalidate()

    def commit(self, text: str) -> None:
        """Put ``text`` (lines with ANSI colours) above the live parts; it scrolls away and is not drawn again."""
        if not text:
            return
        ended = text if text.endswith("\n") else f"{text}\n"
        raw = ended.replace("\n", "\r\n")
        if not self.app.is_running:
            self.writer.write(raw)
            self.writer.flush()
            return
        with self.writer.frame():
            self.app.renderer.erase(leave_alternate_screen=False)
            self.app.output.write_raw(raw)
            self.app.output.flush()
            self.app.renderer.render(self.app, self.app.layout)

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

    def stop(self) -> None:
        """Erase the live parts and give the terminal back."""
        if self.app.is_running and not self.app.is_done:
            self.app.exit()

    def equip(self, *, history: History, completer: Completer) -> None:
        """Give the input its history and completions, once they are loaded."""
        self.buffer.history = history
        self.buffer.completer = completer
        self.buffer.complete_while_typing = Always()
        self.buffer.load_history_if_not_yet_loaded()

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

    def _layout(self) -> HSplit:
        prompt = Window(
            BufferControl(self.buffer, input_processors=[BeforeInput("> ")], focusable=True),
            height=Dimension(min=1, max=INPUT_ROWS),
            wrap_lines=True,
            dont_extend_height=True,
        )
        return HSplit(
            [
                Window(height=1),
                self._window("tail", most=TAIL_ROWS),
                self._window("activity"),
                self._window("queue"),
                self._window("question"),
                prompt,
                self._window("menu"),
                self._window("status"),
            ]
        )

    def _window(self, part: str, most: int = 1_000) -> ConditionalContainer:
        """A window as high as the part's lines, the last ``most`` of them; none when there are none."""

        def lines() -> Sequence[str]:
            draw: Lines = getattr(self.parts, part)
            return draw(self.width)[-most:]

        def fragments() -> StyleAndTextTuples:
            return to_formatted_text(ANSI("\n".join(lines())))

        window = Window(
            FormattedTextControl(fragments, focusable=False),
            height=lambda: Dimension.exact(max(1, len(lines()))),
            wrap_lines=False,
            dont_extend_height=True,
        )
        return ConditionalContainer(window, filter=Condition(lambda: bool(lines())))


class SteadyApplication(Application[None]):
    """An application that leaves no ghosts when the terminal is resized."""

    def _on_resize(self) -> None:
        """Erase from where the first row is *now*: the terminal has wrapped what is wider than it has become.

        The stock handler goes up by the rows of the old width and leaves the rest standing.
        """
        self._account_for_reflow()
        super()._on_resize()

    def _account_for_reflow(self) -> None:
        renderer, screen = self.renderer, self.renderer.last_rendered_screen
        columns = self.output.get_size().columns
        if screen is None or columns <= 0:
            return
        cursor = renderer._cursor_pos  # there is no public way to say where the cursor is
        rows = [max((column + 1 for column in screen.data_buffer[row]), default=1) for row in range(cursor.y)]
        above = sum(-(-width // columns) for width in rows) + cursor.x // columns
        renderer._cursor_pos = cursor._replace(y=above, x=cursor.x % columns)
