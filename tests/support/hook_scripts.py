"""Hooks as tiny real programs, and the settings that name them."""

import shlex
import sys
from pathlib import Path
from typing import Any


def script(folder: Path, text: str, *, name: str = "hook.sh", mode: int = 0o755) -> str:
    """Write an executable ``text``, with bash where it names no other; return its path, quoted for a shell."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.startswith("#!") else f"#!/bin/bash\n{text}\n")
    path.chmod(mode)
    return shlex.quote(str(path))


def python(folder: Path, text: str, *, name: str = "hook.py") -> str:
    """Write a program in Python; return the command that runs it."""
    return script(folder, f"#!{sys.executable}\n{text}\n", name=name)


def settings(event: str, *commands: str, matcher: str = "", **handler: Any) -> dict[str, Any]:
    """Return `hooks` of a settings file: these commands at ``event``."""
    hooks = [{"type": "command", "command": command, **handler} for command in commands]
    return {event: [{"matcher": matcher, "hooks": hooks}]}
