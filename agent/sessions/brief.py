"""Text from outside on one line. Kept apart from the screen, which loads much more."""

from tools.visible import plain


def brief(text: str, room: int) -> str:
    """Return ``text`` on one line of at most ``room`` characters."""
    # Four times: a long text need not be split in whole, and blanks may stand between its words.
    line = plain(" ".join(text[: 4 * max(room, 0) + 4_000].split()))
    return line if len(line) <= room else f"{line[: max(1, room - 1)]}…"
