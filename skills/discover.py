"""Finding skills: every `<root>/<folder>/SKILL.md`, the first root that has a name wins."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills.frontmatter import FrontMatterError
from skills.skill_file import FrontMatter, parse

FILE_NAME = "SKILL.md"
MAX_FILE_BYTES = 1_000_000
BUILTIN = Path(__file__).with_name("builtin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill that can be loaded."""

    front: FrontMatter
    path: Path
    """Its `SKILL.md`, absolute, as found under its root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSkill:
    """A skill, or a whole root, that cannot be used."""

    path: Path
    error: str
    """The end of a sentence that begins with the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that was found, in the order of the roots."""

    skills: tuple[Skill, ...]
    broken: tuple[BrokenSkill, ...]


def skill_roots(project: Path, agent_home: Path) -> tuple[Path, ...]:
    """Return where skills lie, first wins. ``agent_home`` is `~/.agent` unless the user moved it."""
    own = tuple(project / folder / "skills" for folder in (".agent", ".claude", ".agents"))
    return (*own, agent_home / "skills", BUILTIN)


def discover(roots: Sequence[Path]) -> Found:
    """Read the skills under ``roots``. Never raises: what cannot be used is listed with its error.

    A root may itself be a link; inside it, nothing may lead out of it.
    """
    skills: dict[str, Skill] = {}
    broken: list[BrokenSkill] = []
    for root in roots:
        taken: dict[str, Path] = {}
        for entry in _entries(root):
            loaded = entry if isinstance(entry, BrokenSkill) else _load(entry, taken)
            if isinstance(loaded, BrokenSkill):
                broken.append(loaded)
            else:
                taken[loaded.front.name] = loaded.path
                skills.setdefault(loaded.front.name, loaded)
    return Found(skills=tuple(skills.values()), broken=tuple(broken))


def _entries(root: Path) -> Iterator[Path | BrokenSkill]:
    """Yield each `SKILL.md` of ``root`` by name, or why it must not be opened."""
    home = _real(root)
    try:
        folders = sorted(home.iterdir()) if home.is_dir() else []
    except OSError as problem:
        yield BrokenSkill(path=root, error=f"cannot be listed: {problem.strerror}")
        return
    for folder in folders:
        path = folder / FILE_NAME
        try:
            if path.is_file() and not _real(path).is_relative_to(home):
                yield BrokenSkill(
                    path=path, error="leads out of its skills folder by a link; copy it there instead"
                )
            elif path.is_file():
                yield path
        except OSError as problem:
            yield BrokenSkill(path=path, error=f"cannot be read: {problem.strerror}")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _load(path: Path, taken: dict[str, Path]) -> Skill | BrokenSkill:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return BrokenSkill(path=path, error=f"is larger than {MAX_FILE_BYTES:,} bytes")
        front = parse(path.read_bytes())
    except FrontMatterError as problem:
        return BrokenSkill(path=path, error=str(problem))
    except OSError as problem:
        return BrokenSkill(path=path, error=f"cannot be read: {problem.strerror}")
    if front.name in taken:
        return BrokenSkill(
            path=path, error=f"has the name `{front.name}`, which {taken[front.name]} has already"
        )
    return Skill(front=front, path=path)
