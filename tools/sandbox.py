"""The sandbox: bash inside bubblewrap, which may write to the project and to a temporary folder of its own.

Everything else is read-only, places with secrets cannot be looked into, the network is off unless the user allows it.
A command sees no process but its own, and all that it started ends when it does. What cannot be confined is not run.

What it does not do: what a command writes into the project may be run later by somebody else (a Makefile, a repository that
it made); with the network on, it reaches whatever listens on this machine; hooks and the user's own commands run outside.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.safe_environment import without_secrets
from tools.sandbox_places import DEVICES, Grounds, Kind, Place, hidden_since, kind_of, place_of, places
from tools.secret_places import SOCKETS
from tools.shell_directory import bash_env

_PROGRAM = "bwrap"
_PROBE_TIMEOUT_S = 10.0
_STARTUP = "/dev/palimpsest.sh"
"""Where a command finds the file that bash runs first: in a folder that is made for each command anyway."""
_TMP = "/tmp"  # noqa: S108  # inside, where it is the session's own
# bwrap itself must live through TERM: if it dies, all in it is killed at once, and nobody can tidy up.
_DEAF = ["/bin/sh", "-c", 'trap "" TERM; exec "$@"', "sh"]
_HEARING = ["/usr/bin/env", "--default-signal=TERM"]
_NAMESPACES = [
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--cap-drop", "ALL"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a command is started: the program and its arguments, where, and in which environment."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]


def launched(
    sandbox: "Sandbox | None", text: str, *, cwd: Path, env: Mapping[str, str], startup: Path | None = None
) -> Launch:
    """Return how to run ``text`` by bash, in ``sandbox`` if there is one; ``startup``: a file that bash runs before it.

    Raises:    OSError: as `Sandbox.launch`.
    """
    if sandbox is not None:
        return sandbox.launch(text, cwd=cwd, env=env, startup=startup)
    given = {**env, "BASH_ENV": bash_env(startup)} if startup else env
    return Launch(argv=["bash", "-c", text], cwd=cwd, env=given)


@dataclass(slots=True, kw_only=True, weakref_slot=True, eq=False)
class Sandbox:
    """One session's sandbox. ``problem`` says why there is none to run in; then nothing is run."""

    grounds: Grounds
    has_network: bool = False
    problem: str = ""
    program: str = _PROGRAM
    """Absolute path of bubblewrap."""
    rules: list[Place] = field(init=False)
    """As they were before any command ran."""
    _folder: Path | None = field(default=None)
    """On the host: what is `/tmp` inside, and the file that stands for hidden ones. Made at first use."""
    _removal: "weakref.finalize[..., Any] | None" = field(default=None)
    """Done at the latest when the program ends."""

    def __post_init__(self) -> None:
        self.rules = places(self.grounds)

    @classmethod
    def tried(cls, grounds: Grounds, *, has_network: bool, path: str | None = None) -> "Sandbox":
        """Return the sandbox, after a command was run in it; ``path``: where programs are, None: as in PATH."""
        sandbox = cls(grounds=grounds, has_network=has_network)
        sandbox.problem = sandbox._unfit() or sandbox._find(path) or sandbox._try()
        return sandbox

    def launch(self, text: str, *, cwd: Path, env: Mapping[str, str], startup: Path | None = None) -> Launch:
        """Return how to run ``text`` inside.

        Raises:    OSError: there is no room for the temporary folder, or a place cannot be looked at.
        """
        inner = [*_HEARING, "bash", "-c", text]
        given = {**without_secrets(env), "TMPDIR": _TMP, "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1"}
        first = ["--ro-bind", str(startup), _STARTUP] if startup else []
        if startup:
            given["BASH_ENV"] = _STARTUP
        argv = [*_DEAF, self.program, *self._bounds(), *first, "--chdir", str(cwd), "--", *inner]
        return Launch(argv=argv, cwd=Path("/"), env=given)

    def places(self) -> list[Place]:
        """Return the rules, with those for secrets that have come since."""
        return [*self.rules, *hidden_since(self.grounds, self.rules)]

    def kind_of(self, path: Path) -> Kind:
        """Return what ``path``, absolute and resolved, is to a command."""
        return kind_of(path, self.places())

    def is_directory(self, path: Path) -> bool:
        """Tell whether a command can start in ``path``, as it names it."""
        kind = self.kind_of(path)
        if kind == "private":
            outer = place_of(path, self.rules)
            inner = self._own_folder() / "tmp" / path.relative_to(outer.path)
            return outer.path != DEVICES and inner.is_dir()
        return kind != "hidden" and path.is_dir()

    def end(self) -> None:
        """Remove the temporary folder. Whatever runs should have ended."""
        self._folder = None
        if self._removal is not None:
            self._removal()

    def _unfit(self) -> str:
        """Return why this project cannot be worked on in a sandbox."""
        project = self.grounds.project
        if project == Path("/"):
            return "the project is `/`, so nothing would be read-only"
        if self.kind_of(project) != "writable":
            return f"the project is `{project}`, a folder that is hidden from commands"
        return ""

    def _find(self, path: str | None) -> str:
        if sys.platform != "linux":
            return "it needs Linux"
        found = shutil.which(_PROGRAM, path=path)
        if found is None:
            return "bubblewrap is not installed (the program `bwrap`)"
        resolved = Path(found).resolve()
        if self.kind_of(resolved) in ("writable", "private"):
            return f"`{found}` lies where commands can write, so it is not trusted"
        self.program = str(resolved)
        return ""

    def _try(self) -> str:
        """Run a command that does nothing, just as others will be run; return what went wrong."""
        try:
            launch = self.launch(
                "exit 0", cwd=self.grounds.project, env={"PATH": "/usr/local/bin:/usr/bin:/bin"}
            )
            done = subprocess.run(
                launch.argv,
                env=launch.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not work here ({error})"
        finally:
            self.end()
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        return (
            ""
            if done.returncode == 0
            else f"bubblewrap does not work here ({said or f'exit code {done.returncode}'})"
        )

    def _bounds(self) -> list[str]:
        """Return bubblewrap's options: what a command can see, and write to."""
        # What the user has removed meanwhile cannot be mounted.
        rules = [place for place in self.places() if place.path.exists()]
        argv = ["--ro-bind", "/", "/", "--proc", "/proc", *_NAMESPACES]
        if not self.has_network:
            argv.append("--unshare-net")
        for place in rules[1:]:
            argv += self._mount(place, rules)
        fixed = [str(place.path) for place in rules if place.kind == "hidden" and place.path.is_dir()]
        if os.geteuid() == 0:
            # To the system's settings in there, whoever is root is root also without a single capability.
            fixed.append("/proc")
        return [*argv, *(option for path in fixed for option in ("--remount-ro", path))]

    def _mount(self, place: Place, rules: Sequence[Place]) -> list[str]:
        path = str(place.path)
        match place.kind:
            case "hidden" if place.path.is_dir():
                return ["--perms", _mode(place, rules), "--tmpfs", path]
            case "hidden":
                return ["--ro-bind", str(self._own_folder() / "hidden"), path]
            case "read-only":
                return ["--ro-bind", path, path]
            case "private" if place.path == DEVICES:
                return ["--dev", path]
            case "private":
                return ["--bind", str(self._own_folder() / "tmp"), path]
            case "writable":
                return ["--bind", path, path]

    def _own_folder(self) -> Path:
        if self._folder is None or not self._folder.is_dir():
            self._folder = Path(tempfile.mkdtemp(prefix="palimpsest-sandbox-")).resolve()
            (self._folder / "tmp").mkdir(mode=0o700)
            (self._folder / "hidden").touch(mode=0o000)
            self._removal = weakref.finalize(self, shutil.rmtree, str(self._folder), ignore_errors=True)
        return self._folder


def _mode(place: Place, rules: Sequence[Place]) -> str:
    """Return the mode of a hidden folder: what is mounted below must be reachable; a folder of sockets is just empty."""
    if place.path == SOCKETS:
        return "0755"
    return "0111" if any(place.path in other.path.parents for other in rules) else "0000"
