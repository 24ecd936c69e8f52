"""The wheel: what it holds, and that it runs our code wherever it is started."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest
from filelock import FileLock

from agent.version import __version__
from tests.support.sources import PACKAGES, ROOT

pytestmark = pytest.mark.timeout(240)

BUNDLED = ("tools", "compaction", "skills", "hooks")
HOSTILE = (
    "tools/__init__.py",
    "hooks.py",
    "compaction.py",
    "skills.py",
    "agent.py",
    "json.py",
    "typing.py",
    "rich.py",
)
"""What the folder holds in which the program is started; each leaves a trace when it is imported."""
TRACE = "import os; os.close(os.open({!r}, os.O_CREAT)); raise SystemExit('a hostile module was imported')\n"


@dataclass(frozen=True, slots=True)
class Installed:
    """A built wheel, and a virtual environment in which nothing else of ours can be imported."""

    wheel: Path
    programs: Path

    def run(self, program: str, *args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment with a bare environment of variables."""
        whole = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **env}
        command = [str(self.programs / program), *args]
        return subprocess.run(
            command, cwd=cwd, env=whole, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build and install once, whichever process comes first."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "packaging"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            _install(_build(shared / "dist"), shared / "venv")
    (wheel,) = (shared / "dist").glob("*.whl")
    return Installed(wheel, shared / "venv" / "bin")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A project whose own modules have the names of ours and of the standard library's."""
    for name in HOSTILE:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(TRACE.format(str(tmp_path / "trace")))
    return tmp_path


def test_only_our_two_names_are_on_top(installed: Installed) -> None:
    """At its top level the wheel has `agent` and `palimpsest_agent.py`, for users have a `tools` of their own."""
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = {PurePosixPath(name).parts[0] for name in wheel.namelist()}
    assert names == {"agent", "palimpsest_agent.py", f"palimpsest_agent-{__version__}.dist-info"}


def test_every_file_of_ours_is_in(installed: Installed) -> None:
    """Modules, descriptions, prompts, skills, the sample project: what lies in the packages lies in the wheel."""
    wanted = {"palimpsest_agent.py"}
    for package in PACKAGES:
        files = [path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*") if path.is_file()]
        prefix = "agent/_bundle/" if package in BUNDLED else ""
        wanted |= {f"{prefix}{name}" for name in files if "__pycache__" not in name}
    with zipfile.ZipFile(installed.wheel) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == wanted


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--version"], f"agent {__version__}"),
        (["--help"], "--permission-mode"),
        (["demo"], "The tests were run once more, without the agent: they pass."),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_hostile_folder_has_no_say(installed: Installed, hostile: Path, args: list[str], said: str) -> None:
    """Started among modules with our names and with PYTHONPATH=. the command imports none of them."""
    done = installed.run("agent", *args, cwd=hostile, PYTHONPATH=".")
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout
    assert not (hostile / "trace").exists()


def test_it_runs_as_a_module_too(installed: Installed, hostile: Path) -> None:
    """`python -P -m agent` is the same program."""
    done = installed.run("python", "-P", "-m", "agent", "--version", cwd=hostile)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"agent {__version__}\n", "")


def test_the_checkout_is_out_of_reach(installed: Installed, tmp_path: Path) -> None:
    """The trial means something: in this environment our packages come from the wheel, or not at all."""
    code = f"import agent, importlib.util as u; print(agent.__file__, [u.find_spec(n) for n in {BUNDLED}])"
    done = installed.run("python", "-c", code, cwd=tmp_path)
    assert done.stdout.startswith(str(installed.programs.parent)), done.stderr
    assert done.stdout.endswith("[None, None, None, None]\n")


def _build(folder: Path) -> Path:
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def _install(wheel: Path, folder: Path) -> None:
    """Install the wheel alone; its dependencies are borrowed from the environment of the tests."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    _run(sys.executable, "-m", "pip", f"--python={python}", "install", "--no-deps", "--no-index", str(wheel))
    (packages,) = folder.glob("lib/python*/site-packages")
    # A path, not a site folder: a link to the checkout that lies in there is not followed.
    borrowed = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    (packages / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
