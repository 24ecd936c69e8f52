"""What every test gets without asking: a home, settings and folder of its own, no network, hypothesis profiles."""

import ipaddress
import itertools
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from agent import glyphs

_FOREIGN_PREFIXES = ("ANTHROPIC_", "AGENT_", "GIT_", "PYTHON", "XDG_", "HYPOTHESIS_")
"""Variables of the caller's that would change what the code under test does."""
_FOREIGN_NAMES = frozenset(
    {"NO_COLOR", "FORCE_COLOR", "BASH_ENV", "ENV", "CDPATH", "PAGER", "COLUMNS", "LINES"}
)
_KEPT = frozenset({"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONWARNINGS"})
_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOCAL_NAMES = frozenset({"", "localhost"})
_ROOT = Path(__file__).parent.parent
_counter = itertools.count()
_MEMORY = Path("/dev/shm")
_LEAST_FREE_BYTES = 2 << 30
"""Several times what a run leaves behind before it ends."""

settings.register_profile("suite", max_examples=30, deadline=None, print_blob=True)
settings.register_profile("deep", max_examples=5_000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def _is_roomy(folder: Path) -> bool:
    """True for a folder in which files can be made, programs be run, and a whole run has room."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(folder)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= _LEAST_FREE_BYTES


if _is_roomy(_MEMORY):
    # Session logs are synced at every step, which on a disk takes more time than all the rest of a test.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


class NetworkError(RuntimeError):
    """A test tried to leave this machine; no OSError, so that no code takes it for an answer."""


def _guard(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: let sockets reach this machine only."""
    if event in _CONNECTING and isinstance(args[1], tuple):
        _check(str(args[1][0]))
    elif event == "socket.getaddrinfo" and args[0] is not None:
        host = args[0].decode("ascii") if isinstance(args[0], bytes) else str(args[0])
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        _check(host)


def _check(host: str) -> None:
    if host in _LOCAL_NAMES:
        return
    try:
        is_local = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        is_local = False
    if not is_local:
        raise NetworkError(f"a test tried to reach `{host}`; only this machine may be reached")


sys.addaudithook(_guard)


def _is_foreign(name: str) -> bool:
    is_proxy = name.lower().endswith("_proxy")
    return name not in _KEPT and (is_proxy or name in _FOREIGN_NAMES or name.startswith(_FOREIGN_PREFIXES))


@pytest.fixture(scope="session")
def isolated_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this process's homes and working folders."""
    return tmp_path_factory.mktemp("isolated")


@pytest.fixture(autouse=True)
def isolation(isolated_root: Path) -> Iterator[Path]:
    """Give the test a home and a working folder of its own, and none of the caller's settings."""
    root = isolated_root / str(next(_counter))
    (root / "home").mkdir(parents=True)
    (root / "cwd").mkdir()
    glyphs.choose(is_ascii=False)  # as the last command line may have left it
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if _is_foreign(name)]:
            patch.delenv(name)
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("AGENT_HOME", str(root / "home" / ".agent"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("PYTHONPATH", str(_ROOT))  # interpreters that a test starts find the packages too
        patch.chdir(root / "cwd")
        yield root
