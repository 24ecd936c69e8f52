"""Where instruction files lie: at the user's home, then from the git root down to the project."""

from pathlib import Path

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md")
"""The first of a folder that says something is read: what other agents take as well."""
LOCAL_NAMES = ("AGENTS.local.md", "CLAUDE.local.md")
"""Of these as well, beside it: the user's own notes on a project, kept out of its repository."""

HOME_NAMES = ("AGENTS.md",)
"""Of the user's own folder of the program."""


def folders_of(project: Path, root: Path) -> list[Path]:
    """Return the folders from ``root`` down to the project."""
    return [folder for folder in (*reversed(project.parents), project) if is_at(folder, root)]


def git_root(folder: Path) -> Path | None:
    """Return the root of the working tree that holds ``folder``, a submodule's own in one; None outside of any."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def is_at(folder: Path, root: Path) -> bool:
    """True for ``root`` and what lies below it."""
    return folder == root or root in folder.parents
