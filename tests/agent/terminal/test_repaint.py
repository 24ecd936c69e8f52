"""Ctrl-L: all that stands on the screen is drawn again in its place; nothing is lost, nothing stands twice."""

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pyte
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings

from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.screen import Screen

COLUMNS, ROWS = 40, 12
BEFORE = 5
"""Rows that stood there before the screen did."""
LINES = st.lists(st.sampled_from([3, 39, 40, 41, 90]), min_size=1, max_size=15)
"""How wide each line of one commit is."""
STEPS = st.lists(LINES | st.integers(0, 8) | st.just("repaint"), max_size=15)
"""Lines to commit, rows of the unfinished answer from then on, or Ctrl-L."""


@dataclass(slots=True)
class Painted:
    """A screen, and a terminal with a memory of what has scrolled away."""

    screen: Screen
    terminal: pyte.HistoryScreen
    feed: Callable[[], None]
    tail: int = 0

    def above(self) -> str:
        """Return all that stands above the input and the unfinished answer, joined."""
        self.feed()
        gone = ["".join(row[x].data for x in range(COLUMNS)) for row in self.terminal.history.top]
        text = "".join([*(row.rstrip() for row in gone), *(row.rstrip() for row in self.terminal.display)])
        return text.partition(">")[0].replace("tail", "")


@asynccontextmanager
async def painted() -> AsyncGenerator[Painted]:
    """A running screen below other text."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    terminal = pyte.HistoryScreen(COLUMNS, ROWS, history=5_000, ratio=0.5)
    stream = pyte.ByteStream(terminal)

    def feed() -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                stream.feed(os.read(master, 65_536))

    with create_pipe_input() as keys, os.fdopen(slave, "w") as stdout:
        screen = Screen(buffer=PromptBuffer(), keys=KeyBindings(), input=keys, stdout=stdout)
        on = Painted(screen=screen, terminal=terminal, feed=feed)
        screen.parts.tail = lambda _: ["tail"] * on.tail
        screen.parts.status = lambda _: ["the bar"]
        screen.commit("before\n" * BEFORE)
        running = asyncio.ensure_future(screen.run())
        while "the bar" not in "".join(terminal.display):
            await asyncio.sleep(0.005)
            feed()
        yield on
        screen.stop()
        await running
        os.close(master)


@given(STEPS)
def test_nothing_is_lost_and_nothing_stands_twice(steps: Sequence[list[int] | int | str]) -> None:
    """Whatever was committed before and after, of any width, and however tall the unfinished answer was."""

    async def play() -> None:
        async with painted() as on:
            said = "before" * BEFORE
            for number, step in enumerate(steps):
                match step:
                    case int():
                        on.tail = step
                    case list():
                        lines = [f"{number}.{index} ".ljust(width, "x") for index, width in enumerate(step)]
                        on.screen.commit("\n".join(lines))
                        said += "".join(line.rstrip() for line in lines)
                    case _:
                        on.screen.repaint()
                assert on.above() == said

    asyncio.run(play())


async def test_what_others_wrote_is_gone() -> None:
    """A word of another program, in the lines above or in the live parts, is away after Ctrl-L; the text is as it was."""
    async with painted() as on:
        on.screen.commit("\n".join(f"line {number}" for number in range(30)))
        was = on.above()
        os.write(on.screen.stdout.fileno(), b"\x1b[3AGARBAGE\x1b[2BGARBAGE\x1b[1B")
        assert "GARBAGE" in on.above() + "".join(on.terminal.display)
        on.screen.repaint()
        assert on.above() == was
        assert "GARBAGE" not in "".join(on.terminal.display)
