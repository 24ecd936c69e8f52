"""Text from outside as it can be shown: nothing in it is obeyed. Kept apart from the screen, which loads much more."""

import re

from tools.visible import escape_controls

_TURNING = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What turns the direction of the text around it, and what some programs take for a line's end."""


def plain(text: str) -> str:
    """Return ``text`` with control characters, and those that turn the direction of others, as escapes."""
    return _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", escape_controls(text))


def brief(text: str, room: int) -> str:
    """Return ``text`` on one line of at most ``room`` characters."""
    # Four times: a long text need not be split in whole, and blanks may stand between its words.
    line = plain(" ".join(text[: 4 * max(room, 0) + 4_000].split()))
    return line if len(line) <= room else f"{line[: max(1, room - 1)]}…"
