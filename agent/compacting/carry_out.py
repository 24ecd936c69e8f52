"""Acts on a plan: files first, then the record, then the view."""

from collections.abc import Mapping

from agent.errors import LimitReached
from agent.events import Compacted, Emit
from agent.session.compacted import SUMMARY
from agent.session.compactions import is_told
from agent.session.keep import keep_file
from agent.session.records import Record
from agent.session.session import Session
from compaction.plan import Plan

NO_SPACE = (
    "the context of {:,} tokens is due for a compaction, and {} cannot be written: free some space there, "
    "then say `go on`; without it, that goes on to the end of the window"
)


def carry_out(session: Session, plan: Plan, emit: Emit, *, context_files: Mapping[str, str]) -> bool:
    """Write the plan's files and append its record; False when the disk refuses: then nothing changes.

    The user is told once a turn.

    Args:  context_files: path -> sha256 of the instruction files that the plan brings anew.
    """
    if is_refused(session):
        return False
    try:
        for file in plan.files:
            keep_file(session.state.project / file.path, file.data)
    except OSError as error:
        words = f"compaction paused: `{file.path}` cannot be written: {error.strerror}"
        if session.care.complain(words) or plan.layer == SUMMARY:
            session.append("note", text=words, compact_refused=plan.layer == SUMMARY)
        return False
    record = record_of(plan, context_files)
    id_ = session.append("compaction", **record)
    session.sync()
    if is_told(record):
        emit(Compacted(record={"id": id_, "step": session.state.step, **record}))
    return True


def record_of(plan: Plan, context_files: Mapping[str, str]) -> Record:
    """Return the fields of a plan's `compaction` record, less those that every record has."""
    return {
        "layer": plan.layer,
        "trigger": plan.trigger,
        "changes": list(plan.changes),
        "files": [{"path": file.path, "sha256": file.sha256, "bytes": len(file.data)} for file in plan.files],
        "receipt": plan.receipt,
        "context_files": dict(context_files),
    }


def is_refused(session: Session) -> bool:
    """True while the log cannot be written, tried once more: what left the view would be on no disk."""
    if session.log.problem is not None:
        session.sync()
    return session.log.problem is not None


def ask_for_space(session: Session, *, is_due: bool) -> None:
    """End the turn, once, when a compaction ``is_due`` and nothing can be written. Raises LimitReached.

    A further turn, which the user has been told of, goes on as far as the window allows.
    """
    if is_due and not session.care.has_asked:
        session.care.has_asked = True
        raise LimitReached(NO_SPACE.format(session.state.context_size, session.log.path))
