"""How things stand in a session, as its command hooks are told."""

from collections.abc import Mapping

from agent.session.session import Session
from hooks.commands.payload import Scene


def scene_of(session: Session, *, mode: str, background: Mapping[int, str]) -> Scene:
    """Return the scene of ``session``; ``background``: pid -> command of what its calls left running."""
    state = session.state
    return Scene(
        session=state.session_id,
        transcript=str(session.log.path),
        project=str(state.project),
        cwd=str(state.cwd),
        mode=mode,
        model=state.model,
        effort=state.effort or "",
        title=state.title,
        background=background,
    )
