"""What a reading git would run because the repository says so, with git itself as the witness."""

import os
import subprocess
from pathlib import Path

import pytest

from hooks.permission.judge import Permission
from hooks.permission.repository import program_named
from tests.support.calls import bash_call

READING = "git status; git diff; git log -p --format=%GG; git show; git blame a.txt"
BY_SETTINGS = {
    "monitor": ("core.fsmonitor", "{spy}; false"),
    "external diff": ("diff.external", "{spy}"),
    "driver": ("diff.x.command", "{spy}"),
    "text conversion": ("diff.x.textconv", "{spy}"),
    "filter": ("filter.x.clean", "{spy}"),
    "process": ("filter.x.process", "{spy}"),
    "signature": ("gpg.program", "{spy}"),
    "further settings": ("include.path", "{further}"),
    "hooks": ("core.hooksPath", "{hooks}"),
}
"""What a repository may set -> the setting, for git to write it down itself."""
TAME = """\
[core]
	repositoryformatversion = 0
	filemode = true ; as always
	fsmonitor = true
	hooksPath = .husky/_
[remote "origin"]
	url = git@example.org:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "feature/\\"x\\""] merge = refs/heads/x
# a comment
[filter "lfs"]
	clean = git-lfs clean -- %f
	process = git-lfs filter-process
	required = true
[alias]
	l = !rm -rf x
[commit] gpgsign
"""
NOT_READ = (
    '[core] fsmonitor = "evil"\n',
    "[CORE]FsMonitor=evil\n",
    "\ufeff[core]\nfsmonitor=evil\n",
    "[core]\r\n\tfsmonitor = evil\r\n",
    "[a]\n\tb = x\\\n[alias]\n\tfsmonitor = evil\n",
    "[core]\n\tx = y\\\n\tfsmonitor = evil\n",
    "[diff.x]\n\ttextconv = evil\n",
    '[a][diff "x"] command = evil\n',
    "fsmonitor = evil\n",
    "[core\n",
    "[core]\n\thooksPath = ~nobody-of-this-name/x\n",
    "[core]\n\t= x\n",
    "[core]\n\tworktree = /etc\n",
    '[includeIf "onbranch:main"]\n\tpath = ../x\n',
    '[remote "o"]\n\tpromisor = true\n',
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f; evil\n',
)


def made(folder: Path) -> Path:
    """A repository with a commit and a changed file."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("a\n")
    (folder / ".gitattributes").write_text("a.txt filter=x diff=x\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    signed = git(folder, "cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n", 1
    )
    commit = git(folder, "hash-object", "-t", "commit", "-w", "--stdin", given=signed)
    git(folder, "reset", "-q", commit.strip())
    (folder / "a.txt").write_text("b\n")
    return folder.resolve()


def git(folder: Path, *arguments: str, given: str = "") -> str:
    """Run git as a user with a name."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, input=given, capture_output=True, text=True
    )
    return done.stdout


def spy_in(folder: Path) -> tuple[Path, Path]:
    """A program that leaves a mark, and the mark."""
    spy, mark = folder / "spy", folder / "mark"
    spy.write_text(f"#!/bin/sh\n: > '{mark}'\ncat\n")
    spy.chmod(0o755)
    return spy, mark


def is_asked(project: Path) -> bool:
    """Whether permission asks about git that reads in ``project``."""
    verdict = Permission("plan", home=Path("/home/me")).judge(bash_call("git status", cwd=str(project)))
    return verdict.decision != "allow"


def test_a_plain_repository_is_read_unasked(tmp_path: Path) -> None:
    """What git itself writes into a new repository, a worktree and a submodule names no program."""
    project = made(tmp_path / "project")
    git(project, "submodule", "add", "-q", str(made(tmp_path / "part")), "lib/part")
    git(project, "worktree", "add", "-q", "../tree")
    for folder in (project, project / "lib/part", tmp_path / "tree"):
        assert program_named(str(folder)) == ""
        assert not is_asked(folder)
    assert program_named(str(tmp_path)) == ""


