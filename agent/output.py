"""stdout for the answer, stderr for all else: plain text in any locale, whatever becomes of the other side."""

import contextlib
import json
import os
from collections.abc import Mapping
from typing import Any, TextIO

from agent import glyphs
from agent.surrogates import repaired_text
from tools.visible import escape_controls, escape_line

CLOSED = "stdout is closed"


class Output:
    """The two streams of one run; None where the process was started without.

    ``fault``: why the answer could not be written; None while it could. An empty text is a reader that had
    enough (`| head`), which nobody needs to be told. Contract: no method raises for a stream that fails.
    """

    def __init__(self, stdout: TextIO | None, stderr: TextIO | None) -> None:
        self.fault: str | None = None
        self._stdout = stdout
        self._stderr = stderr

    def answer(self, text: str) -> None:
        """Write the answer to stdout, ended by a newline, its control characters as escapes."""
        encoding = (self._stdout and self._stdout.encoding) or "utf-8"
        safe = escape_controls(text).removesuffix("\n") + "\n"
        self._write(repaired_text(safe).encode(encoding, "backslashreplace"))

    def lines(self, text: str) -> None:
        """Write lines of ours that are laid out already, as an answer."""
        self.answer(glyphs.settled(text))

    def message(self, value: Mapping[str, Any]) -> None:
        """Write one JSON object as a line of UTF-8."""
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        self._write(repaired_text(line).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        """Write ``data`` to stdout as it is."""
        self._write(data)

    def say(self, line: str) -> None:
        """Write one line to stderr."""
        if self._stderr is None:
            return
        text = f"{escape_line(line)}\n"
        encoding = self._stderr.encoding or "utf-8"
        if glyphs.is_ascii() or "utf" not in encoding.lower():
            text = glyphs.in_ascii(text)
        with contextlib.suppress(OSError, ValueError):
            self._stderr.buffer.write(text.encode(encoding, "backslashreplace"))
            self._stderr.buffer.flush()

    def complain(self, text: str) -> None:
        """Say what is wrong, a line to stderr for each line of ``text``, by the program's name."""
        for line in text.splitlines():
            self.say(f"agent: {line}")

    def give_up(self) -> None:
        """Write nothing more to stdout: its reader is gone."""
        self._lose("")

    def _write(self, data: bytes) -> None:
        if self._stdout is None:
            self.fault = self.fault or CLOSED
        if self._stdout is None or self.fault is not None:
            return
        try:
            self._stdout.buffer.write(data)
            self._stdout.buffer.flush()
        except BrokenPipeError:
            self.give_up()
        except (OSError, ValueError) as error:
            self._lose(f"stdout cannot be written: {getattr(error, 'strerror', None) or error}")

    def _lose(self, fault: str) -> None:
        """Remember ``fault``, and let what is still buffered go nowhere: it would fail again at the exit."""
        self.fault = fault
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            assert self._stdout is not None, "it was just written to"
            os.dup2(nowhere, self._stdout.fileno())
            os.close(nowhere)
