"""A program in a real pseudo-terminal, with a terminal emulator that shows what a person would see.

with Terminal(command, cwd=..., env=..., columns=80) as terminal:
    terminal.until("> ")
    terminal.send("hello\\r")
    terminal.until("Done.")

Every read is kept (``raw``); the screen is looked at only outside of synchronised frames (DEC 2026).
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte
from pyte.screens import Char
from wcwidth import wcwidth

from tests.support import job
from tests.support.forked import Loaded, Process, can_fork, start

BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
WAIT_S = 20.0
"""How long to wait for something that must come."""
SLICE_S = 0.05
READ_BYTES = 4_096
WIDE = 2


def without_stubs(cells: Sequence[str]) -> str:
    """Return a row of cells as text: behind a wide character stands a cell of which nothing is seen."""
    shown, is_behind_wide = list[str](), False
    for cell in cells:
        if not is_behind_wide:
            shown.append(cell)
        is_behind_wide = not is_behind_wide and wcwidth(cell[:1]) == WIDE
    return "".join(shown)


class AnsweringScreen(pyte.HistoryScreen):
    """A screen that keeps what scrolls away, and answers when it is asked, such as where the cursor is."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None]) -> None:
        self._answer = answer
        super().__init__(columns, rows, history=20_000, ratio=0.5)

    @property
    def display(self) -> list[str]:
        """The rows; a row of ASCII alone is put together without asking for the width of every character."""
        return [self.shown(self.buffer[y]) for y in range(self.lines)]

    def shown(self, row: Mapping[int, Char]) -> str:
        """Return a row as text."""
        cells = [" "] * self.columns
        for x, cell in row.items():
            if x < self.columns:
                cells[x] = cell.data
        text = "".join(cells)
        return text if text.isascii() and len(text) == self.columns else without_stubs(cells)

    def select_graphic_rendition(self, *attrs: int, private: bool = False) -> None:
        """Take colours and the like; what is dim, which pyte does not know, is bright black."""
        is_coloured = 38 in attrs or 48 in attrs  # whose own numbers may be 2
        super().select_graphic_rendition(*(90 if code == 2 and not is_coloured else code for code in attrs))

    def write_process_input(self, data: str) -> None:
        """Send an answer."""
        self._answer(data)


