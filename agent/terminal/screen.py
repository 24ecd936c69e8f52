"""The one application that owns the bottom of the screen for the life of the session."""

import asyncio
import contextlib
import io
import os
import signal
import termios
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TextIO

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Always
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyBindingsBase, merge_key_bindings
from prompt_toolkit.output import ColorDepth

from agent.glyphs import settled
from agent.terminal import job
from agent.terminal.frames import FrameWriter
from agent.terminal.layout import Fields, Parts, layout_of
from agent.terminal.lending import Lending
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.steady import SparingOutput, SteadyApplication, SteadyRenderer, answers_for
from agent.terminal.vi_keys import ViKeys
from agent.terminal.whereabouts import Whereabouts

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
    app: SteadyApplication = field(init=False)
    whereabouts: Whereabouts = field(init=False)
    renderer: SteadyRenderer = field(init=False)
    lending: Lending = field(init=False)
    vi: ViKeys = field(init=False)
    _found: list[Any] = field(init=False, default_factory=list)
    """The terminal's settings when we came."""
    _waiting: str = field(init=False, default="")
    """What is committed and waits for the terminal to say where it can stand."""
    _is_leaving: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.writer = FrameWriter(self.stdout)
        with contextlib.suppress(termios.error, io.UnsupportedOperation):  # tests give a pipe for an input
            self._found = termios.tcgetattr(self.input.fileno())
        size = partial(_size_of, self.stdout)
        output = SparingOutput(
            self.writer,  # type: ignore[arg-type]  # it needs no more of a TextIO than FrameWriter has
            size,
            term=os.environ.get("TERM"),
            default_color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            enable_bell=False,
            enable_cpr=False,
        )
        self.fields = Fields(self.buffer)
        self.whereabouts = Whereabouts(ask=self.writer.send, size=size, known=self._go_on)
        self.parts.is_calm = lambda: self.whereabouts.is_settled
        self.app = SteadyApplication(
            layout=layout_of(self.parts, self.fields, lambda: (self.width, self.rows)),
            key_bindings=merge_key_bindings([self.keys, _keys(self), answers_for(self.whereabouts)]),
            input=self.input,
            output=output,
            min_redraw_interval=REDRAW_INTERVAL_S,
            erase_when_done=True,
        )
        self.app.renderer = self.renderer = SteadyRenderer(self.app.renderer.style, output, self.whereabouts)
        self.app.whereabouts = self.whereabouts
        self.whereabouts.is_lent = lambda: self.app._running_in_terminal  # there is no public way to ask
        self.lending = Lending(
            self.input, self._found, forget=self.renderer.forget_above, write=self.writer.send
        )
        self.vi = ViKeys(self.app)
        self.app.ttimeoutlen = 0.05  # Esc interrupts: it must not wait long for a sequence that may follow

    @property
    def width(self) -> int:
        """Columns to draw in: all but the last.

        When a terminal wraps anew it may join a row that is full with the next one, and nobody could tell where.
        """
        return max(1, _size_of(self.stdout).columns - 1)

    @property
    def rows(self) -> int:
        """Rows of the terminal."""
        return _size_of(self.stdout).rows

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
            self.writer.send(raw)
            return
        self._waiting += ended
        self._draw()

    def repaint(self) -> None:
        """Draw again all that stands on the screen: whatever else was written there is gone."""
        if self.whereabouts.may_draw():
            with self.writer.frame():
                self.renderer.repaint_above()
                self._draw()

    async def run(self) -> None:
        """Show the screen until `stop`; the terminal is afterwards as it was.

        Raises whatever went wrong while a frame was drawn: a screen that cannot be trusted is not kept.
        """
        loop = asyncio.get_running_loop()

        def failed(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            if (error := context.get("exception")) is not None:
                self._leave(error)

        loop.set_exception_handler(failed)
        try:
            await self.app.run_async(handle_sigint=False, set_exception_handler=False)
        finally:
            loop.set_exception_handler(None)
            self.whereabouts.stop()
            self.writer.write("\r\x1b[J")  # what an error in the middle of a frame left standing
            self.writer.write(self._waiting.replace("\n", "\r\n"))
            self.writer.flush()

    def stop(self) -> None:
        """Erase the live parts and give the terminal back."""
        self._is_leaving = True
        # The answer to a question would be taken for something typed by whoever comes after us.
        if not self.whereabouts.is_asking:
            self._leave()

    def suspend(self) -> None:
        """Give the terminal back as it was and stop, as every job does at Ctrl-Z; take it again when continued."""
        if self.lending.is_on:
            os.kill(os.getpid(), signal.SIGSTOP)  # as the other program has stopped: the settings are its own
        else:
            run_in_terminal(partial(job.stop, self.input.fileno(), self._found, self.renderer.forget))

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
        self.vi.insert()
        self.refresh()

    def close_field(self) -> None:
        """Bring the input back, with what was typed in it."""
        self.fields.close()
        self.app.layout.focus(self.buffer)
        self.vi.insert()
        self.refresh()

    def _draw(self) -> None:
        """Draw a frame, below what is committed; it is left out if it cannot be drawn yet."""
        if not self.whereabouts.may_draw():
            return
        with self.writer.frame():
            if self._waiting and self.renderer.may_put_above:
                self.renderer.put_above(self._waiting)
                self._waiting = ""
            self.app.render_counter += 1  # else the parts' texts of the frame before are shown again
            self.renderer.render(self.app, self.app.layout)

    def _go_on(self) -> None:
        if self.app.is_running and not self.app.is_done:
            self._draw()
        if self._is_leaving:
            self._leave()

    def _leave(self, error: BaseException | None = None) -> None:
        if self.app.is_running and not self.app.is_done:
            if error is None:
                self.app.exit()
            else:
                self.app.exit(exception=error)


def _size_of(terminal: TextIO) -> Size:
    try:
        found = os.get_terminal_size(terminal.fileno())
    except OSError:
        return Size(rows=24, columns=80)
    return Size(rows=found.lines or 24, columns=found.columns or 80)


def _keys(screen: Screen) -> KeyBindings:
    """Return the screen's own key: Ctrl-L draws it again."""
    keys = KeyBindings()
    keys.add("c-l")(lambda _: screen.repaint())
    return keys
