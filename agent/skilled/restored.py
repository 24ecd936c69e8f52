"""The skills that a session has loaded, as they are on disk when a summary is written."""

from typing import Protocol

from agent.session.skills import KEY
from agent.session.state import State
from agent.skilled.asked import asked
from compaction.deeds import Deed
from compaction.loaded import LoadedSkill
from compaction.quoted import harmless
from skills.arguments import filled
from skills.reading import Reading, SkillGone

MOST_READ = 30
"""So many are read again; older ones are in the ledger."""


class Skills(Protocol):
    """The catalog, as far as a summary needs it."""

    def load(self, name: str) -> Reading:
        """Return a skill as it is now. Raises KeyError, SkillGone."""
        ...


def loaded_skills(state: State, skills: Skills) -> list[LoadedSkill]:
    """Return what was loaded in the session of ``state``, the newest first."""
    deeds = reversed(state.view.history.deeds.of("skill"))
    return [_loaded(state, skills, deed) for deed, _ in zip(deeds, range(MOST_READ), strict=False)]


def _loaded(state: State, skills: Skills, deed: Deed) -> LoadedSkill:
    try:
        reading = skills.load(deed.target)
    except KeyError:
        return _gone(deed, "there is no such skill any more")
    except SkillGone as problem:
        return _gone(deed, f"it cannot be loaded any more, for {problem}")
    path = str(reading.path)
    is_same = (path, reading.sha256, KEY) in state.shown
    wanted = asked(deed.note, [deed.target], ())
    body = filled(reading.body, wanted.given, reading.names)[0] if wanted else reading.body
    return LoadedSkill(
        name=deed.target,
        given=deed.note,
        step=deed.step,
        path=path,
        sha256=reading.sha256,
        about="\n".join([*reading.about(), *([] if wanted else reading.unfilled())]),
        body=harmless(body),
        remark="" if is_same else ", changed since it was loaded",
        at=_standing(state, path),
        is_fresh=deed.step > state.step,
    )


def _gone(deed: Deed, why: str) -> LoadedSkill:
    return LoadedSkill(name=deed.target, given=deed.note, step=deed.step, path="", remark=why)


def _standing(state: State, path: str) -> str:
    """Return the id of the newest block of the view that shows the skill whose file is ``path``; empty: none."""
    shown = {id_ for (file, _, key), id_ in state.shown.items() if (file, key) == (path, KEY)}
    for placed in reversed(list(state.view)):
        block = placed.block
        is_result = block["type"] == "tool_result" and block["tool_use_id"] in shown
        if placed.id in shown or (is_result and not state.view.is_changed(placed)):
            return placed.id
    return ""
