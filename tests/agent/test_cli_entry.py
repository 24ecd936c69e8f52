"""The console entry: what it imports is ours, whatever lies in the user's folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.version import __version__
from palimpsest_agent import clean_path
from tests.support.command import ROOT, Command

HOSTILE = (
    "tools/__init__.py",
    "agent/__init__.py",
    "hooks.py",
    "json.py",
    "typing.py",
    "logging.py",
    "typer.py",
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose modules must not be imported."""
    for name in HOSTILE:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise SystemExit('imported from the folder of the user')\n")
    return tmp_path


IMPATIENT = """
import os, signal, sys

class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "agent.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Impatient())
import palimpsest_agent
sys.exit(palimpsest_agent.main())
"""


def test_ctrl_c_while_it_is_loaded(tmp_path: Path) -> None:
    """It ends without a traceback, with the code of an interrupt."""
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_current_folder_and_pythonpath_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Under any of their names; what the interpreter brings stays, in order."""
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}/link{os.pathsep}other")
    path = ["", ".", str(tmp_path), str(tmp_path / "other"), "/site", "/lib"]
    assert clean_path(path, "/site") == ["/site", "/site", "/lib"]


def test_our_own_folder_and_the_standard_library_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also when one of them is the current folder, or on PYTHONPATH; a bundle comes first."""
    library = str(Path(os.__file__).parent)
    monkeypatch.chdir(library)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "agent/_bundle").mkdir(parents=True)
    bundle = f"{tmp_path}/agent/_bundle"
    assert clean_path([str(tmp_path), library], str(tmp_path)) == [bundle, str(tmp_path), library]
    assert clean_path([library], str(tmp_path)) == [bundle, library, str(tmp_path)]


def test_a_hostile_folder_is_not_imported_from(hostile: Path) -> None:
    """The entry as installed scripts call it, with PYTHONPATH=. and the folder as the current one."""
    script = (
        f"import sys; sys.path.append({str(ROOT)!r}); from palimpsest_agent import main; sys.exit(main())"
    )
    command = [sys.executable, "-P", "-c", script, "-p", "hi"]
    env = {**Command(root=hostile, url="", key="").env, "PYTHONPATH": "."}
    done = subprocess.run(
        command, cwd=hostile, env=env, capture_output=True, text=True, timeout=30, check=False
    )
    assert "there is no API key" in done.stderr
    assert done.returncode == 2


def test_the_end_looks_for_no_garbage(tmp_path: Path) -> None:
    """What was loaded is out of the collector's sight when the interpreter ends: it would search all of it."""
    script = (
        "import atexit, gc, sys; from agent.cli import start; "
        "atexit.register(lambda: print(len(gc.get_objects()), gc.get_freeze_count())); sys.exit(start())"
    )
    env = {**Command(root=tmp_path).env, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script, "--version"], env=env, capture_output=True, text=True, check=True
    )
    seen, frozen = map(int, done.stdout.splitlines()[-1].split())
    assert seen < 1_000
    assert frozen > 10_000


def test_python_m_agent_is_the_same(tmp_path: Path) -> None:
    """Also from the folder that holds it, which is then the current one."""
    env = Command(root=tmp_path).env
    command = [sys.executable, "-m", "agent", "--version"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (0, f"agent {__version__}\n")