@pytest.mark.parametrize("trap", BY_SETTINGS)
def test_settings_that_name_a_program(trap: str, tmp_path: Path) -> None:
    """git runs it on reading, and so reading is asked about; an allow rule settles it."""
    project = made(tmp_path / "project")
    spy, mark = spy_in(tmp_path)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(spy)
    (tmp_path / "further").write_text(f'[core]\n\tfsmonitor = "{spy}"\n')
    name, value = BY_SETTINGS[trap]
    git(project, "config", name, value.format(spy=spy, hooks=hooks, further=tmp_path / "further"))
    assert is_asked(project)
    os.utime(project / "a.txt", (1, 1))
    os.utime(project / ".gitattributes", (1, 1))
    subprocess.run(["bash", "-c", READING], cwd=project, check=False, capture_output=True, timeout=20)
    assert mark.exists()


def test_a_hook_of_the_repository(tmp_path: Path) -> None:
    """The hook that a reading git runs is found where the repository keeps its hooks."""
    project = made(tmp_path / "project")
    (project / ".git/hooks").mkdir(exist_ok=True)
    (project / ".git/hooks/post-index-change").write_text("")
    assert "post-index-change" in program_named(str(project))


def test_a_program_that_a_submodule_names(tmp_path: Path) -> None:
    """git reads in submodules by their own settings, also where `.gitmodules` does not name them."""
    project = made(tmp_path / "project")
    part = made(project / "part")
    git(project, "add", "part")
    assert not is_asked(project)
    spy, mark = spy_in(tmp_path)
    git(part, "config", "core.fsmonitor", str(spy))
    subprocess.run(["git", "status"], cwd=project, check=False, capture_output=True, timeout=20)
    assert mark.exists()
    assert program_named(str(project)).startswith("submodule `part`")
    git(project, "update-index", "--index-version", "4")
    assert is_asked(project)


def test_a_bare_repository_is_one(tmp_path: Path) -> None:
    """A project that looks like a git folder itself is taken for one by git, and so by us."""
    for name in ("objects", "refs"):
        (tmp_path / name).mkdir()
    (tmp_path / "HEAD").write_text("ref: refs/heads/x\n")
    (tmp_path / "config").write_text("[core]\n\tfsmonitor = evil\n")
    assert "core.fsmonitor" in program_named(str(tmp_path))


def test_settings_as_people_have_them(tmp_path: Path) -> None:
    """Remotes, branches, the store for large files, aliases and hooks for other events are no reason to ask."""
    project = made(tmp_path / "project")
    (project / ".git/config").write_text(TAME)
    assert program_named(str(project)) == ""


@pytest.mark.parametrize("text", NOT_READ)
def test_settings_that_hide_something(text: str, tmp_path: Path) -> None:
    """However a setting is spelled, and whatever cannot be read for sure, is asked about."""
    project = made(tmp_path / "project")
    (project / ".git/config").write_text(text)
    assert program_named(str(project))


def test_a_git_folder_that_cannot_be_read(tmp_path: Path) -> None:
    """A pipe in the place of a file holds nobody up, and is asked about."""
    project = made(tmp_path / "project")
    (project / ".git/config").unlink()
    os.mkfifo(project / ".git/config")
    assert "no file" in program_named(str(project))


def test_the_question_says_why(tmp_path: Path) -> None:
    """The user reads what git would run; a rule that names the command allows it all the same."""
    project = made(tmp_path / "project")
    git(project, "config", "diff.external", "x")
    permission = Permission(home=Path("/home/me"))
    verdict = permission.judge(bash_call("git diff", cwd=str(project)))
    assert "`diff.external`" in verdict.reason
    permission.allow_always(verdict.rule_to_add)
    assert permission.judge(bash_call("git diff", cwd=str(project))).decision == "allow"
