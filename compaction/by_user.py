"""A call that the user changed before it ran: its result says so at its head, and what was done is told by that."""

import re

CHANGED = "[the user changed "
"""How the result of such a call begins."""
HEAD = f"{CHANGED}the command to:]"
OUTPUT = "[its output:]"
SAID = re.compile(rf"\A{re.escape(HEAD)}\n(.*?)\n{re.escape(OUTPUT)}\n", re.DOTALL)


def changed_to(command: str) -> str:
    """Return the head of a result whose call ran ``command`` in place of its own."""
    return f"{HEAD}\n{command}\n{OUTPUT}\n"


def ran(command: str, result: str) -> tuple[str, str]:
    """Return the command that ran, and its output, by a call's own ``command`` and its result."""
    found = SAID.match(result)
    return (found[1], result[found.end() :]) if found else (command, result)
