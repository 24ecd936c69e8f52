"""The application that owns the bottom of the screen, on a pseudo-terminal of its own."""

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pyte
import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings

from agent.terminal.layout import TAIL_ROWS
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.screen import Screen

WAIT_S = 10.0


@dataclass(slots=True)
class Shown:
    """A screen, and what a terminal makes of it."""

    screen: Screen
    terminal: pyte.Screen
    feed: Callable[[], None]

    @property
    def rows(self) -> list[str]:
        """The rows that are not empty."""
        self.feed()
        return [row.rstrip() for row in self.terminal.display if row.strip()]

    async def until(self, *wanted: str) -> None:
        """Wait until exactly these rows are shown."""
        for _ in range(int(WAIT_S / 0.01)):
            if self.rows == list(wanted):
                return
            await asyncio.sleep(0.01)
        assert self.rows == list(wanted)


def _resized(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@asynccontextmanager
async def shown(columns: int = 40, rows: int = 12) -> AsyncGenerator[Shown]:
    """A running screen."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    _resized(slave, columns, rows)
    terminal = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(terminal)

    def feed() -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                stream.feed(os.read(master, 65_536))

    with create_pipe_input() as keys, os.fdopen(slave, "w") as stdout:
        screen = Screen(buffer=PromptBuffer(), keys=KeyBindings(), input=keys, stdout=stdout)
        screen.parts.status = lambda width: ["the bar"[:width]]
        on = Shown(screen=screen, terminal=terminal, feed=feed)
        screen.commit("early")
        running = asyncio.ensure_future(screen.run())
        try:
            await on.until("early", ">", "the bar")
            yield on
        finally:
            screen.stop()
            await asyncio.wait([running])
            os.close(master)
        running.result()


async def test_parts_stand_around_the_input() -> None:
    """Tail, activity, queue, question above it, menu and bar below; the end of a long tail is shown."""
    async with shown(rows=24) as on:
        parts = on.screen.parts
        parts.tail = lambda _: [f"tail {number}" for number in range(30)]
        parts.activity = lambda _: ["activity"]
        parts.queue = lambda _: ["queue"]
        parts.question = lambda _: ["question"]
        parts.menu = lambda _: ["menu"]
        on.screen.refresh()
        tail = [f"tail {number}" for number in range(30 - TAIL_ROWS, 30)]
        await on.until("early", *tail, "activity", "queue", "question", ">", "menu", "the bar")


async def test_what_is_committed_scrolls_away_above() -> None:
    """Lines of any kind, once, also what came before the screen did; the parts below are drawn with what is true now."""
    async with shown() as on:
        on.screen.commit("")
        on.screen.commit("one")
        on.screen.parts.status = lambda _: ["another bar"]
        on.screen.commit("two\n")
        assert on.rows == ["early", "one", "two", ">", "another bar"]


@pytest.mark.parametrize("rows", [4, 6, 9])
async def test_on_a_small_screen_the_vital_parts_stay(rows: int) -> None:
    """Input and bar are there, and of the question its end, whatever else there is."""
    async with shown(rows=rows) as on:
        on.screen.parts.tail = lambda _: ["tail"] * 30
        on.screen.parts.activity = lambda _: ["activity"] * 30
        on.screen.parts.question = lambda _: [f"question {number}" for number in range(30)]
        on.screen.refresh()
        await asyncio.sleep(0.2)
        assert on.rows[-2:] == [">", "the bar"]
        assert on.rows[-3] == "question 29"


async def test_a_part_that_fails_ends_the_screen() -> None:
    """Whoever runs it gets the error."""
    with pytest.raises(ZeroDivisionError):
        await fail_in_a_part()


async def fail_in_a_part() -> None:
    """Show a part that cannot be drawn."""
    async with shown() as on:
        on.screen.parts.tail = lambda width: [str(width // 0)]
        on.screen.refresh()
        await asyncio.sleep(0.3)


async def test_its_size_is_the_terminals_own() -> None:
    """Read anew at every frame; a terminal that says nothing has 80 columns and 24 rows."""
    async with shown(columns=33, rows=7) as on:
        assert (on.screen.width, on.screen.rows) == (32, 7)
        _resized(on.screen.stdout.fileno(), 50, 9)
        assert (on.screen.width, on.screen.rows) == (49, 9)
        _resized(on.screen.stdout.fileno(), 0, 0)
        assert (on.screen.width, on.screen.rows) == (79, 24)
        _resized(on.screen.stdout.fileno(), 50, 9)
