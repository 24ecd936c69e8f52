"""What comes in one read: control sequences of a terminal that are no key, and text that was pasted."""

import re
from collections import deque
from collections.abc import Callable

from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

SEQUENCES = ("[", "]")
"""What begins, behind Esc, a control sequence or a string of one."""
INSIDE, LAST = re.compile("[ -?]"), re.compile("[@-~]")
"""The characters of a control sequence."""


def is_pasted(event: KeyPressEvent) -> bool:
    """True when more text came in the same read: lines pasted by a terminal without bracketed paste."""
    queue = event.key_processor.input_queue
    return bool(queue) and (len(queue[0].key) == 1 or queue[0].key in (Keys.ControlM, Keys.ControlI))


def at_lone_escape(leave: Callable[[], None]) -> Callable[[KeyPressEvent], None]:
    """Return what Esc does where it leaves: a key with Alt, and what a terminal says unasked, is nothing."""

    def escaped(event: KeyPressEvent) -> None:
        queue = event.key_processor.input_queue
        if not queue:
            leave()
        elif (following := queue.popleft().key) in SEQUENCES:
            drop_sequence(following, queue)

    return escaped


def drop_sequence(opening: str, queue: deque[KeyPress]) -> None:
    """Take the rest of a control sequence, of which Esc and ``opening`` were read, from the ``queue`` of keys."""
    is_in_string = opening == "]"
    while queue:
        key = queue.popleft()
        if is_in_string and key.key == Keys.ControlG:
            return
        if is_in_string and key.key == Keys.Escape:
            if queue and queue[0].key == "\\":
                queue.popleft()
            return
        if not is_in_string and not INSIDE.fullmatch(key.data):
            if not LAST.fullmatch(key.data):
                queue.appendleft(key)
            return
