"""How much of what a script declares as done the ledger tells, and how much else: precision, recall and F1."""

import re
from dataclasses import dataclass, field
from typing import Any

Entries = set[tuple[str, str]]
_TIMES = r"\((?:step \d+|\d+ times, last step \d+)\)"
_FILE = re.compile(rf"- (read|edited|wrote) (\S+)(?: [\d, -]+)? {_TIMES}")
_RAN = re.compile(rf"- ran (.+): exit code (\d+) {_TIMES}")


@dataclass(slots=True, kw_only=True)
class Done:
    """What was done."""

    files: Entries = field(default_factory=set)
    """(read, edited or wrote; path)."""
    commands: Entries = field(default_factory=set)
    """(command, its last exit code)."""


def told(ledger: str) -> Done:
    """Return what the lines of a ledger say."""
    done = Done()
    for line in ledger.split("\n"):
        if file := _FILE.match(line):
            done.files.add((file[1], file[2]))
        elif ran := _RAN.match(line):
            done.commands.add((ran[1], ran[2]))
    return done


def scores(found: Done, declared: Done) -> dict[str, Any]:
    """Return the score of the files and that of the commands."""
    return {
        "files": score(found.files, declared.files),
        "commands": score(found.commands, declared.commands),
    }


def score(found: Entries, declared: Entries) -> dict[str, float]:
    """Return precision, recall and F1 of ``found``."""
    right = len(found & declared)
    parts = {
        "precision": right / len(found) if found else 1.0,
        "recall": right / len(declared) if declared else 1.0,
        "f1": 2 * right / (len(found) + len(declared)) if found or declared else 1.0,
    }
    return {name: round(value, 4) for name, value in parts.items()}
