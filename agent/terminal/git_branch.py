"""The git branch for the status bar, asked for in the background."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from agent.git import ask_git_soon

INTERVAL_S = 5.0
TIMEOUT_S = 4.0
STATUS = ("status", "--porcelain=v2", "--branch", "--ignore-submodules=dirty")
HEAD = ("symbolic-ref", "--quiet", "--short", "HEAD")


async def watch(project: Path, show: Callable[[str], None]) -> None:
    """Call ``show`` with `main` or `main*`, or an empty text, now and every few seconds; until cancelled."""
    while True:
        show(await branch(project))
        await asyncio.sleep(INTERVAL_S)


async def branch(project: Path) -> str:
    """Return the branch, with `*` when files are changed; empty outside of a repository."""
    return parsed(await ask_git_soon(project, STATUS, timeout_s=TIMEOUT_S))


async def head(project: Path) -> str:
    """Return the branch alone, which takes no look at the files; empty outside of a repository."""
    return (await ask_git_soon(project, HEAD, timeout_s=TIMEOUT_S)).strip()


def parsed(status: str) -> str:
    """Return branch and mark from `git status --porcelain=v2 --branch`."""
    name, changed = "", ""
    for line in status.splitlines():
        if line.startswith("# branch.head "):
            name = line.removeprefix("# branch.head ")
        elif not line.startswith("#"):
            changed = "*"
    return f"{name}{changed}" if name else ""
