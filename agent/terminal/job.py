"""Ctrl-Z: the program stops as every job does, with the terminal as it was."""

import os
import signal
import termios
from collections.abc import Callable
from typing import Any


def stop(terminal: int, found: list[Any], give_back: Callable[[], None]) -> None:
    """Stop all of the job until it is continued.

    ``terminal``: a descriptor of it; ``found``: its settings when we came; ``give_back`` leaves the screen as others
    want it. Nothing stops where nobody could continue us: the kernel sees to that.
    """
    own = termios.tcgetattr(terminal)
    handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    give_back()
    termios.tcsetattr(terminal, termios.TCSADRAIN, found)
    os.kill(0, signal.SIGTSTP)
    termios.tcsetattr(terminal, termios.TCSADRAIN, own)
    signal.signal(signal.SIGTSTP, handler)
