"""git in the sandbox: commits work wherever the repository lies, and what makes git run something stays as it is."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.sandboxes import NEEDS_SANDBOX, sandbox_of
from tests.support.tools import Bench, make_bench, text_of
from tools.bash import BASH
from tools.git_folders import GitFolders
from tools.jobs import end_jobs

pytestmark = NEEDS_SANDBOX
COMMIT = "date +%N >f; git add f && git -c user.name=n -c user.email=e commit -qm committed && git log --format=%s -1"


def git(folder: Path, *words: str) -> None:
    given = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(folder), *given, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


async def run(project: Path, command: str) -> str:
    bench: Bench = make_bench(project, sandbox=sandbox_of(project))
    try:
        return text_of(await bench.call(BASH, command=command))
    finally:
        await end_jobs(bench.services.jobs)


async def test_a_commit_in_a_repository(repository: Path) -> None:
    """Of which the project is the root, or a folder inside."""
    (repository / "sub").mkdir()
    for project in (repository, repository / "sub"):
        assert await run(project, COMMIT) == "committed\n[exit code 0]"
    assert await run(repository / "sub", "git status --short; echo x >../f") != "(no output)\n[exit code 0]"
    assert (repository / "f").read_text() != "x\n"


async def test_a_commit_in_a_worktree(repository: Path, tmp_path: Path) -> None:
    """Whose git folder lies in another repository; that one's files, hooks and settings stay as they are."""
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    before = (repository / ".git" / "config").read_bytes()
    assert await run(tmp_path / "tree", COMMIT) == "committed\n[exit code 0]"
    evil = f"echo x >{repository}/.git/hooks/evil; git config a.b c; echo x >{repository}/evil; rm -f .git; echo y >.git"
    await run(tmp_path / "tree", evil)
    assert (repository / ".git" / "config").read_bytes() == before
    assert not list(repository.rglob("evil"))
    assert (tmp_path / "tree" / ".git").read_text().startswith("gitdir: ")


async def test_a_commit_in_a_submodule(repository: Path, tmp_path: Path) -> None:
    """From within, and from the repository around it; its hooks and settings stay as they are in both cases."""
    git(tmp_path, "init", "-q", "--bare", "origin")
    git(repository, "push", "-q", str(tmp_path / "origin"), "HEAD:refs/heads/main")
    git(tmp_path / "origin", "symbolic-ref", "HEAD", "refs/heads/main")
    git(repository, "submodule", "add", "-q", str(tmp_path / "origin"), "part")
    module = repository / ".git" / "modules" / "part"
    before = (module / "config").read_bytes()
    assert await run(repository / "part", COMMIT) == "committed\n[exit code 0]"
    assert await run(repository, f"cd part; {COMMIT}") == "committed\n[now in `part`]\n[exit code 0]"
    for project in (repository, repository / "part"):
        way = f"cd {repository}/part; git config core.fsmonitor x; echo x >{module}/hooks/evil; mv {module} {module}2"
        await run(project, way)
    assert (module / "config").read_bytes() == before
    assert not list(repository.rglob("evil"))


async def test_links_in_place_of_hooks_make_all_of_it_read_only(repository: Path, tmp_path: Path) -> None:
    """A link can be put in another's place, so nothing is written to such a git folder."""
    hooks = repository / ".git" / "hooks"
    hooks.rename(tmp_path / "hooks")
    hooks.symlink_to(tmp_path / "hooks")
    assert "denied by the sandbox" in await run(repository, COMMIT)
    await run(repository, "rm .git/hooks; mkdir .git/hooks; touch .git/hooks/evil")
    assert hooks.is_symlink()


async def test_settings_of_one_worktree_are_fixed_before_they_exist(repository: Path) -> None:
    """Where a repository reads them at all."""
    git(repository, "config", "extensions.worktreeConfig", "true")
    await run(repository, "echo '[core] fsmonitor = x' >.git/config.worktree")
    assert (repository / ".git" / "config.worktree").read_text() == ""


@pytest.mark.parametrize("made", ["file", "link", "folder"])
def test_what_only_looks_like_a_repository_has_no_folders(
    made: str, repository: Path, tmp_path: Path
) -> None:
    """A file or a link that leads to another's repository, or a folder without a head."""
    project = tmp_path / "project"
    project.mkdir()
    entry = project / ".git"
    match made:
        case "file":
            entry.write_text(f"gitdir: {repository}/.git\n")
        case "link":
            entry.symlink_to(repository / ".git")
        case _:
            entry.mkdir()
    assert GitFolders.of(project.resolve()) is None
    assert os.path.lexists(entry)
