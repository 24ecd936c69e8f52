"""The context block of a session: what comes from the project and the day, all of it data and marked as such."""

import platform
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agent.clock import Clock
from agent.instructions.below import new_below, told_below
from agent.instructions.changes import GONE, MODE, SANDBOX, SKILLS, TYPES, Texts, change, gone, has_changed
from agent.instructions.gathering import notes_of
from agent.instructions.git_state import git_state
from agent.instructions.marks import on_one_line
from agent.instructions.note import Note, sha256_of
from agent.instructions.places import Places
from agent.surrogates import repaired_text
from compaction.messages import Block, text
from compaction.quoted import as_data, unmarked
from tools.visible import escape_line

HOW_TO_LOAD = "Load one with load_skill before work it fits."
ABOUT_TYPES = "Further values of task's agent_type."
NO_TYPES = "there are no agent types any more beside explore, plan and general"
BELOW = "for a folder in which you read or wrote a file now:"
NO_SANDBOX = "sandbox: none any more, commands run with the rights of the user"
PLAN = (
    "mode: plan; calls that would change something are refused. Read, run what only reads, and answer with the plan; "
    "the user leaves this mode when it is to be done"
)
NO_PLAN = "mode: no longer plan; what you are asked for may be done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectOpening:
    """Makes the context block of one project. Everything in it is data, marked as such."""

    places: Places
    clock: Clock
    skills: Callable[[], str]
    """The catalog as text, a line a skill; empty without skills."""
    skill_names: Callable[[], Collection[str]] = tuple
    """Of the skills in it."""
    types: Callable[[], str] = str
    """The agent types that are not built in, a line each; empty without such."""
    sandbox: str = ""
    """What the model is to know of it, in one line."""
    is_planning: Callable[[], bool] = lambda: False
    """Whether the session is in plan mode now; never of a subagent, whose type says what it may."""
    _told: Texts = field(default_factory=Texts)

    def blocks(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        """Return the context block, and path -> what is logged of each instruction file in it.

        Args:  files: the same of what was told so far: folders below the project that the work has led to stay.
        """
        notes = self._notes(files)
        self._told.keep(notes)
        parts = [self._surroundings()]
        if skills := self.skills():
            parts.append(_listed(skills))
        if types := self.types():
            parts.append(_marked_types(types))
        parts += [note.marked() for note in notes]
        return [text(repaired_text("\n\n".join(parts)))], {
            **{note.shown: note.told_as for note in notes},
            **{key: sha for key, sha in self._ours().items() if sha},
        }

    def changed(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        """Return a block for each instruction file that says something else than what ``files`` tell, and for what else is another."""
        notes = self._notes(files)
        new = [note for note in notes if has_changed(files.get(note.shown, ""), note)]
        old = gone(files, notes)
        blocks: list[Block] = [text(change(note, self._told.of(files.get(note.shown, "")))) for note in new]
        blocks += [text(f"changed: {on_one_line(path)} {GONE}") for path in old]
        told = {**{note.shown: note.told_as for note in new}, **dict.fromkeys(old, "")}
        for key, sha in self._ours().items():
            if files.get(key, "") != sha:
                blocks.append(text(f"changed: {self._now(key)}"))
                told[key] = sha
        self._told.keep(notes)
        return blocks, told

    def below(self, files: Mapping[str, str], touched: Sequence[str]) -> tuple[list[Block], dict[str, str]]:
        """Return blocks for the instruction files of folders below the project in which ``touched`` lie, not told so far."""
        folders = new_below(self.places.project, files, touched)
        if not folders:
            return [], {}
        notes = [note for note in self._notes(files, folders) if note.is_below]
        new = [note for note in notes if has_changed(files.get(note.shown, ""), note)]
        self._told.keep(new)
        return [text(f"{BELOW}\n{note.marked()}") for note in new], {note.shown: note.told_as for note in new}

    def _notes(self, files: Mapping[str, str], folders: Sequence[Path] = ()) -> list[Note]:
        """Return the instruction files as they are now, the strongest last, those of further ``folders`` among them."""
        return notes_of(self.places, [*told_below(self.places.project, files), *folders])

    def _ours(self) -> dict[str, str]:
        """Return what is logged beside the files: of skills their names, for their words depend on the room."""
        skills = "\n".join(sorted(self.skill_names()))
        said = {SANDBOX: self.sandbox, MODE: self._mode(), SKILLS: skills, TYPES: self.types()}
        return {key: sha256_of(words) if words else "" for key, words in said.items()}

    def _now(self, key: str) -> str:
        """Return what is told where what was said under ``key`` of `OURS` holds no more."""
        if key == SKILLS:
            catalog = self.skills()
            return (
                f"the skills are now these\n{_listed(catalog)}" if catalog else "there are no skills any more"
            )
        if key == MODE:
            return self._mode() or NO_PLAN
        if key == TYPES:
            types = self.types()
            return f"the agent types\n{_marked_types(types)}" if types else NO_TYPES
        return self.sandbox or NO_SANDBOX

    def _mode(self) -> str:
        """Return what is told of the mode; only of plan mode anything is."""
        return PLAN if self.is_planning() else ""

    def _surroundings(self) -> str:
        now = datetime.fromtimestamp(self.clock(), UTC).astimezone()
        standing = "".join(f"{words}\n" for words in (self.sandbox, self._mode()) if words)
        found = (
            f"project: {escape_line(str(self.places.project))}\ndate: {now:%Y-%m-%d}\nsystem: {platform.system()} {platform.release()}\n"
            f"{standing}{git_state(self.places.project)}"
        )
        return as_data("environment", unmarked(found))


def _listed(skills: str) -> str:
    return as_data("skills", unmarked(skills), about=HOW_TO_LOAD)


def _marked_types(types: str) -> str:
    return as_data("agent-types", unmarked(types), about=ABOUT_TYPES)
