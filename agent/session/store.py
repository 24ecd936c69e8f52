"""Where sessions live: `.transcripts` and `.task_outputs` in the project, or under the user's home."""

import contextlib
import errno
import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent.errors import SessionError
from agent.session.log import first_record, lines_with, read_records
from agent.session.records import decode
from agent.session.register import FILE, Register
from tools.spill import hide_from_git

MIN_PART_CHARS = 4
"""Of an id: less would fit some session by chance."""
_TITLE = b'"type":"title"'
"""What the line of a `title` record holds."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a full disk says, or a limit that was reached."""
TYPED = "typed.json"
"""In a session's folder, as long as something was typed at the screen and is not sent."""
SESSION_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """The folders of one project's sessions.

    ``root`` is the project, or a folder under the user's home when the project cannot be written. ``register``: which
    logs are ours; None: all that there are.
    """

    root: Path
    register: Register | None = None

    @classmethod
    def of(cls, project: Path, home: Path) -> "Store":
        """Return the store of ``project``; made private, and invisible to git."""
        register = Register(path=home / FILE)
        store = cls(root=project, register=register)
        try:
            store.make()
        except OSError:
            store = cls(root=_instead_of(project, home), register=register)
            store.make()
        return store

    @classmethod
    def existing(cls, project: Path, home: Path) -> "Store":
        """Return the store that `of` would, without making anything: there may be none yet."""
        register = Register(path=home / FILE)
        store = cls(root=project, register=register)
        instead = cls(root=_instead_of(project, home), register=register)
        is_writable = os.access(store.transcripts, os.W_OK | os.X_OK)
        return instead if instead.transcripts.is_dir() and not is_writable else store

    @property
    def transcripts(self) -> Path:
        """One `.jsonl` a session, and a folder beside each."""
        return self.root / ".transcripts"

    @property
    def outputs(self) -> Path:
        """Full texts of shortened results."""
        return self.root / ".task_outputs" / "tool-results"

    def make(self) -> None:
        """Make both folders, readable by the user alone, with a `.gitignore` of `*`."""
        for folder in (self.transcripts, self.outputs.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
            try:
                hide_from_git(folder)
            except OSError as error:
                # The session goes on without room, and the next start tries again.
                if error.errno not in NO_ROOM:
                    raise

    def log(self, session: str) -> Path:
        """Path of a session's log."""
        return self.transcripts / f"{session}.jsonl"

    def folder(self, session: str) -> Path:
        """Folder of what stands beside a session's log."""
        return self.transcripts / session

    def newest_first(self) -> Iterator[str]:
        """Yield the ids of the sessions that can be resumed, the last written first.

        What is no file (a folder, a pipe, a link to nowhere) or cannot be read is passed over.
        """
        for session in self.logs():
            with contextlib.suppress(OSError):
                if first_record(self.log(session)) is not None:
                    yield session

    def logs(self) -> list[str]:
        """Return the ids of all sessions that have a log, whatever it holds, the last written first."""
        dated: list[tuple[int, str]] = []
        for path in self.transcripts.glob("*.jsonl"):
            with contextlib.suppress(OSError):
                if SESSION_ID.fullmatch(path.stem) and path.is_file():
                    dated.append((path.stat().st_mtime_ns, path.stem))
        return [session for _, session in sorted(dated, reverse=True)]

    def is_own(self, session: str) -> bool:
        """True for a session that was begun here: what its log says decides. See `adoption` for others."""
        return self.register is None or self.register.holds(self.log(session))

    def newest(self) -> str:
        """Return the id of the session last written in which anything was said, or typed and not sent; ours before others.

        Raises SessionError when there is none.
        """
        foreign = ""
        for session in self.newest_first():
            if has_words(self.log(session)) or (self.folder(session) / TYPED).exists():
                if self.is_own(session):
                    return session
                foreign = foreign or session
        if foreign:
            return foreign
        raise SessionError(f"no session to continue in {self.root}; start one with `agent`")

    def find(self, wanted: str) -> str:
        """Return the session whose id is ``wanted``, or the only one whose id begins or ends so or that is called so.

        Of an id it takes 4 characters at least; of titles, case and spacing do not matter. Raises SessionError that
        lists the candidates.
        """
        sessions = list(self.newest_first())
        if wanted in sessions:
            return wanted
        is_part = len(wanted) >= MIN_PART_CHARS
        title = _folded(wanted)
        found = [
            one
            for one in sessions
            if (is_part and (one.startswith(wanted) or one.endswith(wanted)))
            or (title and _folded(title_of(self.log(one))) == title)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise SessionError(f"`{wanted}` fits several sessions: {', '.join(found[:5])}")
        known = f"; the newest is {sessions[0]}" if sessions else ""
        raise SessionError(f"no session `{wanted}` in {self.root}{known}")


def has_words(path: Path) -> bool:
    """True for a log that holds a message: a session that was opened and left at once is not gone on with."""
    return any(record is not None and record["type"] == "message" for _, record in read_records(path))


def _instead_of(project: Path, home: Path) -> Path:
    """The folder for a project that cannot be written."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", str(project)).strip("-")[-80:]
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:8]
    return home / "projects" / f"{slug}-{digest}"


def title_of(path: Path) -> str:
    """Return what the user calls the session of a log; empty for one without a title, or that cannot be read."""
    title = ""
    with contextlib.suppress(OSError):
        for line in lines_with(path, _TITLE):
            titles = [str(one.get("text", "")) for one in decode(line)[0] if one["type"] == "title"]
            title = titles[-1] if titles else title
    return title


def _folded(title: str) -> str:
    return " ".join(title.split()).casefold()


def new_id(now: float) -> str:
    """Return a session id: `YYYYMMDD-HHMMSS-xxxxxx`."""
    return f"{datetime.fromtimestamp(now, UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
