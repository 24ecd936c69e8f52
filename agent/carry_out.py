"""Acts on a plan: files first, then the record, then the view."""

from collections.abc import Mapping
from typing import Any, cast

from agent.events import Compacted, Emit
from agent.session.keep import keep_file
from agent.session.replay import UNSENT
from agent.session.session import Session
from compaction.plan import Plan


def carry_out(session: Session, plan: Plan, emit: Emit, *, context_files: Mapping[str, str]) -> str:
    """Write the plan's files and append its record; return why not, when the disk refuses: then nothing changes.

    Args:  context_files: path -> sha256 of the instruction files that the plan brings anew.
    """
    try:
        for file in plan.files:
            keep_file(session.state.project / file.path, file.data)
    except OSError as error:
        return f"compaction paused: `{file.path}` cannot be written: {error.strerror}"
    session.append(
        "compaction",
        layer=plan.layer,
        trigger=plan.trigger,
        changes=list(plan.changes),
        files=[{"path": file.path, "sha256": file.sha256, "bytes": len(file.data)} for file in plan.files],
        receipt=plan.receipt,
        context_files=dict(context_files),
    )
    session.sync()
    if plan.layer not in UNSENT or plan.files:
        emit(Compacted(receipt=cast("dict[str, Any]", plan.receipt)))
    return ""
