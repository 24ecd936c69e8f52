"""Going back by hand: to which prompts, what becomes of the files, and doing it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.session.file_state import FileState, identity, identity_now, is_astray, is_kept
from agent.session.points import Point, What
from agent.session.session import Session
from agent.session.snapshots import keep, restore
from agent.session.state import State
from tools.base import ToolError
from tools.paths import show

READ_ONLY = "it or its folder is read-only; `chmod u+w` lets it be written"
"""The one reason of a `ToolError` that no `OSError` stands behind; its own words are for the model."""
LEADS_ELSEWHERE = "a folder on the way to it is a link now"
NOT_PUT_BACK = "what /rewind could not put back stands as it stood before it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What going back means for the files that were changed since.

    ``ours``: they are as we left them; ``others``: somebody changed them after us; ``lost``: how they were is not
    kept; ``astray``: a folder on the way to them is a link now. Those that are as they were already are in none.
    """

    ours: Sequence[FileState] = ()
    others: Sequence[FileState] = ()
    lost: Sequence[FileState] = ()
    astray: Sequence[FileState] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a rewind left behind."""

    number: int
    """Of the rewind, in the order of the log: it never changes."""
    point: Point
    prompts: Sequence[str]
    """Those of its branch that are not on this one; none where files alone went back."""


def prompts(state: State) -> list[tuple[Point, str]]:
    """Return the places of this branch before a prompt of the user's, oldest first, each with the prompt."""
    return _prompts(state, state.branch, state.prompts)


def newest_rewind(state: State) -> Point | None:
    """Return the place before the newest rewind; None when there was none."""
    return state.points[state.rewound["id"]] if state.rewound else None


def left_behind(state: State) -> list[Left]:
    """Return what rewinds left behind, oldest first, but for branches that this one or a newer one goes on from."""
    places = [point for point in state.points.values() if not point.turn]
    found: list[Left] = []
    covered = set(state.branch)
    for number, point in reversed(list(enumerate(places, 1))):
        branch = point.stood("branch")
        if point.what == "files":
            found.append(Left(number=number, point=point, prompts=()))
        elif not covered.issuperset(branch):
            known = _prompts(state, branch, point.stood("prompts"))
            words = [prompt for place, prompt in known if place.record not in state.branch]
            found.append(Left(number=number, point=point, prompts=words))
        covered.update(branch)
    return found[::-1]


def _prompts(state: State, branch: Sequence[str], said: Sequence[tuple[int, str]]) -> list[tuple[Point, str]]:
    first: dict[int, str] = {}
    for turn, words in said:
        first.setdefault(turn, words)
    points = [state.points[record] for record in branch]
    return [(point, first[point.turn]) for point in points if point.turn in first]


def files_at(state: State, point: Point) -> Files:
    """Compare the files that were changed since ``point`` with what we made of them; reads them."""
    before: dict[str, FileState] = {}
    for change in state.changes[point.changes :]:
        before.setdefault(change["path"], change)
    ours, others, lost, astray = (list[FileState]() for _ in range(4))
    for path, then in before.items():
        now = identity_now(Path(path))
        if is_astray(Path(path)):
            astray.append(then)
        elif is_kept(then, state.project) and now == identity(then):
            continue
        elif not is_kept(then, state.project):
            lost.append(then)
        elif now == state.written.get(path):
            ours.append(then)
        else:
            others.append(then)
    return Files(ours=ours, others=others, lost=lost, astray=astray)


def rewind(session: Session, point: Point, what: What, files: Sequence[FileState]) -> dict[str, str]:
    """Go back to ``point``, and make ``files`` what they were; return path -> what went wrong, a line a file.

    How they are now is kept first, so that this can be taken back; a file of which that cannot be kept stays.
    """
    problems: dict[str, str] = {}
    wanted: list[tuple[FileState, FileState]] = []
    for then in files:
        now, remark = _kept_now(session, Path(then["path"]))
        if now is None:
            problems[then["path"]] = remark
        else:
            wanted.append((now, then))
    if what == "files" and not wanted:
        return problems
    before = dict(session.state.written)
    entries = [{**now, "now": identity(then)} for now, then in wanted]
    own = {} if what == "files" else {"parent": point.parent}
    session.append("rewind", to=point.record, what=what, files=entries, **own)
    session.sync()
    failed = dict(_put_back(session, [then for _, then in wanted]))
    stands = {path: before[path] for path in failed if identity_now(Path(path)) == before.get(path)}
    if stands:
        session.append("note", text=NOT_PUT_BACK, written=stands)
    return {**problems, **failed}


def _kept_now(session: Session, path: Path) -> tuple[FileState | None, str]:
    """Keep a file as it is now; return how it stands, or None and why it stays so."""
    now, remark = (None, LEADS_ELSEWHERE) if is_astray(path) else keep(session, path)
    if now is not None and is_kept(now, session.state.project):
        return now, ""
    shown = show(path, project=session.state.project)
    return None, f"`{shown}` stays as it is: {remark or 'it is no file any more'}"


def _put_back(session: Session, files: Sequence[FileState]) -> Iterator[tuple[str, str]]:
    """Make files what they were; yield the path of each that is not, and why."""
    if session.log.problem is None:
        yield from _failed(session.state.project, files)
        return
    # What no record tells of may not change: who opens the session after a kill would know nothing of it.
    for then in files:
        yield then["path"], _unwritten(session, then)


def _unwritten(session: Session, then: FileState) -> str:
    shown = show(Path(then["path"]), project=session.state.project)
    return f"`{shown}` was not put back: the session's log cannot be written"


def _failed(project: Path, files: Sequence[FileState]) -> Iterator[tuple[str, str]]:
    """Put files back; yield the path of each that could not be, and why."""
    for then in files:
        try:
            restore(project, then)
        except (OSError, ToolError) as error:
            cause = error.__cause__ if isinstance(error, ToolError) else error
            reason = cause.strerror if isinstance(cause, OSError) else READ_ONLY
            yield then["path"], f"`{show(Path(then['path']), project=project)}` was not put back: {reason}"
