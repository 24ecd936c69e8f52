"""One instruction file as it is told: its text as far as there is room for it, or why nothing of it is told."""

import hashlib
from dataclasses import dataclass

from agent.instructions.marks import marked

CUT = " cut "
"""Stands between the hash of what was told of a file that does not fit, and how many bytes that was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One file; ``shown`` is its place, relative to the project where it lies there."""

    shown: str
    text: str = ""
    """What is told of it."""
    content: str = ""
    """All that was read of it, of which ``text`` is the beginning."""
    rest: str = ""
    """What is not told of it, and how to read it; empty when all is told."""
    problem: str = ""
    """Why nothing of it is told."""
    by: str = ""
    """The file that imports it, as shown; empty for one that is found by its name."""
    is_below: bool = False
    """It is of a folder below the project, or imported there."""
    outside: str = ""
    """Its resolved path where it is not the project's to give: read only when the user trusts the project with it."""

    @property
    def says_something(self) -> bool:
        """True unless the file is empty."""
        return bool(self.text or self.rest or self.problem)

    @property
    def told_as(self) -> str:
        """What is logged of it: the hash of what is told, and of how much that is where it was cut."""
        told = self.problem or self.text
        return f"{sha256_of(told)}{CUT}{len(told.encode())}" if self.rest else sha256_of(told)

    @property
    def remark(self) -> str:
        """What is said of it in one line beside its text; empty where all is told."""
        return f"not read: {self.problem}" if self.problem else self.rest

    def marked(self) -> str:
        """Return it as data of the project."""
        body = [self.text] if self.text else []
        body += [f"[{self.remark}]"] if self.remark else []
        return marked(self.shown, "\n".join(body), by=self.by)


def sha256_of(words: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(words.encode()).hexdigest()
