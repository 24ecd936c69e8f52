"""Exit codes of the program."""

from enum import IntEnum


class Exit(IntEnum):
    """What the program ends with; the codes from 129 on are 128 plus a signal, as shells have it."""

    DONE = 0
    FAILED = 1
    """The turn ended without an answer, or the answer could not be written."""
    USAGE = 2
    """The command line, a settings file, or a session that it names cannot be used; nothing was sent."""
    BUG = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    NO_READER = 141
    """Whoever read our output closed it."""
    TERMINATED = 143
