"""The catalog: the skills by name, for the model's eyes and for load_skill."""

from collections.abc import Mapping, Sequence

from skills.discover import Found, Skill

MAX_DESCRIPTION_CHARS = 1_024
"""The most that agentskills.io allows; a longer one is cut in the catalog."""


class Catalog:
    """The skills that were found. A look-up by exact name; no path is ever made of a name."""

    def __init__(self, found: Found) -> None:
        self.found = found
        """All of them, and what cannot be used."""
        self._skills: Mapping[str, Skill] = {skill.front.name: skill for skill in found.skills}

    def names(self) -> Sequence[str]:
        """Return the names in the order of the roots."""
        return tuple(self._skills)

    def body(self, name: str) -> str:
        """Return where the skill lies, which tools it states, and its whole body.

        Raises:    KeyError: no skill has this name.
        """
        skill = self._skills[name]
        head = [f"Skill `{name}`; its folder is `{skill.path.parent}`."]
        if skill.front.allowed_tools:
            head.append(f"Tools it states: {', '.join(skill.front.allowed_tools)} (permissions decide).")
        return "\n".join([*head, "", skill.front.body])

    def lines(self) -> Sequence[str]:
        """Return one line a skill for the catalog text: `- name: description`."""
        return tuple(f"- {name}: {_cut(skill.front.description)}" for name, skill in self._skills.items())


def _cut(description: str) -> str:
    if len(description) <= MAX_DESCRIPTION_CHARS:
        return description
    return f"{description[: MAX_DESCRIPTION_CHARS - 1]}…"
