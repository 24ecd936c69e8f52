"""What the model is told of an instruction file that has changed: the lines that are other, or all of it."""

import difflib
from collections.abc import Iterable, Mapping

from agent.instructions.marks import marked, on_one_line
from agent.instructions.note import CUT, Note, sha256_of

SANDBOX, MODE, SKILLS, TYPES = OURS = ("<sandbox>", "<mode>", "<skills>", "<agent-types>")
"""Stand among the instruction files for what the model was told of the sandbox, plan mode, the skills, the agent types."""
GONE = "no longer counts: it is gone or empty, or nothing imports it any more"
AS_LINES = "Only the lines that changed since it was told, as a diff; the others hold."
WORTH_IT = 3
"""A diff is told where all of the text is so many times as long: a change that is spread is read easier as a whole."""
MAX_DIGITS = 9
"""Of a number of bytes in a log."""
_AROUND = 2
"""Lines of context."""


class Texts:
    """What was told in this process, by hash: of what was told before it only the hash is known, and all is told anew."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def keep(self, notes: Iterable[Note]) -> None:
        """Remember the files that are told in full."""
        self._texts.update({note.told_as: note.text for note in notes if note.text and not note.rest})

    def of(self, told_as: str) -> str:
        """Return the whole text that was told so; empty when it is not known."""
        return self._texts.get(told_as, "")


def has_changed(told_as: str, note: Note) -> bool:
    """Tell whether a file has to be told, by what is logged of it (`Note.told_as`; empty: it was not told).

    No reason to is that there is less room for it than there was, nor a change behind the cut: what was told stands. That
    it can now be told as a whole is one, or at all.
    """
    sha, _, size = told_as.partition(CUT)
    if note.problem or not size.isdecimal():
        return sha != sha256_of(note.problem or note.content)
    told = note.content.encode()[: int(size[:MAX_DIGITS])]
    return sha != sha256_of(told.decode(errors="replace")) or not note.rest or (not told and bool(note.text))


def gone(files: Mapping[str, str], notes: Iterable[Note]) -> list[str]:
    """Return the files that were told, by what is logged of them, and are not among ``notes`` any more."""
    here = {note.shown for note in notes}
    return [path for path, told_as in files.items() if told_as and path not in here and path not in OURS]


def change(note: Note, before: str) -> str:
    """Return what is told of a changed file, which was told as ``before``; empty: it is not known as what."""
    head = f"changed: {on_one_line(note.shown)}\n"
    if before and note.text and not note.rest:
        lines = difflib.unified_diff(before.split("\n"), note.text.split("\n"), n=_AROUND, lineterm="")
        diff = "\n".join(list(lines)[2:])
        if len(diff) * WORTH_IT <= len(note.text):
            return head + marked(note.shown, diff, by=note.by, about=AS_LINES)
    return head + note.marked()
