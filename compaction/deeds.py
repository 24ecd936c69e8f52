"""What a session has done: files, commands, skills, subagents, commits; one entry for each, the newest last.

It grows with the log as the history does, so that what a summary says of it needs no model and is never made anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from compaction.outcomes import (
    Outcome,
    background_of,
    changed_lines,
    outcome_of,
    stretches,
    subagent_log,
    written_lines,
)

Kind = Literal["read", "edited", "wrote", "ran", "skill", "task", "commit", "branch"]
KINDS: dict[str, Kind] = {
    "edit": "edited",
    "write": "wrote",
    "bash": "ran",
    "load_skill": "skill",
    "task": "task",
}
"""Tool -> what it means to have used it, reads aside; calls of other tools leave nothing that lasts."""
FILES: Sequence[Kind] = ("edited", "wrote")
MAX_TARGET_CHARS = 300
MAX_TOLD_CHARS = 120
"""Of what a subagent answered, and of a commit's subject."""


@dataclass(slots=True, kw_only=True)
class Deed:
    """One thing that was done, however often."""

    kind: Kind
    target: str
    """A path, a command on one line, the name of a skill, what a subagent was for, a hash, a branch."""
    times: int = 0
    step: int = 0
    """Of the last time."""
    lines: list[tuple[int, int]] = field(default_factory=list)
    """Lines that were read, or changed: each numbered as at its time."""
    outcome: Outcome = field(default_factory=Outcome)
    """Of the last run."""
    is_failed: bool = False
    """The last run was refused, interrupted, or ended by its deadline."""
    note: str = ""
    """A commit's subject; the first line of a subagent's answer; the pid of what was started in the background; by which
    words the user asked for a skill."""
    log: str = ""
    """Path of a subagent's log, or of the output of what was started in the background."""


@dataclass(slots=True)
class Deeds:
    """All deeds of a session."""

    done: dict[tuple[Kind, str], Deed] = field(default_factory=dict)

    def of(self, *kinds: Kind) -> list[Deed]:
        """Return the deeds of some kinds, the newest last."""
        return [deed for deed in self.done.values() if deed.kind in kinds]

    def read(self, path: str, lines: tuple[int, int], step: int) -> None:
        """Take in a read of a file; (0, 0) when no lines were shown."""
        deed = self._did("read", path, step)
        if lines[1]:
            deed.lines = stretches([*deed.lines, lines])

    def see(self, name: str, about: str, answer: str, *, step: int, is_failed: bool) -> None:
        """Take in the answer to a call of the tool ``name`` that was about a path, a command or a name.

        A failed call has done nothing, but for a command or a subagent that was cut short.
        """
        kind = KINDS.get(name)
        target = one_line(about)
        if kind is None or not target or (is_failed and kind not in ("ran", "task")):
            return
        deed = self._did(kind, target, step)
        deed.is_failed = is_failed
        if kind == "edited":
            deed.lines = stretches([*deed.lines, *changed_lines(answer)])
        elif kind == "wrote":
            count = written_lines(answer)
            deed.lines = [(1, count)] if count else []
        elif kind == "ran":
            self._ran(deed, about, answer)
        elif kind == "task":
            deed.note = answer.strip().split("\n", 1)[0][:MAX_TOLD_CHARS]
            deed.log = subagent_log(answer)

    def load_skill(self, name: str, given: str, step: int) -> None:
        """Take in a skill that the user asked for, and with which words."""
        self._did("skill", one_line(name), step).note = f"/{one_line(f'{name} {given}')}"

    def _did(self, kind: Kind, target: str, step: int) -> Deed:
        deed = self.done.pop((kind, target), None) or Deed(kind=kind, target=target)
        deed.times += 1
        deed.step = step
        self.done[kind, target] = deed
        return deed

    def _ran(self, deed: Deed, command: str, output: str) -> None:
        deed.outcome = outcome_of(command, output)
        pid, deed.log = background_of(output)
        deed.note = f"pid {pid}" if pid else ""
        for commit, subject in deed.outcome.commits:
            seen = self._did("commit", commit, deed.step)
            seen.note = one_line(subject, MAX_TOLD_CHARS) or seen.note
        if deed.outcome.branch:
            self.done.pop(("branch", ""), None)
            branch = Deed(kind="branch", target=deed.outcome.branch, step=deed.step)
            self.done["branch", ""] = branch


def one_line(words: str, most: int = MAX_TARGET_CHARS) -> str:
    """Return words on one line of at most ``most`` characters."""
    flat = " ".join(words.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
