"""The context block of a session: what comes from the project and the day, all of it data and marked as such."""

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent.clock import Clock
from agent.instructions.finding import git_root, instruction_files, is_at
from agent.instructions.git_state import git_state
from agent.instructions.marks import marked, on_one_line
from agent.instructions.reading import read_note
from agent.surrogates import repaired_text
from compaction.messages import Block, text
from compaction.quoted import as_data, unmarked
from tools.visible import escape_line

OUTSIDE = "[this file is a link that leads out of the project: it was not read; read it where you need it, which is asked about]"
"""Stands for instructions that a project takes from elsewhere on the disk: what lies there is not the project's to give."""
SKILLS = "Load one with load_skill before work it fits."
SANDBOX = "<sandbox>"
"""Stands among the instruction files for what the model was told of the sandbox."""
NO_SANDBOX = "sandbox: none any more, commands run with the rights of the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectOpening:
    """Makes the context block of one project. Everything in it is data, marked as such."""

    project: Path
    home: Path
    clock: Clock
    skills: Callable[[], str]
    """The catalog as text, a line a skill; empty without skills."""
    sandbox: str = ""
    """What the model is to know of it, in one line."""

    def blocks(self) -> tuple[list[Block], dict[str, str]]:
        """Return the context block, and path -> sha256 of the instruction files in it."""
        notes = self._notes()
        parts = [self._surroundings()]
        if skills := self.skills():
            parts.append(as_data("skills", unmarked(skills), about=SKILLS))
        parts += [marked(self._shown(path), note) for path, note in notes.items()]
        return [text(repaired_text("\n\n".join(parts)))], {
            **{self._shown(path): sha for path, sha in _hashes(notes).items()},
            **({SANDBOX: _sha(self.sandbox)} if self.sandbox else {}),
        }

    def changed(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        """Return a block for each instruction file whose content is not that of ``files`` any more, and for the sandbox."""
        notes = self.instructions()
        now = {path: _sha(note) for path, note in notes.items()}
        blocks: list[Block] = [
            text(f"changed: {on_one_line(path)}\n{marked(path, notes[path])}")
            for path in notes
            if files.get(path) != now[path]
        ]
        gone = [path for path, sha in files.items() if sha and path not in now and path != SANDBOX]
        blocks += [text(f"changed: {on_one_line(path)} was removed") for path in gone]
        sandbox = _sha(self.sandbox) if self.sandbox else ""
        if files.get(SANDBOX, "") != sandbox:
            blocks.append(text(f"changed: {self.sandbox or NO_SANDBOX}"))
            now[SANDBOX] = sandbox
        return blocks, {**now, **dict.fromkeys(gone, "")} if blocks else {}

    def instructions(self) -> dict[str, str]:
        """Return the instruction files as they are now: path as it is shown -> text."""
        return {self._shown(path): note for path, note in self._notes().items()}

    def _surroundings(self) -> str:
        now = datetime.fromtimestamp(self.clock(), UTC).astimezone()
        sandbox = f"{self.sandbox}\n" if self.sandbox else ""
        found = (
            f"project: {escape_line(str(self.project))}\ndate: {now:%Y-%m-%d}\nsystem: {platform.system()} {platform.release()}\n"
            f"{sandbox}{git_state(self.project)}"
        )
        return as_data("environment", unmarked(found))

    def _notes(self) -> dict[Path, str]:
        """Return the instruction files that say something, and their texts."""
        own = (git_root(self.project) or self.project).resolve()
        return {
            path: note
            for path in instruction_files(self.project, self.home)
            if (
                note := read_note(path) if path.parent == self.home or is_at(path.resolve(), own) else OUTSIDE
            )
        }

    def _shown(self, path: Path) -> str:
        inside = path.is_relative_to(self.project)
        return repaired_text(str(path.relative_to(self.project) if inside else path))


def _hashes(notes: Mapping[Path, str]) -> dict[Path, str]:
    return {path: _sha(note) for path, note in notes.items()}


def _sha(note: str) -> str:
    return hashlib.sha256(note.encode("utf-8")).hexdigest()
