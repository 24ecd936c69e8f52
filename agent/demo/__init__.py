"""`agent demo`: the real agent, tools and protocol on a small project, with a scripted model."""

import os
import sys
from importlib import import_module

from agent.demo.play import run_demo as play_demo

__all__ = ["run_demo"]


def run_demo() -> int:
    """Open the screen in the sample project where there is a terminal; else play the tour as plain text.

    Returns the exit code. Raises UserError: there is no folder for temporary files.
    """
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal and os.environ.get("TERM") != "dumb":
        code: int = import_module("agent.demo.talk").talk()
        return code
    return play_demo()
