"""git on our own account runs nothing that a repository has prepared."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.git import ask_git, ask_git_soon
from agent.instructions.git_state import git_state
from agent.terminal.git_branch import branch, head
from agent.terminal.project_paths import listed

STATUS = ("status", "--short")


def git(folder: Path, *words: str) -> str:
    given = ("-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main")
    return subprocess.run(
        ["git", "-C", str(folder), *given, *words], check=True, capture_output=True, text=True
    ).stdout


def evil(folder: Path) -> str:
    """Return the path of a program that leaves a mark."""
    program = folder.parent / "evil"
    program.write_text(f"#!/bin/sh\ntouch {folder.parent}/ran\ncat\n")
    program.chmod(0o755)
    return str(program)


def with_filter(folder: Path, name: str = "x", *, key: str = "clean") -> None:
    git(folder, "config", f"filter.{name}.{key}", evil(folder))
    (folder / ".gitattributes").write_text(f"* filter={name}\n")
    os.utime(folder / "f", (1, 1))  # git must look at the content


def with_nested(folder: Path) -> None:
    """A repository inside, as a submodule that the index names, with a monitor of its own."""
    inner = folder / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "commit", "-q", "--allow-empty", "-m", "i")
    git(folder, "add", "inner")
    git(inner, "config", "core.fsmonitor", evil(folder))


def with_filter_below(folder: Path) -> None:
    """A repository inside with a changed file, and a filter of its own for it."""
    with_nested(folder)
    git(folder / "inner", "config", "--unset", "core.fsmonitor")
    (folder / "inner/f").write_text("one\n")
    git(folder / "inner", "add", "f")
    with_filter(folder / "inner", "below")
    git(folder / "inner", "config", "filter.below.clean", evil(folder))


def with_include(folder: Path) -> None:
    (folder / "more").write_text(f'[filter "y"]\n\tclean = {evil(folder)}\n\trequired = true\n')
    git(folder, "config", "include.path", "../more")
    (folder / ".gitattributes").write_text("* filter=y\n")
    os.utime(folder / "f", (1, 1))


def with_signatures(folder: Path) -> None:
    git(folder, "config", "log.showSignature", "true")
    git(folder, "config", "gpg.program", evil(folder))
    raw = git(folder, "cat-file", "commit", "HEAD")
    signed = raw.replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1
    )
    hashing = ["git", "-C", str(folder), "hash-object", "-t", "commit", "-w", "--stdin"]
    made = subprocess.run(hashing, input=signed, check=True, capture_output=True, text=True).stdout.strip()
    git(folder, "update-ref", "refs/heads/main", made)


def with_monitor(folder: Path) -> None:
    git(folder, "config", "core.fsmonitor", evil(folder))


def with_hook(folder: Path) -> None:
    Path(evil(folder)).rename(folder / ".git" / "hooks" / "post-index-change")
    os.utime(folder / "f", (1, 1))


TRAPS: dict[str, Callable[[Path], None]] = {
    "a filter": with_filter,
    "a filter that stays": lambda folder: with_filter(folder, key="process"),
    "a filter with dots": lambda folder: with_filter(folder, "a.b"),
    "a filter with an equals sign": lambda folder: with_filter(folder, "a=b"),
    "an included filter": with_include,
    "a monitor": with_monitor,
    "a monitor of a submodule": with_nested,
    "a filter of a submodule": with_filter_below,
    "a check of signatures": with_signatures,
    "a hook": with_hook,
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "f").write_text("one\n")
    git(folder, "add", "f")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.mark.parametrize("trap", TRAPS)
async def test_no_trap_of_a_repository_goes_off(trap: str, repository: Path) -> None:
    """By what is asked for the context, for the bar, for paths: at each place where we ask."""
    TRAPS[trap](repository)
    state = await asyncio.to_thread(git_state, repository)
    await branch(repository)
    await head(repository)
    await asyncio.to_thread(listed, repository)
    assert not (repository.parent / "ran").exists()
    assert state.startswith("git status:")


@pytest.mark.parametrize("trap", [name for name in TRAPS if name != "a filter that stays"])
def test_each_trap_is_one(trap: str, repository: Path) -> None:
    """Plain git, asked the same, runs what was prepared: the tests above do not pass for nothing."""
    TRAPS[trap](repository)
    git(repository, "status", "--short")
    git(repository, "log", "--oneline")
    assert (repository.parent / "ran").exists()


def test_filters_of_the_user_are_his(repository: Path) -> None:
    """As that for large files: what they make of a file is what git compares."""
    (Path(os.environ["HOME"]) / ".gitconfig").write_text('[filter "mine"]\n\tclean = "echo one"\n')
    (repository / ".gitattributes").write_text("f filter=mine\n")
    (repository / "f").write_text("two\n")
    assert ask_git(repository, STATUS, timeout_s=5) == "?? .gitattributes\n"


async def test_what_git_does_not_say_is_empty(tmp_path: Path, repository: Path) -> None:
    """No repository, no such folder, no git in time: no words, no error."""
    for folder in (tmp_path, tmp_path / "none"):
        assert ask_git(folder, STATUS, timeout_s=5) == await ask_git_soon(folder, STATUS, timeout_s=5) == ""
    assert (
        ask_git(repository, STATUS, timeout_s=1e-9)
        == await ask_git_soon(repository, STATUS, timeout_s=0)
        == ""
    )
    (repository / "new").touch()
    assert (
        ask_git(repository, STATUS, timeout_s=20)
        == await ask_git_soon(repository, STATUS, timeout_s=20)
        == "?? new\n"
    )
