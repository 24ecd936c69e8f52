"""Where a skill comes from, as a person is told of it."""

from collections.abc import Mapping
from pathlib import Path

from agent.terminal.figures import short_path
from skills.discover import BUILTIN


def place(path: Path, *, project: Path, env: Mapping[str, str]) -> str:
    """Return where something lies, as short as can be: `built in`, `.claude/skills`, `~/.agent/skills`."""
    if path.is_relative_to(BUILTIN):
        return "built in"
    return str(path.relative_to(project)) if path.is_relative_to(project) else short_path(path, env)
