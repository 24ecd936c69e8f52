"""The walk itself: bounds, and git's own verdict on what is ignored."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.glob_pattern import parse
from tools.glob_walk import Found, Limits, Walk
from tools.ignore import IgnoreRules, rules_for


def walk(root: Path, pattern: str, *, max_entries: int = 1_000, is_stopped: bool = False) -> Found:
    limits = Limits(
        roots=(root,), wants_folders=False, max_entries=max_entries, is_stopped=lambda: is_stopped
    )
    return Walk(limits).run(root, parse(pattern), rules=rules_for(root, project=root))


def found(root: Path, pattern: str) -> set[str]:
    return {os.path.relpath(path, root) for path in walk(root, pattern).matches}


def test_walk_is_bounded(tmp_path: Path) -> None:
    """Past the most entries, or when stopped, the walk ends and says that it is not complete."""
    for number in range(20):
        (tmp_path / f"{number}" / "x").mkdir(parents=True)
    assert walk(tmp_path, "**").is_complete
    assert not walk(tmp_path, "**", max_entries=25).is_complete
    assert not walk(tmp_path, "**", is_stopped=True).is_complete


def test_unreadable_folders_are_counted(tmp_path: Path) -> None:
    """A folder that cannot be listed (here: its path is too long for the system) does not end the walk."""
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(25):
            Path("d" * 200).mkdir()
            os.chdir("d" * 200)
    finally:
        os.chdir(here)
    (tmp_path / "a").write_text("x")
    result = walk(tmp_path, "**")
    assert (list(result.matches), result.unreadable) == ([str(tmp_path / "a")], 1)


def test_rules_nest_and_negate(tmp_path: Path) -> None:
    """Deeper files win, `!` brings back, info/exclude counts, broken lines are skipped, parents count."""
    files = ["a.log", "keep.log", "sub/b.log", "sub/c.tmp", "sub/deep/d.tmp", "ex.cluded", "[z.txt"]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".git/info/exclude").write_text("*.cluded\n")
    (tmp_path / ".gitignore").write_bytes(b"*.log\n!keep.log\n[z-a]\n!\n\\\n\xff\n")
    (tmp_path / "sub/.gitignore").write_text("*.tmp\n!b.log\n")
    visible = {"keep.log", "sub/b.log", "[z.txt", ".gitignore", "sub/.gitignore"}
    assert found(tmp_path, "**") == visible
    assert {Path(path).name for path in walk(tmp_path / "sub", "**").matches} == {
        "b.log",
        ".gitignore",
    }


def test_outside_of_a_repository(tmp_path: Path) -> None:
    """Without a repository the project's own rules hold below it, and outside it only those of the folder."""
    (tmp_path / "p/sub").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / "p/.gitignore").write_text("*.log\n")
    rules = rules_for(tmp_path / "p/sub", project=tmp_path / "p")
    assert rules.ignores(str(tmp_path / "p/sub/a.log"), is_folder=False)
    assert not rules.ignores(str(tmp_path / "p/sub/a"), is_folder=False)
    assert not rules_for(tmp_path / "p", project=tmp_path / "q").ignores(
        str(tmp_path / "p/a"), is_folder=False
    )
    assert not IgnoreRules().turned_off().enter(str(tmp_path)).ignores(str(tmp_path / "x"), is_folder=False)


names = st.sampled_from(["a", "b", "c.log", "d.tmp", "build"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
rule = st.builds(
    lambda negation, head, body, tail: negation + head + body + tail,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.sampled_from(
        [
            "a",
            "b",
            "*.log",
            "d.*",
            "build",
            "a/b",
            "a/*",
            "a/**",
            "a/**/",
            "**/a/**",
            "/**",
            "*",
            "[ab]",
            "a/**/b",
        ]
    ),
    st.sampled_from(["", "", "/"]),
)


@pytest.mark.timeout(180)
@settings(max_examples=40, deadline=None)
@given(
    files=st.sets(paths, min_size=1, max_size=8),
    rules=st.lists(rule, max_size=4),
    nested=st.lists(rule, max_size=2),
)
def test_ignored_is_what_git_ignores(files: set[str], rules: list[str], nested: list[str]) -> None:
    """For any rules in two nested files, `**` lists what `git ls-files --others --exclude-standard` lists."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        for name in files:
            if (
                not any((root / parent).is_file() for parent in Path(name).parents)
                and not (root / name).exists()
            ):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("x")
        (root / ".gitignore").write_text("\n".join(rules))
        if (root / "a").is_dir():
            (root / "a/.gitignore").write_text("\n".join(nested))
        command = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
        assert found(root, "**") == {name for name in listed.split("\0") if name}
