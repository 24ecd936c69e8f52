"""What git tells of a project."""

import os
import subprocess
from pathlib import Path

import pytest

from agent.instructions.git_state import MAX_GIT_CHARS, git_state


def test_git(tmp_path: Path) -> None:
    """Branch, changed files and commits, cut when long; hooks and file monitors of the project are not run."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(tmp_path)], check=True)
    (tmp_path / "a.txt").write_text("a")
    subprocess.run([*git, "add", "a.txt"], check=True)
    subprocess.run([*git, "commit", "-qm", "First light"], check=True)
    spy = tmp_path / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/spied\n")
    spy.chmod(0o755)
    subprocess.run([*git, "config", "core.fsmonitor", str(spy)], check=True)
    state = git_state(tmp_path)
    assert "## trunk" in state
    assert "First light" in state
    assert "?? spy.sh" in state
    assert not (tmp_path / "spied").exists()
    for number in range(200):
        (tmp_path / f"a-file-with-a-name-{number}.txt").touch()
    assert len(git_state(tmp_path)) < MAX_GIT_CHARS + 200


def test_git_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git, no fault."""
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", os.devnull)
    assert git_state(tmp_path) == "git status:\n\nlast commits:\n(none)"
