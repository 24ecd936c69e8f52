"""The read-only list: what reads runs unasked in every mode, what writes or runs something does not."""

import re
from pathlib import Path

import pytest

from hooks.permission.judge import Mode, Permission
from hooks.permission.reads_only import listed
from tests.support.calls import bash_call, judge_bash

READS = r"""
ls
ls -la src
ls *.py src/*.py
cat a.txt 'b c.txt' /dev/null
head -20 a && tail -n +5 b
grep -rn 'a|b' src --include='*.py'
grep -e x --regexp=/y -f patterns a
rg -n --type py 'def \w+' src | head -5
find . -name '*.py' -not -path './.git/*' -type f -print
wc -l < a.txt
sort a | uniq -c | sort -rn
tail -n -5 a
grep -e --output= -e -x a
rg -e '->' src
xxd -c 8 -l 32 a
xxd -p a
tree -L 2 -I node_modules
printf '%s\n' *.py src/*
printf '%s %-5d %%\n' a 5
sed -n '10,20p' a
sed -n '/a/,/b/p;3p' a
sed 's/:.*//;s|[^a-z]||g' a
sed -E 's/(a)\/b/\1/g; 5q; /x/!d' a
awk -F: '/a/ {print $1, "b", $NF}' a
awk 'NR==1{print}' a
case a in a) ls;; b|c) pwd;; *) echo b;; esac
cat a; echo "exit $?"
git -C src status
git -C src --no-pager log -5
cut -d: -f1 a | tr a-z A-Z
git status --short && git diff --stat HEAD~1 -- src
git --no-pager log --oneline -5 --grep=/x
git show HEAD:src/a.py
git blame -L 1,5 a
git grep -n foo
git branch -a
git stash list
git config user.name
git rev-parse --abbrev-ref HEAD
echo --- "a b"
date +%F
jq -r .a p.json
[ -f a ] && test -d b
command -v ls
cd src && ls
(cd src; ls)
for f in a b; do cat a; done
if [ -f a ]; then cat a; else echo none; fi
x=$(git rev-parse HEAD)
LC_ALL=C sort a
timeout 5 git status
bash -c 'ls && cat a'
cat a 2>/dev/null 2>&1
cat <<EOF
""".strip().split("\n")

DOES_MORE = r"""
ls > x
cat a >> b
cat < /etc/passwd
cat /etc/passwd
cat ../x
ls ~
ls $X
cat {a,/etc/passwd}
cat src/../../x
cd / && ls
cd .. && cat x
cd src && cat ../../x
A=b ls
PATH=. ls
GIT_PAGER=x git log
x=1 ls
git -c core.pager=x log
git -C / status
git --git-dir=x log
git diff --output=x
git diff --ext-diff
git log --textconv
git diff --no-index a b
git grep -Ox a
git grep --open-files-in-pager=x a
git branch new
git tag new
git stash
git reflog expire x
git config user.name me
git config alias.x
git remote add a b
git remote show origin
git commit
rg --pre x a
rg --hostname-bin x a
rg -L a
rg --search-zip a
grep -R a .
grep --fil=/etc/passwd a
find . -exec ls {} +
find . -ok ls \;
find . -okdir ls \;
find . -execdir ls \;
find . -delete
find . -fprint x
find . -fprintf x a
find . -fls x
find -L . -name a
find / -name a
sort -o x a
sort --output=x a
sort --outp=x a
sort --compress-program=x a
sort -T /x a
tree -o x
tree -l
date -s 10:00
date 10100000
date -f /etc/x
xxd -r a
xxd a b
xxd -ps a b
xxd -cols a b
tree -Lo 1 b
tree -I2o x b
git diff -B --output=/etc/x
git diff -C --output=x
git log -1 --format=tformat:x -U --output=x
git log --format --output=x
git diff -X --output=x
git diff --unified --output=x
git show -l --output=x
read -d -p PATH
head -n --output=x a
printf 'a%n' PATH
printf '%5ln' PATH
printf * PATH
printf '%%%-hhn' PATH
uniq a b
uniq *
hostname x
sed -i s/a/b/ a
sed -n 'w x' a
sed -n '1e touch x' a
sed s/a/b/e a
sed 's/a/b/w x' a
sed 's/[/]/g;s/w x/y/' a
sed '/a/w x' a
sed 's/a/b/;w x' a
sed 's|a|b|w x' a
sed 'r /etc/passwd' a
awk '{print > "x"}' a
awk '{print | "x"}' a
awk '{print $1; system("x")}' a
awk '{print $(system("x"))}' a
awk -f x a
echo "$HOME"
echo $x
cat $?
cat $?/../../x
git -C / log
git -C .. log
git -C $X log
git -C src push
git -C src -c a=b log
awk -v a=b '{print}' a
tail -f a
printf -v PATH x
set -o allexport
set -a
jq 'env' a
jq -f /etc/x a
env
printenv
less a
man ls
awk 'BEGIN{system("x")}'
/bin/ls
./ls
ls | sh
ls | xargs cat
ls & make
echo $(make)
[ -v 'a[$(x)]' ]
[[ a -eq b ]]
while read PATH; do ls; done
command touch a
command -p touch a
command
for PATH in .; do ls; done
for x in 1 2; do cd src; done
f() { ls; }; cd src; f
""".strip().split("\n")


