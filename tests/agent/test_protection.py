"""What is protected where the agent's own folder or git's lie elsewhere."""

import subprocess
from pathlib import Path

from agent.protection import protected_places


def places(project: Path, root: Path) -> set[str]:
    """Return them, relative to ``root``."""
    found = protected_places(project, root / "agent-home", root / "user")
    return {str(Path(place).relative_to(root)) for place in found}


def git(*args: str, at: Path) -> None:
    """Run git."""
    subprocess.run(["git", "-C", str(at), *args], check=True, capture_output=True)


def test_the_hooks_of_git_wherever_they_lie(tmp_path: Path) -> None:
    """`core.hooksPath`, relative to the project, absolute or below the user's home, of the project and of the user."""
    root = tmp_path.resolve()
    project = root / "project"
    project.mkdir()
    (root / "user").mkdir()
    assert places(project, root) == {"agent-home"}
    git("init", "-q", at=project)
    git("config", "core.hooksPath", "build/hooks", at=project)
    (root / "user/.gitconfig").write_text('[core]\n\thooksPath = "~/my hooks" ; mine\n')
    assert places(project, root) == {"agent-home", "project/build/hooks", "user/my hooks"}


def test_agent_types_that_are_links(tmp_path: Path) -> None:
    """Types hold in every session: where the user's folders of them lie elsewhere, that place is meant."""
    root = tmp_path.resolve()
    for folder in ("project", "agent-home", "user", "dotfiles/types", "dotfiles/claude/agents"):
        (root / folder).mkdir(parents=True)
    (root / "agent-home/agents").symlink_to(root / "dotfiles/types")
    (root / "user/.claude").symlink_to(root / "dotfiles/claude")
    assert places(root / "project", root) == {"agent-home", "dotfiles/types", "dotfiles/claude/agents"}


def test_the_folder_of_git_elsewhere(tmp_path: Path) -> None:
    """A linked worktree and a repository kept apart: what git keeps there, and the hooks its configuration names."""
    root = tmp_path.resolve()
    project = root / "project"
    git("init", "-q", "--separate-git-dir", str(root / "kept"), str(project), at=root)
    git("config", "core.hooksPath", str(root / "hooks"), at=project)
    assert places(project, root) == {"agent-home", "kept", "hooks"}
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x", at=project)
    git("worktree", "add", "-q", str(root / "tree"), at=project)
    assert places(root / "tree", root) == {"agent-home", "kept/worktrees/tree", "hooks"}


def test_what_is_no_repository_is_none(tmp_path: Path) -> None:
    """A `.git` that says nothing, is a pipe or no text costs nothing."""
    root = tmp_path.resolve()
    (root / ".git").write_bytes(b"\xff\xfe nonsense")
    assert places(root, root) == {"agent-home"}
