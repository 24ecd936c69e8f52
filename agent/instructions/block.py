"""The context block of a session: what comes from the project and the day, all of it data and marked as such."""

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from agent.clock import Clock
from agent.instructions.changes import GONE, Texts, change, has_changed
from agent.instructions.gathering import notes_of
from agent.instructions.git_state import git_state
from agent.instructions.marks import on_one_line
from agent.instructions.note import Note
from agent.instructions.places import Places
from agent.surrogates import repaired_text
from compaction.messages import Block, text
from compaction.quoted import as_data, unmarked
from tools.visible import escape_line

SKILLS = "Load one with load_skill before work it fits."
TYPES = "<agent-types>"
"""Stands among the instruction files for what the model was told of agent types."""
ABOUT_TYPES = "Further values of task's agent_type."
NO_TYPES = "changed: there are no agent types any more beside explore, plan and general"
SANDBOX = "<sandbox>"
"""Stands among the instruction files for what the model was told of the sandbox."""
NO_SANDBOX = "sandbox: none any more, commands run with the rights of the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectOpening:
    """Makes the context block of one project. Everything in it is data, marked as such."""

    places: Places
    clock: Clock
    skills: Callable[[], str]
    """The catalog as text, a line a skill; empty without skills."""
    types: Callable[[], str] = str
    """The agent types that are not built in, a line each; empty without such."""
    sandbox: str = ""
    """What the model is to know of it, in one line."""
    _told: Texts = field(default_factory=Texts)

    def blocks(self) -> tuple[list[Block], dict[str, str]]:
        """Return the context block, and path -> what is logged of each instruction file in it."""
        notes = self.notes()
        self._told.keep(notes)
        parts = [self._surroundings()]
        if skills := self.skills():
            parts.append(as_data("skills", unmarked(skills), about=SKILLS))
        if types := self.types():
            parts.append(_marked_types(types))
        parts += [note.marked() for note in notes]
        told = {SANDBOX: self.sandbox, TYPES: types}
        return [text(repaired_text("\n\n".join(parts)))], {
            **{note.shown: note.told_as for note in notes},
            **{name: _sha(words) for name, words in told.items() if words},
        }

    def changed(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        """Return a block for each instruction file that says something else than what ``files`` tell, for sandbox and agent types."""
        notes = self.notes()
        new = [note for note in notes if has_changed(files.get(note.shown, ""), note)]
        here = {SANDBOX, TYPES, *(note.shown for note in notes)}
        gone = [path for path, told_as in files.items() if told_as and path not in here]
        blocks: list[Block] = [text(change(note, self._told.of(files.get(note.shown, "")))) for note in new]
        blocks += [text(f"changed: {on_one_line(path)} {GONE}") for path in gone]
        told = {**{note.shown: note.told_as for note in new}, **dict.fromkeys(gone, "")}
        sandbox = _sha(self.sandbox) if self.sandbox else ""
        if files.get(SANDBOX, "") != sandbox:
            blocks.append(text(f"changed: {self.sandbox or NO_SANDBOX}"))
            told[SANDBOX] = sandbox
        types = self.types()
        if files.get(TYPES, "") != (_sha(types) if types else ""):
            blocks.append(text(f"changed: the agent types\n{_marked_types(types)}" if types else NO_TYPES))
            told[TYPES] = _sha(types) if types else ""
        self._told.keep(notes)
        return blocks, told

    def notes(self) -> list[Note]:
        """Return the instruction files as they are now, the strongest last."""
        return notes_of(self.places)

    def _surroundings(self) -> str:
        now = datetime.fromtimestamp(self.clock(), UTC).astimezone()
        sandbox = f"{self.sandbox}\n" if self.sandbox else ""
        found = (
            f"project: {escape_line(str(self.places.project))}\ndate: {now:%Y-%m-%d}\nsystem: {platform.system()} {platform.release()}\n"
            f"{sandbox}{git_state(self.places.project)}"
        )
        return as_data("environment", unmarked(found))


def _marked_types(types: str) -> str:
    return as_data("agent-types", unmarked(types), about=ABOUT_TYPES)


def _sha(note: str) -> str:
    return hashlib.sha256(note.encode("utf-8")).hexdigest()