@pytest.mark.parametrize(
    "command", [text if text != "cat <<EOF" else "cat <<EOF\n$(ls)\nEOF" for text in READS]
)
@pytest.mark.parametrize("mode", ["ask", "plan"])
def test_what_only_reads_runs_unasked(command: str, mode: Mode) -> None:
    """No rule is needed, in the mode that only reads neither."""
    assert judge_bash(command, mode).decision == "allow"


@pytest.mark.parametrize("command", DOES_MORE)
def test_what_may_do_more_is_not_in_the_list(command: str) -> None:
    """Options that write, run or lead out, unknown variables, paths outside: asked about, and denied in plan mode."""
    assert judge_bash(command).decision == "ask"
    assert judge_bash(command, "plan").decision == "deny"


def test_deny_and_ask_rules_hold_for_what_reads() -> None:
    """The list is a default: a rule of the user's beats it."""
    assert judge_bash("git log", deny=("bash(git log:*)",)).decision == "deny"
    assert judge_bash("ls | cat", "plan", ask=("bash(cat:*)",)).decision == "ask"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a folder, links that lead out, and folders that git would take for repositories."""
    folder = tmp_path / "proj"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret").touch()
    (folder / "out").symlink_to(tmp_path / "out")
    (folder / "sub" / "key").symlink_to(tmp_path / "out" / "secret")
    (folder / "a.py").touch()
    (folder / "own" / ".git").mkdir(parents=True)
    for name in ("objects", "refs"):
        (folder / "bare" / name).mkdir(parents=True)
    (folder / "bare" / "HEAD").touch()
    return folder


LINKED = {
    "cat a.py": "allow",
    "cat *.py": "allow",
    "cat sub/../a.py": "allow",
    "cat out/secret": "ask",
    "cat sub/key": "ask",
    "cat sub/*": "ask",
    "cat o*/secret": "ask",
    "cat */*/*/a": "ask",
    "cd out && ls": "ask",
    "cd sub && cat key": "ask",
    "cd sub && cat ../a.py": "ask",
    "cd sub && git status": "allow",
    "cd own && git status": "ask",
    "cd bare && git log": "ask",
    "git -C bare log": "ask",
    "git -C sub log": "allow",
    "git -C out log": "ask",
    "git -C sub diff -- key": "ask",
    "cd {project}/sub && ls": "allow",
    "cat {project}/a.py": "allow",
    "cat {project}-x/a.py": "ask",
    "cat < sub/key": "ask",
}


@pytest.mark.parametrize("command", LINKED)
def test_links_and_patterns_are_followed(project: Path, command: str) -> None:
    """A path counts as what it leads to, a pattern as all that it matches, git as the repository it would take."""
    judge = Permission(project=project, home=project.parent)
    event = bash_call(command.format(project=project), cwd=str(project))
    assert judge.judge(event).decision == LINKED[command]


def test_a_file_that_reads_like_an_option_is_no_path(project: Path) -> None:
    """`sort *` in a folder with a file `-ox` would write."""
    (project / "-ox").touch()
    judge = Permission(project=project, home=project.parent)
    assert judge.judge(bash_call("sort *", cwd=str(project))).decision == "ask"
    assert judge.judge(bash_call("sort a*", cwd=str(project))).decision == "allow"


def test_outside_the_project_nothing_is_read_unasked(project: Path) -> None:
    """A shell that stands elsewhere is asked about, whatever it reads."""
    judge = Permission(project=project, home=project.parent)
    assert judge.judge(bash_call("ls", cwd=str(project.parent))).decision == "ask"
    assert judge.judge(bash_call("ls", cwd=str(project / "sub"))).decision == "allow"


def test_the_list_can_be_shown() -> None:
    """Each entry is a program or a subcommand, once."""
    names = listed()
    assert {"ls", "rg", "grep", "cat", "head", "tail", "wc", "find", "git status", "git log", "cd"} <= set(
        names
    )
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r":|[a-z0-9]+( [A-Za-z-]+){0,2}", name) for name in names)
