"""A terminal that shows lines and takes lines, and can do no more: it edits what is typed, we send no escapes."""

import asyncio
import codecs
import os
import re
import select
from collections.abc import Callable
from typing import TextIO

from agent.glyphs import settled
from agent.terminal.pasting import cleaned

STYLE = re.compile("\x1b\\[[0-9;]*m")
READ_BYTES = 65_536
USUAL_COLUMNS = 80

Heard = Callable[[str | None], None]
"""Gets what was typed, without its line end; None: Ctrl-D, or nobody is there any more."""


class LineTerminal:
    """Writes whole lines and one prompt below them. ``stdin``, ``stdout``: both are the terminal."""

    def __init__(self, stdin: TextIO, stdout: TextIO) -> None:
        self._stdin = stdin.fileno()
        self._stdout = stdout.fileno()
        self._encoding = stdout.encoding or "utf-8"
        self._decoder = codecs.getincrementaldecoder(stdin.encoding or "utf-8")("backslashreplace")
        self._prompt = ""
        """What stands on the last line; empty at the start of a line."""
        self._typed = ""
        """A line that was ended by Ctrl-D, not by Enter: it goes on."""
        self._is_gone = False
        self._heard: Heard | None = None

    @property
    def width(self) -> int:
        """Columns, as far as the terminal tells."""
        try:
            return os.get_terminal_size(self._stdout).columns or USUAL_COLUMNS
        except OSError:
            return USUAL_COLUMNS

    def write(self, text: str) -> None:
        """Write lines of text, which may hold the styles of a better terminal; a prompt stays above them."""
        self.end_line()
        self._send(text if text.endswith("\n") else f"{text}\n")

    def ask(self, prompt: str) -> None:
        """Put ``prompt`` where the user types, unless it stands there."""
        if self._prompt != prompt:
            self.end_line()
            self._prompt = prompt
            self._send(prompt)

    def end_line(self) -> None:
        """Begin a new line below a prompt, and what is typed there."""
        if self._prompt:
            self._prompt = ""
            self._send("\n")

    def break_off(self) -> None:
        """Begin a new line after Ctrl-C, which the terminal has shown, and with which it dropped what was typed."""
        self._prompt = ""
        self._send("\n")

    def listen(self, heard: Heard) -> None:
        """Call ``heard`` with each line, until `close`; lines that come in one go, as pasted ones do, are one text."""
        self._heard = heard
        asyncio.get_running_loop().add_reader(self._stdin, self._read)

    def close(self) -> None:
        """Read no more."""
        if self._heard is not None:
            self._heard = None
            asyncio.get_running_loop().remove_reader(self._stdin)

    def _read(self) -> None:
        is_over = False
        while not is_over and select.select([self._stdin], [], [], 0)[0]:
            is_over = not self._take()
        lines, is_ended, self._typed = self._typed.rpartition("\n")
        heard = self._heard
        if is_ended and heard is not None:
            self._prompt = ""  # the terminal has shown the line's end
            heard(cleaned(lines))
        if is_over and heard is not None:
            self.close()  # it would be told without end
            heard(None)

    def _take(self) -> bool:
        """Read what there is; False at the end."""
        try:
            data = os.read(self._stdin, READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._typed += self._decoder.decode(data)
        return bool(data)

    def _send(self, text: str) -> None:
        data = STYLE.sub("", settled(text)).encode(self._encoding, "replace")
        while data and not self._is_gone:
            try:
                data = data[os.write(self._stdout, data) :]
            except BlockingIOError:
                select.select([], [self._stdout], [])
            except OSError:
                self._is_gone = True
