"""Agent types: how many there are, and each file that is none."""

from collections.abc import Iterator

from agent.doctor.finding import Finding
from agent.doctor.scene import Scene
from agent.subagents.catalog import BUILT_IN
from agent.subagents.finding import types_of


def type_findings(scene: Scene) -> Iterator[Finding]:
    """Say which types hold here, what hides what, and what cannot be used."""
    types = types_of(scene.standing, scene.user_home)
    names = ", ".join(one.name for one in types.held)
    yield Finding("ok", "agents", f"{names}; /agents tells all of them")
    for kind in types.held:
        if hidden := [one.source for one in types.hidden_by(kind)]:
            places = ", ".join(f"the one {source}" if source == BUILT_IN else source for source in hidden)
            yield Finding("note", "agents", f"`{kind.name}` of {kind.source} stands in place of {places}")
    for broken in types.broken:
        yield Finding("note", "agents", f"{broken.source} {broken.error}")
    for line in types.off:
        yield Finding("note", "agents", line)
