"""A skill as the model is given it when the user asks for it: its text, marked, behind the user's own words."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from agent.events import Notice
from agent.skilled.asked import Asked, asked
from agent.skilled.taken import COMMANDS
from compaction.messages import Block, text
from compaction.quoted import as_data
from skills.arguments import filled
from skills.catalog import Catalog
from skills.reading import Reading, SkillGone

MAX_CHARS = 30_000
"""Of its body; the rest is read where it is needed."""
FOLLOW = "The user asks for this skill by the words above: follow it for them."


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the user's words bring with them of a skill they ask for."""

    block: Block
    skill: Mapping[str, str]
    """As the message's record has it: `name`, `given`, `path`, `sha256`."""
    notice: Notice
    """What the user is told."""


class AskedSkills:
    """Looks for the skill that a user's words ask for."""

    def __init__(self, skills: Catalog) -> None:
        self._skills = skills

    async def see(self, words: str) -> Given | None:
        """Return the skill that ``words`` ask for, as it is now; None where they ask for none. Raises SkillGone."""
        wanted = asked(words, self._skills.names(), COMMANDS)
        if wanted is None:
            return None
        try:
            reading = await asyncio.to_thread(self._skills.load, wanted.name)
        except SkillGone as problem:
            raise SkillGone(f"not sent, for the skill cannot be loaded: {problem}") from problem
        return given(wanted, reading)


def given(wanted: Asked, reading: Reading) -> Given:
    """Return what the model is given of a skill, and what is told of it."""
    body, is_used = filled(reading.body, wanted.given, reading.names)
    lines = body.count("\n") + 1
    about = [FOLLOW, *reading.about()]
    marked = as_data(
        "skill", _within(body, reading), about="\n".join(about), attributes={"name": wanted.name}
    )
    parts = [
        marked,
        *([] if is_used or not wanted.given else [f"What the user wants it for: {wanted.given}"]),
    ]
    return Given(
        block=text("\n".join(parts)),
        skill={
            "name": wanted.name,
            "given": wanted.given,
            "path": str(reading.path),
            "sha256": reading.sha256,
        },
        notice=Notice(text=f"[skill {wanted.name}, {lines:,} {'line' if lines == 1 else 'lines'}]"),
    )


def _within(body: str, reading: Reading) -> str:
    """Return the head of a very long body, and where the rest of it is."""
    if len(body) <= MAX_CHARS:
        return body
    head = body[: body.rfind("\n", 0, MAX_CHARS) + 1] or body[:MAX_CHARS]
    rest = len(body) - len(head)
    return f"{head.rstrip()}\n[{rest:,} more characters: `read` {reading.path} shows all of it]"
