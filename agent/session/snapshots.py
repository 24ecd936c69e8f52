"""Files as they were before a change: their bytes are kept beside the log, a `snapshot` record tells of them."""

import asyncio
import hashlib
import secrets
import stat
from pathlib import Path

from agent.session.file_state import FileState, sha256_of
from agent.session.keep import keep_file
from agent.session.session import Session
from agent.surrogates import repaired_text
from tools.base import ResolvedPath
from tools.files import replace
from tools.paths import show

MAX_KEPT_BYTES = 20_000_000
"""A larger file is not kept; the contract of rewinding."""
FOLDER = "files"
"""In the session's own folder; its files are named by their hash."""


class Snapshots:
    """Keeps what the turns of one session change: its own changes and those of its subagents."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def before_change(self, path: Path) -> str:
        """Keep ``path`` as it is, unless that was done in this turn; return what the user should know of it.

        Mostly empty. A change never waits for room: what cannot be kept is said, and cannot be rewound.
        """
        if repaired_text(str(path)) != str(path):
            return f"`{repaired_text(str(path))}` is not kept for /rewind: its name is not UTF-8"
        if self._is_kept(path):
            return ""
        state, remark = await asyncio.to_thread(keep, self._session, path)
        # Another agent may have been quicker: then that one looked before either changed it.
        if state is not None and not self._is_kept(path):
            self._session.append("snapshot", **{key: value for key, value in state.items() if key != "turn"})
        return remark

    def _is_kept(self, path: Path) -> bool:
        state = self._session.state
        return any(one["path"] == str(path) and one["turn"] == state.turn for one in reversed(state.changes))


def keep(session: Session, path: Path) -> tuple[FileState | None, str]:
    """Keep the bytes of ``path`` in the session's folder; return how it stands, and what could not be kept.

    None for what is no file, which no tool of ours changes.
    """
    nothing = FileState(
        turn=session.state.turn, path=str(path), is_there=False, mode=0, link="", sha256="", kept=""
    )
    unread = FileState(**{**nothing, "is_there": True})
    try:
        there = _look(path, nothing)
        if there is not None and there["is_there"] and not there["link"]:
            return _with_bytes(session, path, there)
    except OSError as error:
        shown = show(path, project=session.state.project)
        return unread, f"`{shown}` is not kept for /rewind: {error.strerror}"
    return there, ""


def _look(path: Path, nothing: FileState) -> FileState | None:
    """Return how ``path`` stands, without its bytes; None for what is neither file nor link."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return nothing
    there = FileState(**{**nothing, "is_there": True, "mode": stat.S_IMODE(mode)})
    if stat.S_ISLNK(mode):
        there["link"] = str(path.readlink())
        return there
    return there if stat.S_ISREG(mode) else None


def _with_bytes(session: Session, path: Path, there: FileState) -> tuple[FileState, str]:
    """Keep the bytes of a file that is not too large."""
    if path.stat().st_size > MAX_KEPT_BYTES:
        shown = show(path, project=session.state.project)
        there["sha256"] = sha256_of(path)
        return there, f"`{shown}` is over {MAX_KEPT_BYTES:,} bytes: /rewind cannot bring it back"
    data = path.read_bytes()
    there["sha256"] = hashlib.sha256(data).hexdigest()
    there["kept"] = _kept(session, there["sha256"], data)
    return there, ""


def restore(project: Path, state: FileState) -> None:
    """Make a file what it was. Raises OSError, ToolError; the file is then as it is now."""
    path = Path(state["path"])
    if not state["is_there"]:
        path.unlink(missing_ok=True)
        return
    if state["link"]:
        _put_link(path, state["link"])
        return
    kept = project / state["kept"]
    data = kept.read_bytes() if kept.is_file() else b""
    if hashlib.sha256(data).hexdigest() != state["sha256"]:
        raise OSError(0, "its kept bytes are gone or damaged", state["kept"])
    target = ResolvedPath(path=path, shown=str(path), access="write", is_inside=True, is_own=False)
    is_file = path.is_file() and not path.is_symlink()
    replace(target, data, old=path.read_bytes() if is_file else None, mode=state["mode"])


def _put_link(path: Path, target: str) -> None:
    """Put a symbolic link in the place of what is there, at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".agent-{secrets.token_hex(6)}.tmp")
    temporary.symlink_to(target)
    try:
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _kept(session: Session, sha256: str, data: bytes) -> str:
    path = session.log.path.with_suffix("") / FOLDER / sha256
    if not path.exists():
        keep_file(path, data)
    return show(path, project=session.state.project)
