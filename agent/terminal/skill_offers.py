"""The skills that can be asked for by name, as the menu offers them behind the commands."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from agent.skilled.asked import SURE
from skills.discover import Skill

ABOUT_CHARS = 200
HINT_CHARS = 40
HINT = "argument-hint"
"""A field of other agents; where the standard's own are kept to, it stands in `metadata`."""


@dataclass(frozen=True, slots=True)
class SkillOffer:
    """How a skill is asked for, behind the `/`, what may stand behind its name, and what it is."""

    name: str
    hint: str
    about: str


def skill_offers(
    skills: Iterable[Skill], commands: Collection[str], place: Callable[[Path], str]
) -> list[SkillOffer]:
    """Return how each of the ``skills`` is asked for where ``commands`` win; ``place`` shows where its root lies.

    One that its author keeps out of the user's commands is not offered.
    """
    return [
        SkillOffer(
            name=called(skill.front.name, commands),
            hint=_hint(skill.front.others.get(HINT) or skill.front.metadata.get(HINT)),
            about=f"{place(skill.root)}: {skill.front.description[:ABOUT_CHARS]}",
        )
        for skill in skills
        if skill.front.is_for_user
    ]


def called(name: str, commands: Collection[str]) -> str:
    """Return how a skill is asked for, behind the `/`."""
    return f"{SURE}{name}" if name in commands else name


def _hint(value: object) -> str:
    """Return what the author says of the words behind a name: `[issue]` is a list for YAML, and meant as it is written."""
    words = f"[{', '.join(map(str, value))}]" if isinstance(value, list) else value
    return " ".join(words[:HINT_CHARS].split()) if isinstance(words, str) else ""
