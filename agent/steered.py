"""What was typed while a turn ran, as the next message has it: the words, the skills they ask for, what else comes with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.protocols import Heard
from compaction.messages import Block, text


@dataclass(slots=True)
class Steered:
    """All that stands; the skills before all else that comes with the words."""

    words: dict[str, str] = field(default_factory=dict)
    """Record id -> what was typed."""
    skills: list[Mapping[str, str]] = field(default_factory=list)
    _texts: list[Block] = field(default_factory=list)
    _beside: list[Block] = field(default_factory=list)

    def take(self, record: str, words: str, heard: Heard) -> None:
        """Let words stand with what hooks made of them."""
        number = len(heard.skills)
        self.words[record] = words
        self.skills += heard.skills
        self._texts += heard.blocks[:number]
        self._beside += [*heard.blocks[number:], *map(text, heard.contexts)]

    def content(self) -> list[Block]:
        """Return the blocks of the message."""
        return [*map(text, self.words.values()), *self._texts, *self._beside]

    def fields(self) -> dict[str, Any]:
        """Return what the message's record says of them."""
        return {
            "said": list(range(len(self.words))),
            "skills": numbered(self.skills, len(self.words)),
            "steering": list(self.words),
        }


def together(waiting: Mapping[str, str]) -> dict[str, str]:
    """Return what of ``waiting`` makes one prompt: all of it, up to what begins with a slash and so asks for a skill."""
    found: dict[str, str] = {}
    for record, words in waiting.items():
        if found and words.startswith("/"):
            break
        found[record] = words
    return found


def numbered(skills: Sequence[Mapping[str, str]], first: int) -> list[dict[str, Any]]:
    """Return skills as a record has them: each with its index in the content, counted from ``first``."""
    return [{"at": index, **skill} for index, skill in enumerate(skills, first)]