class Terminal:
    """Runs ``command`` with a pseudo-terminal as its controlling one.

    ``on_frame`` is called whenever a synchronised frame has ended and the screen can be looked at; ``is_deaf``: it
    answers nothing that the program asks; ``is_unseen``: what is read is only kept, which costs no time, and the screen
    is of no use from then on.
    """

    def __init__(
        self,
        command: Sequence[str] | Loaded,
        *,
        cwd: Path,
        env: Mapping[str, str],
        columns: int = 100,
        rows: int = 40,
    ) -> None:
        self.raw = bytearray()
        self.on_frame: Callable[[], None] | None = None
        self.is_deaf = False
        self.is_unseen = False
        self.frames = 0
        self.screen = AnsweringScreen(columns, rows, self._answer)
        self._stream = pyte.ByteStream(self.screen)
        self._held = b""
        self._text: str | None = None
        self._gone: list[str] | None = None
        """What stands on the screen and what has scrolled away, once they were looked at since the last change."""
        self._master, self._slave = pty.openpty()
        self.resize(columns, rows)
        self.flags_before = termios.tcgetattr(self._slave)
        self.process = self._start(command, cwd, {"TERM": "xterm-256color", "LANG": "C.UTF-8", **env})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.process.wait()
        self.hang_up()
        os.close(self._slave)
        if error is not None:
            error.add_note(f"the screen:\n{self.history}")

    @property
    def pid(self) -> int:
        """Process id of the program itself, which is the only child of its launcher."""
        launcher = self.process.pid
        children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
        return int(children[0]) if children else launcher

    @property
    def text(self) -> str:
        """What stands on the screen now, without blanks at the ends."""
        if self._text is None:
            self._text = "\n".join(line.rstrip() for line in self.screen.display).rstrip()
        return self._text

    @property
    def is_in_frame(self) -> bool:
        """A frame has begun to come and has not ended: what stands on the screen is not whole."""
        return bool(self._held)

    @property
    def lines(self) -> list[str]:
        """The rows that are not empty."""
        return [line for line in self.text.split("\n") if line]

    @property
    def cursor_row(self) -> int:
        """The row, from the top, of the cursor that is seen: it is drawn. -1: there is none, or more than one."""
        rows = [
            y for y, row in self.screen.buffer.items() if any(cell.reverse for cell in list(row.values()))
        ]
        return rows[0] if len(rows) == 1 else -1

    @property
    def history(self) -> str:
        """What has scrolled away, and the screen."""
        if self._gone is None:
            self._gone = [self.screen.shown(row).rstrip() for row in self.screen.history.top]
        return "\n".join([*self._gone, self.text])

    @property
    def flags(self) -> list[Any]:
        """The terminal's settings now."""
        return termios.tcgetattr(self._slave)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        self._text = self._gone = None

    def send(self, keys: str | bytes) -> None:
        """Type ``keys``, all in one write unless the terminal's buffer is full."""
        data = keys.encode() if isinstance(keys, str) else keys
        while data:
            _, writable, _ = select.select([], [self._master], [], SLICE_S)
            if writable:
                sent = os.write(self._master, data[:READ_BYTES])
                data = data[sent:]
            self.read(0)

    def until(self, wanted: str | Callable[[], object], wait_s: float = WAIT_S) -> None:
        """Read until the text ``wanted`` is on the screen, or the condition holds."""
        holds = (lambda: wanted in self.text) if isinstance(wanted, str) else wanted
        give_up_at = time.monotonic() + wait_s
        while not holds():
            assert time.monotonic() < give_up_at, f"{wanted!r} did not come; the screen:\n{self.text}"
            assert self.read(SLICE_S) or self.process.poll() is None or holds(), (
                f"{wanted!r} did not come, the program ended with {self.process.returncode}:\n{self.text}"
            )

    def answer(self, question: str, key: str) -> None:
        """Wait for a question and answer it: a key is taken once the question has stood for a while."""
        self.until(question)
        give_up_at = time.monotonic() + WAIT_S
        while question in self.text:
            assert time.monotonic() < give_up_at, f"{key!r} was not taken; the screen:\n{self.text}"
            self.rest(0.45)
            self.send(key)
            self.rest(0.2)

    def rest(self, seconds: float) -> None:
        """Read for a while: what must not happen needs time to happen."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.read(min(SLICE_S, left))

    def read(self, wait_s: float) -> int:
        """Take one read of the terminal's output, if there is one; return its size."""
        readable, _, _ = select.select([self._master], [], [], wait_s)
        if not readable:
            return 0
        data = os.read(self._master, READ_BYTES)
        self.raw += data
        if not self.is_unseen:
            self._feed(data)
        return len(data)

    def ended(self, wait_s: float = WAIT_S) -> int:
        """Wait for the program's end; return its exit code, negative for a signal."""
        give_up_at = time.monotonic() + wait_s
        while self.process.poll() is None:
            assert time.monotonic() < give_up_at, f"it does not end; the screen:\n{self.text}"
            self.read(SLICE_S)
        while self.read(0):
            continue
        assert self.process.returncode is not None
        return self.process.returncode

    def hang_up(self) -> None:
        """Close the window."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def is_restored(self) -> bool:
        """True when the terminal is as it was: its settings, the cursor shown, bracketed paste off."""
        return self.flags == self.flags_before and not self.left_on()

    def left_on(self) -> list[str]:
        """Return the modes that were switched and not switched back."""
        raw = bytes(self.raw)
        switched = {"?2004h": "?2004l", "?25l": "?25h", "?1049h": "?1049l", "?2026h": "?2026l"}
        return [
            on
            for on, off in switched.items()
            if raw.rfind(f"\x1b[{on}".encode()) > raw.rfind(f"\x1b[{off}".encode())
        ]

    def _start(self, command: Sequence[str] | Loaded, cwd: Path, env: Mapping[str, str]) -> Process:
        streams = (self._slave, self._slave, self._slave)
        if isinstance(command, Loaded) and can_fork(env):
            return start(command, cwd=cwd, env=env, streams=streams, is_job=True)
        program = command.anew if isinstance(command, Loaded) else command
        return subprocess.Popen(
            [sys.executable, "-I", "-S", job.__file__, *program],
            cwd=cwd,
            env=env,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
        )

    def _answer(self, data: str) -> None:
        if not self.is_deaf:
            os.write(self._master, data.encode())

    def _feed(self, data: bytes) -> None:
        """Show whole frames only: what has come of one that is not finished waits for its end."""
        data, self._held = self._held + data, b""
        *frames, rest = data.split(END)
        for frame in frames:
            self._show(frame + END)
            self.frames += 1
            if self.on_frame is not None:
                self.on_frame()
        cut = rest.find(BEGIN)
        if cut < 0:
            partial = next((size for size in range(len(BEGIN) - 1, 0, -1) if rest.endswith(BEGIN[:size])), 0)
            cut = len(rest) - partial
        self._show(rest[:cut])
        self._held = rest[cut:]

    def _show(self, data: bytes) -> None:
        self._stream.feed(data)
        self._text = self._gone = None
