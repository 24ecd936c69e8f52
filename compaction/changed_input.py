"""A call whose input was changed before it ran: its result says so at its head, and what was done is told by that."""

import re
from typing import Literal

By = Literal["the user", "a hook"]
"""Who changed it."""
OUTPUT = "[its output:]"
_CHANGED = re.compile(r"\A\[(the user|a hook) changed ")
_SAID = re.compile(
    rf"\A\[(?:the user|a hook) changed the command to:\]\n(.*?)\n{re.escape(OUTPUT)}\n", re.DOTALL
)


def changed(by: By, what: str) -> str:
    """Return how the result of a call begins in which ``by`` changed ``what``."""
    return f"[{by} changed {what}]\n"


def changed_to(by: By, command: str) -> str:
    """Return the head of a result whose call ran ``command`` in place of its own."""
    return f"{changed(by, 'the command to:')}{command}\n{OUTPUT}\n"


def changed_by(result: str) -> str:
    """Return who changed the call that ``result`` answers; empty: nobody."""
    found = _CHANGED.match(result)
    return found[1] if found else ""


def ran(command: str, result: str) -> tuple[str, str]:
    """Return the command that ran, and its output, by a call's own ``command`` and its result."""
    found = _SAID.match(result)
    return (found[1], result[found.end() :]) if found else (command, result)
