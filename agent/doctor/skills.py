"""Skills: how many there are, whether all can be used, and whether the model is told of them in full."""

from collections.abc import Iterator

from agent.doctor.choices import model_of
from agent.doctor.finding import Finding
from agent.doctor.scene import Scene
from agent.skill_report.room import Room
from agent.terminal.figures import times
from skills.catalog import Catalog
from skills.discover import Found, SkillPlaces

ALL = "`agent skills list` names all"


def skill_findings(scene: Scene) -> Iterator[Finding]:
    """Say what there is; what cannot be used, or only with a warning, is worth knowing."""
    found = SkillPlaces.of(scene.project, scene.home, scene.user_home).found()
    room = Room.of(Catalog(found), model_of(scene)[0])
    yield Finding(
        "ok" if room.is_enough else "note", "skills", f"{times(len(found.skills), 'skill')}: {room.line}"
    )
    yield from _not_as_meant(found)


def _not_as_meant(found: Found) -> Iterator[Finding]:
    if found.broken:
        first, more = found.broken[0], len(found.broken) - 1
        others = f", and {more} more cannot be used" if more else ""
        yield Finding("note", "skills", f"{first.path} {first.error}{others}; {ALL}")
    if shadowed := len(found.shadowed):
        yield Finding(
            "note", "skills", f"{times(shadowed, 'skill')} shadowed by another of the same name; {ALL}"
        )
    if warned := sum(bool(skill.warnings) for skill in found.skills):
        yield Finding("note", "skills", f"{times(warned, 'skill')} with warnings; {ALL}")
