"""The git branch for the status bar, asked for in the background."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

INTERVAL_S = 5.0
TIMEOUT_S = 4.0
STATUS = ("--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--branch")
HEAD = ("symbolic-ref", "--quiet", "--short", "HEAD")


async def watch(project: Path, show: Callable[[str], None]) -> None:
    """Call ``show`` with `main` or `main*`, or an empty text, now and every few seconds; until cancelled."""
    while True:
        show(await branch(project))
        await asyncio.sleep(INTERVAL_S)


async def branch(project: Path) -> str:
    """Return the branch, with `*` when files are changed; empty outside of a repository."""
    return parsed(await _output(project, STATUS))


async def head(project: Path) -> str:
    """Return the branch alone, which takes no look at the files; empty outside of a repository."""
    return (await _output(project, HEAD)).strip()


async def _output(project: Path, arguments: Sequence[str]) -> str:
    """Return what git says; an empty text when it cannot be run, fails or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            *arguments,
            cwd=project,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            output, _ = await process.communicate()
    except TimeoutError:
        return ""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output.decode("utf-8", "replace")


def parsed(status: str) -> str:
    """Return branch and mark from `git status --porcelain=v2 --branch`."""
    name, changed = "", ""
    for line in status.splitlines():
        if line.startswith("# branch.head "):
            name = line.removeprefix("# branch.head ")
        elif not line.startswith("#"):
            changed = "*"
    return f"{name}{changed}" if name else ""
