"""The demo: what it shows, what it needs, what it leaves."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from agent.demo import run_demo
from agent.demo.stage import SAMPLE, stage
from agent.errors import UserError

PLAY = [sys.executable, "-c", "from agent.demo import run_demo; raise SystemExit(run_demo())"]


def programs(folder: Path, *names: str) -> str:
    """Return a PATH on which these programs are, and no others."""
    for name in names:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return str(folder)


def test_the_tour_is_complete(tmp_path: Path) -> None:
    """It reads, edits, runs a failing and then a passing test, is refused once, compacts once, and exits 0."""
    done = subprocess.run(PLAY, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, check=False)
    shown = done.stdout.decode()
    acts = [
        "* glob",
        "FAILED (failures=1)",
        "Refused: ",
        "* read",
        "⟲ compaction",
        "* read",
        "* edit",
        "\n    OK\n",
    ]
    places = [shown.index(acts[0])]
    for act in acts[1:]:
        places.append(shown.index(act, places[-1] + 1))
    assert shown.count("⟲ compaction: summary") == 1
    assert shown.count("model is scripted") == 1
    assert "That was a scripted model" in "\n".join(shown.splitlines()[-3:])
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_neither_takes_nor_leaves(tmp_path: Path, isolation: Path) -> None:
    """Keys, proxies and settings of git, bash and Python change nothing; afterwards no file of it is left."""
    (tmp_path / "stage").mkdir()
    (tmp_path / "env.sh").write_text("exit 3\n")
    (tmp_path / "gitconfig").write_text("[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nowhere\n")
    hostile = {
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_AUTH_TOKEN": "none",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "ALL_PROXY": "socks9://127.0.0.1:9",
        "BASH_ENV": str(tmp_path / "env.sh"),
        "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"),
        "GIT_DIR": str(tmp_path / "none"),
        "PYTHONWARNINGS": "error",
        "TMPDIR": str(tmp_path / "stage"),
    }
    done = subprocess.run(PLAY, env={**os.environ, **hostile}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "stage").iterdir()) == []
    assert [path for path in isolation.rglob("*") if path.is_file()] == []


def test_without_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without git the tour runs in a plain folder, and says so."""
    monkeypatch.setenv("PATH", programs(tmp_path, "bash"))
    assert run_demo() == 0
    shown = capfd.readouterr().out
    assert "a plain folder with one failing test, for git was not found" in shown
    assert "git diff\n" not in shown.partition("\n> ")[2]


def test_a_bug_that_stays_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1 when the tests do not pass in the end, whatever the model says."""
    monkeypatch.setenv("PATH", programs(tmp_path, "git"))  # without bash no test can be run
    assert run_demo() == 1
    assert "The demo failed: the tests still fail" in capfd.readouterr().out


def test_no_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder for temporary files one line says what to set."""
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(UserError, match=r"temporary files .*: set TMPDIR"):
        run_demo()


def test_the_stage_is_taken_down_whole() -> None:
    """The sample fails at first; the environment and the sample are as before when the show is over."""
    before = dict(os.environ)
    sample = {path: path.stat().st_mtime_ns for path in SAMPLE.rglob("*")}
    with stage() as place:
        assert os.environ["HOME"] == str(place.home)
        assert place.has_git
        assert not place.is_fixed()
    assert dict(os.environ) == before
    assert not place.project.exists()
    assert {path: path.stat().st_mtime_ns for path in SAMPLE.rglob("*")} == sample
