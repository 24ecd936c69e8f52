"""What goes to the terminal goes through here: in whole frames, so that no half-drawn screen is ever shown."""

import os
import re
import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

BEGIN = "\x1b[?2026h"
END = "\x1b[?2026l"
"""Synchronised output (DEC private mode 2026): terminals that do not know it ignore it."""
JOINING = re.compile("[\u200b-\u200d\u2060\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
"""Joiners, variation selectors, skin tones."""


class FrameWriter:
    """A text stream for prompt-toolkit's output that sends each flush, or each `frame`, as one frame.

    After the terminal is gone (EIO, closed pipe) it swallows what is written: ``is_gone`` says so.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held: list[str] = []
        self._depth = 0
        self.is_gone = False

    @property
    def encoding(self) -> str:
        """Encoding of the terminal."""
        return self._stream.encoding or "utf-8"

    def fileno(self) -> int:
        """Descriptor of the terminal."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """True for a terminal."""
        return self._stream.isatty()

    def write(self, data: str) -> int:
        """Take ``data``; it is sent with the next flush outside of a frame."""
        self._held.append(data)
        return len(data)

    def flush(self) -> None:
        """Send what is held, unless a frame is open."""
        if self._depth == 0:
            self._send()

    def send(self, data: str) -> None:
        """Write ``data`` and flush."""
        self.write(data)
        self.flush()

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Hold everything written inside, and send it as one frame."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self.flush()

    def _send(self) -> None:
        data, self._held = "".join(self._held), []
        if not data or self.is_gone:
            return
        try:
            self._write(f"{BEGIN}{data}{END}".encode(self.encoding, "replace"))
        except OSError:
            self.is_gone = True

    def _write(self, data: bytes) -> None:
        """Write past the stream's own buffer: what a lost terminal did not take would come back at exit."""
        while data:
            try:
                data = data[os.write(self.fileno(), data) :]
            except BlockingIOError:
                select.select([], [self.fileno()], [])


def steady(text: str) -> str:
    """Return ``text`` without what makes one glyph of several characters.

    Terminals differ in how wide such a one is, and what is drawn anew in part would land beside its place.
    """
    return JOINING.sub("", text)
