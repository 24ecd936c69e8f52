"""What is protected, by its name and its place."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.permission.protected import Protection, project_of

HOME = "/home/me"
PROJECT = f"{HOME}/proj"
PROTECTION = Protection(homes=(HOME,), more=("/elsewhere/agent", "/srv/hooks"))

IN_PROJECT = (
    ".git .git/config .git/hooks/pre-commit sub/.git/config .GIT/hooks/x .gitmodules .githooks/x .husky/pre-commit "
    ".agent .agent/settings.json .Agent/x .claude/settings.json .claude/settings.local.json .claude/hooks/a.sh "
    ".claude/agents/a.md .mcp.json sub/.mcp.json .transcripts/a.jsonl .task_outputs/x .envrc deep/er/.envrc "
    ".vscode/tasks.json .vscode .idea/workspace.xml .devcontainer/devcontainer.json .npmrc .yarnrc.yml .pypirc "
    ".cargo/config.toml .pdbrc .Rprofile .gdbinit .exrc .dir-locals.el .bashrc dotfiles/.zshrc .ssh/config .netrc"
)
ELSEWHERE = (
    f"{HOME}/.bashrc {HOME}/.profile {HOME}/.zshrc {HOME}/.bash_profile {HOME}/.ssh/authorized_keys {HOME}/.gitconfig "
    f"{HOME}/.config/git/config {HOME}/.config/fish/config.fish {HOME}/.config/systemd/user/x.service "
    f"{HOME}/.config/autostart/x.desktop {HOME}/bin/ls {HOME}/.local/bin/git {HOME}/.agent/settings.json "
    f"{HOME}/.claude/settings.json {HOME}/Library/LaunchAgents/x.plist {HOME}/.vim/plugin/x.vim "
    "/etc/cron.d/x /etc/crontab /var/spool/cron/crontabs/me /etc/profile /etc/profile.d/x.sh /etc/sudoers.d/x "
    "/etc/ld.so.preload /etc/systemd/system/x /etc/gitconfig /other/.git/hooks/x /other/.bashrc "
    "/elsewhere/agent/settings.json /srv/hooks/pre-push /srv/hooks"
)
FREE = (
    "a .gitignore .gitattributes .github/workflows/ci.yml git/config agent/x .claude/CLAUDE.md .claude/skills/a/SKILL.md "
    "CLAUDE.md config.toml .config/fish/x bin/run .env .agents/skills/x bashrc cargo/config.toml .git-blame-ignore-revs"
)


@pytest.mark.parametrize("shown", IN_PROJECT.split())
def test_in_the_project(shown: str) -> None:
    """What runs programs by itself or decides what the agent may do, at any depth, whatever the case."""
    assert PROTECTION.why(f"{PROJECT}/{shown}", project=PROJECT)


@pytest.mark.parametrize("path", ELSEWHERE.split())
def test_outside_the_project(path: str) -> None:
    """Start-up files, units, cron, keys, and what the caller adds; also when the project does not hold them."""
    assert PROTECTION.why(path)
    assert PROTECTION.why(path, project=PROJECT)


@pytest.mark.parametrize("shown", FREE.split())
def test_everything_else_is_free(shown: str) -> None:
    """Names that only look alike, and files that are read as text, are not protected."""
    assert not PROTECTION.why(f"{PROJECT}/{shown}", project=PROJECT)


@pytest.mark.parametrize(
    "name",
    [
        ".GIT",
        ".g\u200cit",
        ".git\ufeff",
        ".git.",
        ".git ",
        ".git . .",
        "git~1",
        "GIT~1",
        ".git::$INDEX_ALLOCATION",
    ],
)
def test_the_same_folder_by_another_spelling(name: str) -> None:
    """What one disk or another takes for `.git` is protected as that."""
    assert PROTECTION.why(f"{PROJECT}/{name}/hooks/x", project=PROJECT)


@pytest.mark.parametrize(
    "project", ["/x/.git/wt", f"{HOME}/.config/fish", f"{HOME}/bin", f"{HOME}/.agent/skills/x"]
)
def test_a_project_in_a_protected_folder_can_be_worked_in(project: str) -> None:
    """Only what lies below the project is looked at; its own `.git` is protected all the same."""
    assert not PROTECTION.why(f"{project}/a.py", project=project)
    assert PROTECTION.why(f"{project}/.git/config", project=project)
    assert PROTECTION.why(f"{project}/a.py")


def test_home_itself_as_the_project() -> None:
    """There the start-up files are in the project, and stay protected, with the folders of programs."""
    for name in (".bashrc", ".config/fish/config.fish", "bin/x", ".agent/settings.json"):
        assert PROTECTION.why(f"{HOME}/{name}", project=HOME)
    assert not PROTECTION.why(f"{HOME}/notes.txt", project=HOME)


@given(
    st.lists(st.sampled_from(["a", "b", ".x", "src"]), max_size=4),
    st.sampled_from(IN_PROJECT.split()),
    st.lists(st.sampled_from(["c", "d"]), max_size=3),
)
def test_what_lies_below_or_above_makes_no_difference(above: list[str], name: str, below: list[str]) -> None:
    """A protected name is protected in every folder, and all that is in it; never its folder."""
    folder = "/".join([PROJECT, *above])
    assert PROTECTION.why("/".join([folder, name, *below]), project=PROJECT)
    assert not PROTECTION.why(folder, project=PROJECT)


def test_the_project_of_a_path() -> None:
    """What a path is shown relative to; the root folder and a path outside included."""
    assert project_of("/p/a/b", "a/b", is_inside=True) == "/p"
    assert project_of("/p", ".", is_inside=True) == "/p"
    assert project_of("/a", "a", is_inside=True) == "/"
    assert project_of("/a", "/a", is_inside=False) == ""


def test_a_name_that_is_gone_is_nobodys(tmp_path: Path) -> None:
    """A file that does not exist, or has one name only, is not another name of anything."""
    protection = Protection(homes=(str(tmp_path),))
    assert not protection.why_by_other_name(str(tmp_path / "none"), project=str(tmp_path))
    (tmp_path / "one").write_text("x")
    assert not protection.why_by_other_name(str(tmp_path / "one"), project=str(tmp_path))
    os.link(tmp_path / "one", tmp_path / ".profile")
    assert protection.why_by_other_name(str(tmp_path / "one"), project=str(tmp_path))


def test_all_names_can_be_shown() -> None:
    """Every name that is protected stands under its reason, those of the caller among them."""
    shown = [name for names in PROTECTION.names().values() for name in names]
    for name in (".git", "~/.config/systemd", "/etc/cron.d", "/srv/hooks", ".vscode"):
        assert name in shown
