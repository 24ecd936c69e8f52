"""git as we ask it, on our own account: it reads, and runs nothing that a repository could have prepared.

A repository may come from anywhere, and a command in the sandbox may have written its settings: filters, file system
monitors, helpers to fetch and to check signatures are programs that git would run outside of every rule.
"""

import asyncio
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_PLAIN = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_FILTERS = ("config", "--show-scope", "--null", "--name-only", "--get-regexp", r"^filter\.")
_OF_REPOSITORY = ("local", "worktree")
"""Scopes: filters of the user's own settings, such as the one for large files, are his."""
_OFF = {"clean": "", "smudge": "", "process": "", "required": "false"}
_NAME = re.compile(r"filter\.(.+)\.[^.]+", re.DOTALL)
_NONE_FOUND = 1
"""What `git config` ends with where nothing fits."""
_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


def ask_git(project: Path, arguments: Sequence[str], *, timeout_s: float) -> str:
    """Return what git says in ``project``; an empty text when it cannot be run, takes too long, or is not to be trusted."""
    try:
        code, names = _run(project, _FILTERS, timeout_s)
        off = _without(code, names)
        return (
            "" if off is None else _run(project, [*off, *arguments], timeout_s)[1].decode("utf-8", "replace")
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""


async def ask_git_soon(project: Path, arguments: Sequence[str], *, timeout_s: float) -> str:
    """Return the same, without holding anybody up; cancelled, git is ended."""
    try:
        async with asyncio.timeout(timeout_s):
            off = _without(*await _output(project, _FILTERS))
            return (
                ""
                if off is None
                else (await _output(project, [*off, *arguments]))[1].decode("utf-8", "replace")
            )
    except (OSError, ValueError, TimeoutError):
        return ""


def _without(code: int, listed: bytes) -> list[str] | None:
    """Return the options that take the repository's filters away; None where that cannot be done."""
    if code not in (0, _NONE_FOUND):
        return None
    words = listed.decode("utf-8", "surrogateescape").split("\0")
    keys = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope in _OF_REPOSITORY]
    found = {match[1] for key in keys if (match := _NAME.fullmatch(key))}
    if any("=" in name for name in found):  # an option for it would be read as one for another
        return None
    return [
        word
        for name in sorted(found)
        for key, off in _OFF.items()
        for word in ("-c", f"filter.{name}.{key}={off}")
    ]


def _environment() -> Mapping[str, str]:
    return {**os.environ, **_ENVIRONMENT}


def _run(project: Path, arguments: Sequence[str], timeout_s: float) -> tuple[int, bytes]:
    done = subprocess.run(
        [*_PLAIN, *arguments],
        cwd=project,
        env=_environment(),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout_s,
        check=False,
    )
    return done.returncode, done.stdout


async def _output(project: Path, arguments: Sequence[str]) -> tuple[int, bytes]:
    process = await asyncio.create_subprocess_exec(
        *_PLAIN,
        *arguments,
        cwd=project,
        env=_environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output
