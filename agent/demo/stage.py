"""Where the demo plays: a copy of the sample project in a temporary git repository, and nothing of the user's."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.errors import UserError

SAMPLE = Path(__file__).with_name("project")
PYTHON = Path(sys.executable).name
"""The interpreter that runs us, as a command: its folder comes first on the stage's PATH."""
TEST_COMMAND = (PYTHON, "-m", "unittest")
TIMEOUT_S = 60.0

_KEPT = frozenset(
    {
        "COLORTERM",
        "DYLD_LIBRARY_PATH",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "NO_COLOR",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
    }
)
"""What the demo needs of the user's environment; keys, proxies, settings of git and Python stay outside."""
_COMMITS = (
    ("-c", "init.defaultBranch=main", "init", "--quiet"),
    ("config", "user.name", "Demo"),
    ("config", "user.email", "demo@localhost"),
    ("add", "--all"),
    ("commit", "--quiet", "--message", "Ledger: invoices, VAT, report"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The folders of one show; both are gone afterwards."""

    project: Path
    home: Path
    """AGENT_HOME while the demo plays."""
    has_git: bool
    """False: there is no git on this machine, and the project is a plain folder."""

    def is_fixed(self) -> bool:
        """Run the project's tests once more, past the agent; true if all pass."""
        done = subprocess.run(
            TEST_COMMAND, cwd=self.project, capture_output=True, timeout=TIMEOUT_S, check=False
        )
        return done.returncode == 0


@contextlib.contextmanager
def stage() -> Iterator[Stage]:
    """Set the stage, in this process's environment too; everything is as before at the end.

    Raises:    UserError: there is no folder for temporary files.
    """
    try:
        root = Path(os.path.realpath(tempfile.mkdtemp(prefix="agent-demo-")))
    except OSError as error:
        raise UserError(
            f"the demo needs a folder for temporary files ({error.strerror}): set TMPDIR"
        ) from error
    try:
        project, home = root / "ledger", root / "home"
        shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("__pycache__"))
        home.mkdir()
        with _environment(home):
            yield Stage(project=project, home=home, has_git=_commit(project))
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextlib.contextmanager
def _environment(home: Path) -> Iterator[None]:
    """Put a bare environment in place of the process's own; the tools' commands inherit it."""
    saved = dict(os.environ)
    kept = {name: value for name, value in saved.items() if name in _KEPT or name.startswith("LC_")}
    folders = [str(Path(sys.executable).parent), saved.get("PATH") or os.defpath]
    os.environ.clear()
    os.environ.update(
        kept,
        AGENT_HOME=str(home),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        HOME=str(home),
        PATH=os.pathsep.join(folders),
        # A file that is changed within the second of its compilation would be taken from the cache.
        PYTHONDONTWRITEBYTECODE="1",
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)


def _commit(project: Path) -> bool:
    """Make ``project`` a repository with one commit; False when there is no git, or none that works."""
    try:
        for arguments in _COMMITS:
            subprocess.run(
                ["git", *arguments],
                cwd=project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=True,
            )
    except (OSError, subprocess.SubprocessError):
        shutil.rmtree(project / ".git", ignore_errors=True)
        return False
    return True
