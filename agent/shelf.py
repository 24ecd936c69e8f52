"""The sessions of a project as the terminal's list needs them: by the rules of `agent sessions prune`."""

from functools import partial

from agent.session.store import Store
from agent.sessions.listing import disk_bytes, paths_of, size
from agent.sessions.pruning import Condemned, origins, why_locked
from agent.sessions.pruning import remove as prune
from agent.terminal.sessions import Shelf


def shelf_of(store: Store) -> Shelf:
    """Return the sessions of ``store``."""
    return Shelf(
        store=store,
        size=lambda session: size(disk_bytes(paths_of(store, session))),
        why_kept=partial(why_kept, store),
        remove=partial(_remove, store),
    )


def why_kept(store: Store, session: str) -> str:
    """Return why a session must not be removed; empty when it can. Reads all logs."""
    if reason := why_locked(store, session):
        return reason
    for other in store.logs():
        try:
            if other != session and session in origins(store.log(other)):
                return f"its fork {other} needs it"
        except OSError as error:
            return f"`{error.filename}` cannot be read ({error.strerror}), and may need it"
    return ""


def _remove(store: Store, session: str) -> str:
    """Remove a session with all that belongs to it; return why it was not, or not wholly; empty when it was."""
    if reason := why_kept(store, session):
        return f"stays: {reason}"
    try:
        written = store.log(session).stat().st_mtime_ns
    except OSError as error:
        return f"{session} cannot be removed: {error.strerror}"
    condemned = Condemned(id=session, at=written, bytes=disk_bytes(paths_of(store, session)))
    _, problems = prune(store, [condemned])
    return "; ".join(problems)
