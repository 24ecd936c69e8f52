"""The catalog: the skills by name, for the model's eyes and for load_skill."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from skills.budget import Entry, listed, unshortened
from skills.discover import Found, Skill, SkillPlaces
from skills.reading import Reading, read_again


class Catalog:
    """The skills that were found. A look-up by exact name; no path is ever made of a name."""

    def __init__(self, found: Found, places: SkillPlaces | None = None) -> None:
        self._places = places
        """Where they are looked for again; None: they stay as they were found."""
        self._take(found)

    def _take(self, found: Found) -> None:
        self.found = found
        """All of them, and what cannot be used."""
        self._skills: Mapping[str, Skill] = {skill.front.name: skill for skill in found.skills}

    def refresh(self) -> None:
        """Take in what was added, removed or written since they were read."""
        if self._places is not None and self._places.state() != self.found.state:
            self._take(self._places.found())

    def names(self) -> Sequence[str]:
        """Return the names in the order of the roots."""
        return tuple(self._skills)

    def names_for_model(self) -> Sequence[str]:
        """Return the names of those that the model may load by itself."""
        return tuple(skill.front.name for skill in self._for_model())

    def load(self, name: str) -> Reading:
        """Return a skill as it is now. Raises KeyError: no skill has this name; SkillGone: it cannot be read any more."""
        if name not in self._skills:
            self.refresh()
        return read_again(self._skills[name], {skill.root for skill in self.found.skills})

    def text(self, *, budget_tokens: int, count: Callable[[str], int]) -> str:
        """Return what the model is told of them: a line for each that it may load by itself, within the budget.

        Where that is short the roots take turns: no project takes all the room from the user's own skills.
        """
        entries = self._entries()
        if not entries:
            return ""
        return listed(entries, budget_tokens=budget_tokens, count=count, dearest=self._by_turns())

    def whole_text(self) -> str:
        """Return what the model would be told of them if there were room for all."""
        return unshortened(self._entries())

    def _entries(self) -> list[Entry]:
        return [_entry(skill) for skill in self._for_model()]

    def _by_turns(self) -> list[Entry]:
        """The first of each root, then the second of each, and so on."""
        roots: dict[Path, list[Entry]] = {}
        for skill in self._for_model():
            roots.setdefault(skill.root, []).append(_entry(skill))
        return [entry for entry in chain.from_iterable(zip_longest(*roots.values())) if entry is not None]

    def _for_model(self) -> list[Skill]:
        return [skill for skill in self._skills.values() if skill.front.is_for_model]


def _entry(skill: Skill) -> Entry:
    return skill.front.name, skill.front.about
