"""Pastes from the terminal: where one ends, and what of it is text."""

import asyncio
import re
from collections.abc import Callable
from typing import TextIO

from prompt_toolkit.application import get_app
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from agent.surrogates import repaired_text

END = "\x1b[201~"
QUIET_S = 1.0
"""A paste of which nothing more comes for so long is shown as far as it has come."""
SEQUENCE = re.compile("\x1b(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\\\))")
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class PasteParser(Vt100Parser):
    """Keys from what a terminal sends; a paste whose end mark never comes holds none of them back.

    Once such a paste has been quiet for a while, a read that is one single key ends it. Anything else is still part of
    it, however late: its line ends must not send it.

    Args:  key_pressed: takes each key; paste_stalled: called when there is a paste that no read will hand over.
    """

    def __init__(self, key_pressed: Callable[[KeyPress], None], paste_stalled: Callable[[], None]) -> None:
        super().__init__(key_pressed)
        self._paste_stalled = paste_stalled
        self._parts: list[str] = []
        self._edge = ""
        """The last characters that came, in which the end mark may have begun."""
        self._is_stalled = False
        self._patience: asyncio.TimerHandle | None = None

    def feed(self, data: str) -> None:
        """Take what came in one read."""
        if not self._in_bracketed_paste:
            super().feed(data)  # comes back here with what follows the mark of a paste's begin
        elif self._is_stalled and _is_one_key(data):
            self._leave_paste()
            super().feed(data)
        else:
            self._feed_paste(data)

    def _feed_paste(self, data: str) -> None:
        self._is_stalled = False
        joined = self._edge + data
        end = joined.find(END)
        if end < 0:
            cut = max(0, len(joined) - len(END) + 1)
            self._parts.append(joined[:cut])
            self._edge = joined[cut:]
            self._wait()
        else:
            self._parts.append(joined[:end])
            self._edge = ""
            self._hand_over()
            self._leave_paste()
            self.feed(joined[end + len(END) :])

    def _wait(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        self._patience = asyncio.get_running_loop().call_later(QUIET_S, self._stall)

    def _stall(self) -> None:
        self._is_stalled = True
        self._hand_over()
        self._paste_stalled()

    def _hand_over(self) -> None:
        pasted = "".join(self._parts) + self._edge
        self._parts, self._edge = [], ""
        if pasted:
            self.feed_key_callback(KeyPress(Keys.BracketedPaste, pasted))

    def _leave_paste(self) -> None:
        self._in_bracketed_paste = self._is_stalled = False
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class TerminalInput(Vt100Input):
    """The keys of the terminal ``stdin``."""

    def __init__(self, stdin: TextIO) -> None:
        super().__init__(stdin)
        self.vt100_parser = PasteParser(self._pressed, self._process)

    def _pressed(self, key: KeyPress) -> None:
        self._buffer.append(key)  # which is another list after each read

    def _process(self) -> None:
        """Have the application take the keys that are there, as it does after a read."""
        processor = get_app().key_processor
        processor.feed_multiple(self.flush_keys())
        processor.process_keys()


def cleaned(pasted: str) -> str:
    """Return pasted text as it can be shown and sent: lines with plain ends, tabs, and no other control characters.

    Sequences for a terminal (colours, titles) go as a whole. Bytes that were no UTF-8 become U+FFFD.
    """
    lines = pasted.replace("\r\n", "\n").replace("\r", "\n")
    return repaired_text(CONTROLS.sub("", SEQUENCE.sub("", lines)))


def _is_one_key(data: str) -> bool:
    return len(data.removeprefix("\x1b")) == 1 or data in ANSI_SEQUENCES
