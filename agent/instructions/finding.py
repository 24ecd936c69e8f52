"""Where instruction files lie: at the user's home, then from the git root down to the project."""

from pathlib import Path

INSTRUCTION_NAMES = ("AGENTS.md", "CLAUDE.md")
"""The first that exists in a folder is read."""


def instruction_files(project: Path, home: Path) -> list[Path]:
    """Return where instructions can be: the user's own first, the nearest to the project last."""
    root = git_root(project) or project
    folders = [folder for folder in (*reversed(project.parents), project) if is_at(folder, root)]
    found = [home / "AGENTS.md"]
    for folder in folders:
        found += [folder / name for name in INSTRUCTION_NAMES if (folder / name).is_file()][:1]
    return found


def git_root(folder: Path) -> Path | None:
    """Return the root of the working tree that holds ``folder``; None outside of one."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def is_at(folder: Path, root: Path) -> bool:
    """True for ``root`` and what lies below it."""
    return folder == root or root in folder.parents
