"""Which folders below the project have instruction files that count."""

from pathlib import Path

import pytest

from agent.instructions.below import new_below, told_below


def made(project: Path, *names: str) -> None:
    """Make files of these names."""
    for name in names:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()


@pytest.mark.parametrize(
    ("shown", "folders"),
    [
        (["AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md"], []),
        (["a/AGENTS.md", "a/b/CLAUDE.local.md", "c/.claude/CLAUDE.md"], ["a", "a/b", "c"]),
        (["/above/AGENTS.md", "<sandbox>", "docs/more.md", "a/AGENTS.md.txt", "a/xAGENTS.md"], []),
    ],
)
def test_folders_are_known_by_what_was_told(tmp_path: Path, shown: list[str], folders: list[str]) -> None:
    """By the places of their files; the project's own and those above it are of no folder below it."""
    assert told_below(tmp_path, dict.fromkeys(shown, "")) == [tmp_path / folder for folder in folders]


def test_folders_on_the_way_to_a_file_count(tmp_path: Path) -> None:
    """All between the project and the file that have one and were not told, the outermost first."""
    made(tmp_path, "AGENTS.md", "a/AGENTS.md", "a/b/c/.claude/CLAUDE.md", "x/AGENTS.md")
    touched = [
        f"{tmp_path}/a/b/c/d.py",
        f"{tmp_path}/top.py",
        "/elsewhere/x/y.py",
        f"{tmp_path.parent}/x/y.py",
    ]
    assert new_below(tmp_path, {}, touched) == [tmp_path / "a", tmp_path / "a/b/c"]
    assert new_below(tmp_path, {"a/AGENTS.md": "1"}, touched) == [tmp_path / "a/b/c"]


@pytest.mark.parametrize(
    "folder", ["node_modules/thing", "lib/site-packages/thing", ".venv/thing", "a/.hidden/thing"]
)
def test_what_was_installed_is_not_of_the_project(tmp_path: Path, folder: str) -> None:
    """A package's notes for those who work on it are nothing for those who use it, and come from anybody."""
    made(tmp_path, f"{folder}/AGENTS.md")
    assert new_below(tmp_path, {}, [f"{tmp_path}/{folder}/index.js"]) == []
