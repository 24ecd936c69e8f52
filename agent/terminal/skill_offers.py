"""The skills that can be asked for by name, as the menu offers them behind the commands."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from agent.skilled.asked import SURE
from skills.discover import BUILTIN, Skill

ABOUT_CHARS = 200


@dataclass(frozen=True, slots=True)
class SkillOffer:
    """How a skill is asked for, behind the `/`, and what it is."""

    name: str
    about: str


def skill_offers(
    skills: Iterable[Skill], commands: Collection[str], *, project: Path, home: Path
) -> list[SkillOffer]:
    """Return how each of the ``skills`` is asked for where ``commands`` win. ``home``: the agent's folder of the user."""
    return [
        SkillOffer(
            called(skill.front.name, commands),
            f"{source(skill.path, project=project, home=home)}: {skill.front.description[:ABOUT_CHARS]}",
        )
        for skill in skills
    ]


def called(name: str, commands: Collection[str]) -> str:
    """Return how a skill is asked for, behind the `/`."""
    return f"{SURE}{name}" if name in commands else name


def source(path: Path, *, project: Path, home: Path) -> str:
    """Return where a skill comes from: `built in`, `user`, in the project `.agent`, `.claude` or another folder."""
    if path.is_relative_to(BUILTIN):
        return "built in"
    if path.is_relative_to(os.path.realpath(home / "skills")):
        return "user"
    return path.relative_to(project).parts[0] if path.is_relative_to(project) else str(path.parent.parent)
