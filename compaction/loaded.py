"""Skills that were loaded before a summary: their texts stand again, for reference, with what was done since."""

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.carried import CHARS_A_TOKEN, Room
from compaction.deeds import Deeds
from compaction.ledger import entry
from compaction.messages import Block, text
from compaction.plan import SkillPut
from compaction.quoted import as_data, harmless

LOADED = "A skill that was loaded before, for reference:"
NAMED = "Skills that were loaded before and do not stand here:"
BEGUN = (
    "It was begun then, and what was done since is listed here and in the ledger: never start it again from the top. "
    "Go on with it only where the current request needs it."
)
FRESH = "Nothing was done by it yet: follow it for the current request."
SKILL_TOKENS = 5_000
"""Of one skill at most; what the large agents restore."""
LEAST_CHARS = 600
"""With less room than that left, a skill is only named."""
MOST_DONE = 12
"""So many of the newest deeds since it was loaded are listed."""
MOST_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSkill:
    """A skill that was loaded, as it is on disk now; ``body`` is empty where it cannot be read any more."""

    name: str
    given: str
    """By which words the user asked for it (`/name what for`); empty: the model loaded it."""
    step: int
    """The step in which it was loaded last."""
    path: str
    """Its `SKILL.md`."""
    sha256: str = ""
    about: str = ""
    """Where it lies and what lies beside it, lines of ours."""
    body: str = ""
    remark: str = ""
    """What became of it since: that it changed, or why it cannot be read."""
    at: str = ""
    """Id of the block that shows it in the view until now; empty: none does."""
    is_fresh: bool = False
    """The model has not answered since it was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """What stands in the view after a summary: a block for each skill that fits, one more for the others."""

    blocks: Sequence[Block]
    put: Sequence[SkillPut]
    """What the first of ``blocks`` are."""


def reloaded(skills: Sequence[LoadedSkill], deeds: Deeds, room: Room) -> Reloaded:
    """Return the blocks of ``skills``, the newest first, within their share of the window."""
    left = room.sizes.skills * CHARS_A_TOKEN
    blocks: list[Block] = []
    put: list[SkillPut] = []
    others: list[LoadedSkill] = []
    for skill in skills:
        most = min(left, SKILL_TOKENS * CHARS_A_TOKEN)
        if not skill.body or most < LEAST_CHARS:
            others.append(skill)
            continue
        shown = _head(skill.body, most)
        left -= len(shown)
        blocks.append(text(_whole(skill, shown, deeds)))
        put.append(SkillPut(path=skill.path, sha256=skill.sha256, is_whole=shown == skill.body))
    named = [text(_named(others))] if others else []
    return Reloaded(blocks=[*blocks, *named], put=put)


def _whole(skill: LoadedSkill, shown: str, deeds: Deeds) -> str:
    asked = f", asked for by `{harmless(skill.given)}`" if skill.given else ""
    rest = "" if shown == skill.body else f"\n(`read` {skill.path} shows the rest)"
    lines = [
        f"{LOADED} `{skill.name}`{asked}, loaded in step {skill.step}, as it is on disk now{skill.remark}.",
        FRESH if skill.is_fresh else BEGUN,
        *([] if skill.is_fresh else _done(skill, deeds)),
        as_data("skill", f"{shown}{rest}", about=skill.about, attributes={"name": skill.name}),
    ]
    return "\n".join(lines)


def _done(skill: LoadedSkill, deeds: Deeds) -> list[str]:
    """Return what was done since a skill was loaded, a line each."""
    since = [deed for deed in deeds.done.values() if deed.step >= skill.step and deed.kind != "skill"]
    if not since:
        return []
    more = f" ({len(since) - MOST_DONE} older ones are in the ledger)" if len(since) > MOST_DONE else ""
    return [f"Done since{more}:", *map(entry, since[-MOST_DONE:])]


def _named(skills: Sequence[LoadedSkill]) -> str:
    lines = [
        f"- `{skill.name}` (step {skill.step}): {skill.remark or f'load_skill gives it again, or `read` {skill.path}'}"
        for skill in skills[:MOST_NAMED]
    ]
    more = [f"({len(skills) - MOST_NAMED} older ones are in the ledger)"] if len(skills) > MOST_NAMED else []
    return "\n".join([NAMED, *lines, *more])


def _head(body: str, most: int) -> str:
    """Return whole lines from the beginning of a body, at most so many characters."""
    if len(body) <= most:
        return body
    return (body[: body.rfind("\n", 0, most) + 1] or body[:most]).rstrip("\n")
