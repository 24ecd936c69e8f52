"""Commands that would change what is protected are asked about in every mode, and by every rule."""

import os
from pathlib import Path

import pytest

from hooks.permission.judge import Permission
from hooks.permission.rules import PermissionRules
from tests.support.calls import bash_call, judge_bash

ASKED = r"""
echo x > .git/hooks/pre-commit
echo x >> .git/config
echo x >| .git/config
echo x &> .git/config
echo x > '.agent'/settings.json
echo x > sub/../.agent/settings.json
echo x > $X/./.git/hooks/y
cp x a/./.git/hooks/y
echo x > .GIT/hooks/pre-commit
echo x > ~/.bashrc
echo x > $HOME/.ssh/authorized_keys
echo x > "$X/.git/hooks/pre-commit"
echo x > /etc/profile
echo x | tee a .git/hooks/pre-commit
echo x | sudo tee /etc/sudoers
cp x .git/hooks/post-merge
cp x .git/hooks
cp -t .git/hooks x
cp --target-directory=.git/hooks x
cp .bashrc ~
cp sub/.envrc .
mv x .vscode/tasks.json
mv .git/config x
ln -sf x .git/hooks/post-merge
install -m 755 x .git/hooks/pre-push
rsync -a x .git/hooks/
dd if=x of=.git/hooks/pre-push
git config core.fsmonitor ./x
git config --global alias.st '!x'
git -C sub config set core.hooksPath x
git config --add include.path ../x
git config filter.x.clean x
git config "$X" x
sed -i s/a/b/ .agent/settings.json
sed --in-place=.bak s/a/b/ .git/config
sed -ni s/a/b/ .git/config
perl -pi -e s/a/b/ .git/config
truncate -s 0 .git/config
touch .git/hooks/x
chmod +x .git/hooks/x
rm .git/config
rm -rf .git
curl -o .git/hooks/x http://a
curl -sSo .git/hooks/x http://a
curl -o.git/hooks/x http://a
curl --output=.git/hooks/x http://a
wget -O .git/hooks/x http://a
wget -P .git/hooks http://a
sort a -o .npmrc
tar xf a -C .git/hooks
unzip a -d .git/hooks
find . -fprint .git/config
xxd -r a .git/config
uniq a .git/config
cd .git && echo x > config
cd sub; echo x > ../.git/config
cd "$X" && echo x > .git/config
cd $X; echo x > .envrc
true && (echo x > .git/config)
bash -c 'echo x > .git/config'
echo $(echo x > .git/config)
find . -exec cp {} .git/hooks \;
nohup cp x .git/hooks/y
xargs cp -t .git/hooks
{ echo a; } > .git/config
""".strip().split("\n")
NOT_ASKED = r"""
echo x > a
echo x > .gitignore
echo x > git/config
cat .git/config
git config user.name "A B"
git config --get core.editor
git config alias.st
git config color.ui always
cat < .git/config
cp .git/config /tmp/x
grep x .git/config > a
cp .bashrc sub/bashrc
echo '> .git/config'
git commit -m '> .git/config'
sed s/a/b/ .git/config
sed -n 1p .git/config
ls .git > a
mv a b
rm -rf build *
rm -rf *
cd "$X" && rm -rf *
tee a
echo x 2>/dev/null
curl -s http://a
""".strip().split("\n")


@pytest.mark.parametrize("command", ASKED)
def test_a_write_to_what_is_protected_is_asked_about_in_every_mode(command: str) -> None:
    """Redirections, copies, moves, links, changes in place and downloads: no mode and no rule silences it."""
    for mode in ("ask", "accept-edits", "bypass"):
        verdict = judge_bash(command, mode, allow=("bash", f"bash({command})"))
        assert (verdict.decision, verdict.is_firm) == ("ask", True)
        assert "asked about" in verdict.reason


@pytest.mark.parametrize("command", NOT_ASKED)
def test_what_reads_or_writes_elsewhere_alarms_nobody(command: str) -> None:
    """Where the mode lets everything pass, reading what is protected and writing other files passes."""
    assert judge_bash(command, "bypass").decision == "allow"


def test_links_and_patterns_lead_to_what_is_protected(tmp_path: Path) -> None:
    """The file that would be written counts, by whatever name."""
    project = Path(os.path.realpath(tmp_path)) / "proj"
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / ".git" / "hooks" / "pre-commit").touch()
    (project / "hooks").symlink_to(".git/hooks")
    (project / "config").symlink_to(".git/config")
    judge = Permission("bypass", PermissionRules(), home=tmp_path / "home", project=project)

    def decided(command: str) -> str:
        return judge.judge(bash_call(command, cwd=str(project))).decision

    asked = (
        "echo x > hooks/y",
        "echo x > config",
        "cp x hooks",
        "rm -rf .g*",
        "cp x hook?",
        "tee < a h*/pre-commit",
    )
    assert [decided(command) for command in asked] == ["ask"] * len(asked)
    assert [decided(command) for command in ("rm -rf *x", "echo x > hook", "rm -rf sub/*")] == ["allow"] * 3


@pytest.mark.parametrize("command", ["echo x > /*/*/*/*/*/x", "echo x > \ud800", "rm a\ud800*"])
def test_what_cannot_be_looked_up_is_asked_about(command: str) -> None:
    """Patterns all over the disk and names that are no text: a question, in every mode."""
    assert judge_bash(command, "bypass").decision == "ask"


def test_a_project_in_a_protected_folder_can_be_worked_in(tmp_path: Path) -> None:
    """Only what lies below the project counts in it."""
    project = Path(os.path.realpath(tmp_path)) / ".git" / "tree"
    project.mkdir(parents=True)
    judge = Permission("bypass", PermissionRules(), home=tmp_path / "home", project=project)
    assert judge.judge(bash_call("echo x > a", cwd=str(project))).decision == "allow"
    assert judge.judge(bash_call("echo x > .git/a", cwd=str(project))).decision == "ask"
    assert judge.judge(bash_call("echo x > ../config", cwd=str(project))).decision == "ask"
