"""The system prompt, fixed for a session, and the context block with what comes from the project and the day."""

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent.clock import Clock
from agent.git import ask_git
from agent.surrogates import repaired_text
from compaction.messages import Block, text
from compaction.quoted import as_data, unclosable, unmarked
from tools.visible import escape_line

MAX_INSTRUCTION_CHARS = 32_000
MAX_INSTRUCTION_BYTES = 8 * MAX_INSTRUCTION_CHARS
"""Enough for as many characters, and blanks before them; the rest of a huge file is never read."""
MAX_GIT_CHARS = 2_000
GIT_TIMEOUT_S = 5.0
INSTRUCTION_NAMES = ("AGENTS.md", "CLAUDE.md")
"""The first that exists in a folder is read."""
OUTSIDE = "[this file is a link that leads out of the project: it was not read; read it where you need it, which is asked about]"
"""Stands for instructions that a project takes from elsewhere on the disk: what lies there is not the project's to give."""
SKILLS = "Load one with load_skill before work it fits."


def system_blocks(name: str, extra: str = "") -> list[dict[str, str]]:
    """Return the system prompt ``name`` (`system`, `subagent`) in wire form.

    Our own text, and what --append-system-prompt adds.
    """
    own = Path(__file__).with_name(f"{name}.md").read_text("utf-8").strip()
    return [{"type": "text", "text": f"{own}\n\n{extra.strip()}".strip()}]


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
            text(f"changed: {_line(path)}\n{marked(path, notes[path])}")
            for path in notes
            if files.get(path) != now[path]
        ]
        gone = [path for path, sha in files.items() if sha and path not in now and path != SANDBOX]
        blocks += [text(f"changed: {_line(path)} was removed") for path in gone]
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
        """Instruction files from the user's home, then from the git root down to the project, and their texts."""
        root = git_root(self.project) or self.project
        folders = [
            folder for folder in (*reversed(self.project.parents), self.project) if _is_at(folder, root)
        ]
        found = [self.home / "AGENTS.md"]
        for folder in folders:
            found += [folder / name for name in INSTRUCTION_NAMES if (folder / name).is_file()][:1]
        own = root.resolve()
        return {
            path: note
            for path in found
            if (note := _read(path) if path.parent == self.home or _is_at(path.resolve(), own) else OUTSIDE)
        }

    def _shown(self, path: Path) -> str:
        inside = path.is_relative_to(self.project)
        return repaired_text(str(path.relative_to(self.project) if inside else path))


def marked(path: str, note: str) -> str:
    """Return project text between marks that it cannot close."""
    return as_data("project-notes", unmarked(note), attributes={"path": path})


def _line(path: str) -> str:
    """Return a path as it stands outside of any mark: on one line, and no mark itself."""
    return unclosable(escape_line(path))


def git_root(folder: Path) -> Path | None:
    """Return the root of the working tree that holds ``folder``; None outside of one."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def git_state(project: Path) -> str:
    """Return branch, changed files and last commits as git tells them, or that there is no repository."""
    if git_root(project) is None:
        return "git: no repository"
    status = _git(project, "status", "--short", "--branch", "--ignore-submodules=dirty")
    commits = _git(project, "log", "--oneline", "-5")
    return f"git status:\n{status}\nlast commits:\n{commits or '(none)'}"


def _git(project: Path, *args: str) -> str:
    output = ask_git(project, args, timeout_s=GIT_TIMEOUT_S).strip()
    return output if len(output) <= MAX_GIT_CHARS else f"{output[:MAX_GIT_CHARS]}\n…"


def _read(path: Path) -> str:
    """Return the text of an instruction file, its head when it is too long; empty when it is none."""
    if not path.is_file():  # to open a pipe would wait for whoever writes to it
        return ""
    try:
        with path.open("rb") as file:
            note = file.read(MAX_INSTRUCTION_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    if len(note) > MAX_INSTRUCTION_CHARS:
        return (
            f"{note[:MAX_INSTRUCTION_CHARS]}\n[the rest of this file was left out: read it when you need it]"
        )
    return note


def _hashes(notes: Mapping[Path, str]) -> dict[Path, str]:
    return {path: _sha(note) for path, note in notes.items()}


def _sha(note: str) -> str:
    return hashlib.sha256(note.encode("utf-8")).hexdigest()


def _is_at(folder: Path, root: Path) -> bool:
    """True for ``root`` and what lies below it."""
    return folder == root or root in folder.parents
