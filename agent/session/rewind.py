"""Going back by hand: to which prompts, what becomes of the files, and doing it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent.session.file_state import FileState, identity, identity_now, is_kept
from agent.session.points import Point
from agent.session.session import Session
from agent.session.snapshots import keep, restore
from agent.session.state import State
from tools.base import ToolError
from tools.paths import show

What = Literal["conversation", "files", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What going back means for the files that were changed since.

    ``ours``: they are as we left them; ``others``: somebody changed them after us; ``lost``: how they were is not
    kept. Those that are as they were already are in none.
    """

    ours: Sequence[FileState]
    others: Sequence[FileState]
    lost: Sequence[FileState]


def prompts(state: State) -> list[tuple[Point, str]]:
    """Return the places of this branch before a prompt of the user's, oldest first, each with the prompt."""
    first: dict[int, str] = {}
    for turn, words in state.prompts:
        first.setdefault(turn, words)
    points = [state.points[record] for record in state.branch]
    return [(point, first[point.turn]) for point in points if point.turn in first]


def left_behind(state: State) -> tuple[Point, What] | None:
    """Return the place before the newest rewind, and what it took back; None when there was none."""
    if not state.rewound:
        return None
    return state.points[state.rewound["id"]], state.rewound["what"]


def files_at(state: State, point: Point) -> Files:
    """Compare the files that were changed since ``point`` with what we made of them; reads them."""
    before: dict[str, FileState] = {}
    for change in state.changes[point.changes :]:
        before.setdefault(change["path"], change)
    ours, others, lost = list[FileState](), list[FileState](), list[FileState]()
    for path, then in before.items():
        now = identity_now(Path(path))
        if is_kept(then) and now == identity(then):
            continue
        if not is_kept(then):
            lost.append(then)
        elif now == state.written.get(path):
            ours.append(then)
        else:
            others.append(then)
    return Files(ours=ours, others=others, lost=lost)


def rewind(session: Session, point: Point, what: What, files: Sequence[FileState]) -> list[str]:
    """Go back to ``point``, and make ``files`` what they were; return what went wrong, a line a file.

    How they are now is kept first, so that this can be taken back; a file of which that cannot be kept stays.
    """
    problems: list[str] = []
    wanted: list[tuple[FileState, FileState]] = []
    for then in files:
        now, remark = keep(session, Path(then["path"]))
        if now is None or not is_kept(now):
            shown = show(Path(then["path"]), project=session.state.project)
            problems.append(f"`{shown}` stays as it is: {remark or 'it is no file any more'}")
        else:
            wanted.append((now, then))
    if what == "files" and not wanted:
        return problems
    entries = [{**now, "now": identity(then)} for now, then in wanted]
    own = {} if what == "files" else {"parent": point.parent}
    session.append("rewind", to=point.record, what=what, files=entries, **own)
    session.sync()
    return [*problems, *_restored(session.state.project, [then for _, then in wanted])]


def _restored(project: Path, files: Sequence[FileState]) -> Iterator[str]:
    for then in files:
        try:
            restore(project, then)
        except (OSError, ToolError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            yield f"`{show(Path(then['path']), project=project)}` was not put back: {reason}"
