"""Commands that only read, in a project on a disk with links: `reading_on_disk.toml`."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hooks.permission.judge import Permission
from tests.support.calls import bash_call

TABLE = Path(__file__).with_name("reading_on_disk.toml")
GROUPS: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["group"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project that the table is about."""
    root, outside = Path(os.path.realpath(tmp_path)) / "proj", tmp_path / "out"
    for folder in (outside, root / "src", root / "sub", root / "l"):
        folder.mkdir(parents=True)
    for file in (outside / "x", root / "a.txt", root / "src" / "a.txt", root / "l" / "x"):
        file.write_text("a\n")
    (root / "t").symlink_to(outside / "x")
    (root / "in").symlink_to(root / "src")
    for link in (root / "src" / "n", root / "sub" / "l", root / "-l"):
        link.symlink_to(outside)
    return root


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: str(group["name"]))
def test_only_what_reads_in_the_project_runs_unasked(project: Path, group: dict[str, Any]) -> None:
    """Without any rule: what may write, run, or read outside the project is asked about; the rest is not."""
    judge = Permission(home=project.parent / "home", project=project).judge
    rows = [(decision, command) for decision in ("allow", "ask") for command in group.get(decision, ())]
    decided = [(judge(bash_call(command, cwd=str(project))).decision, command) for _, command in rows]
    assert decided == rows
