"""The git branch for the status bar, asked for in the background."""

import asyncio
from collections.abc import Callable
from pathlib import Path

INTERVAL_S = 5.0
TIMEOUT_S = 4.0
COMMAND = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--branch")


async def watch(project: Path, show: Callable[[str], None]) -> None:
    """Call ``show`` with `main` or `main*`, or an empty text, now and every few seconds; until cancelled."""
    while True:
        show(await branch(project))
        await asyncio.sleep(INTERVAL_S)


async def branch(project: Path) -> str:
    """Return the branch, with `*` when files are changed; empty outside of a repository."""
    try:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
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
    return parsed(output.decode("utf-8", "replace"))


def parsed(status: str) -> str:
    """Return branch and mark from `git status --porcelain=v2 --branch`."""
    name, changed = "", ""
    for line in status.splitlines():
        if line.startswith("# branch.head "):
            name = line.removeprefix("# branch.head ")
        elif not line.startswith("#"):
            changed = "*"
    return f"{name}{changed}" if name else ""
