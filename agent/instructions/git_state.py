"""What git tells of a project, for the context block."""

from pathlib import Path

from agent.git import ask_git
from agent.instructions.finding import git_root

MAX_GIT_CHARS = 2_000
GIT_TIMEOUT_S = 5.0


def git_state(project: Path) -> str:
    """Return branch, changed files and last commits as git tells them, or that there is no repository."""
    if git_root(project) is None:
        return "git: no repository"
    status = _git(project, "status", "--short", "--branch", "--ignore-submodules=dirty")
    commits = _git(project, "log", "--oneline", "-5")
    return f"git status:\n{status}\nlast commits:\n{commits or '(none)'}"


def _git(project: Path, *args: str) -> str:
    output = ask_git(project, args, timeout_s=GIT_TIMEOUT_S).strip()
    return output if len(output) <= MAX_GIT_CHARS else f"{output[:MAX_GIT_CHARS]}\n…"
