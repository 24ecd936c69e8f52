"""Chains, substitutions and wrappers under allow rules: each simple command needs its own."""

import pytest

from tests.support.calls import judge_bash

RULES = (
    *("bash(make:*)", "bash(git commit:*)", "bash(npm run test:*)", "bash(./run.sh:*)", "bash(pytest -q)"),
    *("bash(find:*)", "bash(env:*)", "bash(sudo:*)", "bash(xargs:*)", "bash(xargs wc:*)", "bash(bash:*)"),
    *(
        "bash(python:*)",
        "bash(perl:*)",
        "bash(awk:*)",
        "bash(sed:*)",
        "bash(git:*)",
        "bash(timeout 5 cargo:*)",
    ),
    *("bash(export:*)", "bash(declare:*)", "bash(read:*)", "bash(printf:*)", "bash(eval:*)", "bash(alias:*)"),
    *("bash(trap:*)", "bash(unset:*)", "bash(cd:*)", "bash(strace:*)", "bash(test:*)", "bash(source:*)"),
)
ALLOWED = r"""
make && make test | make
make; git commit -m "a && b; c | d"
git commit -m "$(cat a)"
pytest -q && make
make $X ${Y:-z} *.c
make 2>&1 | tail -5
make > /dev/null 2>&1
if make; then make test; fi
for t in a b; do make $t; done
f() { make "$1"; }; f a
x=$(make) && make
timeout 5 make
nice -n 5 make
env make
command make
exec make
time make
nohup make
NO_COLOR=1 make
env NO_COLOR=1 make
timeout 5 cargo build
echo a | xargs wc -l
bash run.sh
bash -c 'make && make test'
find . -name a -exec make {} \;
python x.py
awk '{print $1}' a
sed s/a/b/ a
git push
""".strip().split("\n")
ASKED = (
    r"""
make && touch a
make | tee a
make > a
make < /etc/passwd
pytest -q -x && make
make$X
m{a,a}ke
$make
"$X" make
make $(touch a)
FOO=1 make
PATH=. make
LD_PRELOAD=x make
MAKE=x; make
env FOO=1 make
env -C / make
env -S 'touch a'
env -i touch a
sudo make
timeout 5 touch a
timeout --signal=9 5 make
xargs touch
xargs -I{} touch {}
echo x | xargs -a f make
find . -exec touch a \;
find . -ok touch a \;
bash -c 'touch a'
bash -c "$X"
bash -c "make $X"
echo touch a | bash
bash < a.sh
bash <<< 'touch a'
bash <(echo touch a)
python -c 'x'
python3.11 -c 'x'
perl -e 'x'
perl -ne 'x'
awk 'BEGIN{system("touch a")}'
awk '{print > "a"}'
sed 's/a/b/e' a
sed '1e touch a' a
sed 'w b' a
git -c core.pager=x log
git commit --exec=x
git bisect run make
git submodule foreach make
eval make
alias make='touch a'
trap 'touch a' EXIT
trap make EXIT
strace make
source a
. ./a
export PATH=.
export "PATH=."
export FOO=1
declare -x IFS=x
declare -i 'b=a[$(touch c)0]'
declare -n r=x
declare 'a[$(touch b)0]=1'
read PATH
read 'a[$(touch b)]'
printf -v PATH x
printf -v 'a[$(touch b)0]' x
test -v 'a[$(touch b)]'
wait -p x
cd src && ./run.sh
cd .. && cat a
f() { touch a; }; f
f() { "$@"; }; f touch a
(f() { make; }); f
false && f() { make; }; f
f() { make; } & f
g() { make; }; env g
g() { make; }; unset -f g; g
case a in b) g() { make; };; esac; g
g() { make; }; find . -exec g \;
make >&a
make >&٣
coproc touch a
""".strip()
    .replace("\\u0663", "\u0663")
    .split("\n")
)


@pytest.mark.parametrize("command", ALLOWED)
def test_a_chain_of_allowed_commands_is_allowed(command: str) -> None:
    """Every simple command has its rule or only reads, wherever it stands; wrappers that only pass on need none."""
    verdict = judge_bash(command, allow=RULES)
    assert (verdict.decision, verdict.reason) == ("allow", "")


@pytest.mark.parametrize("command", ASKED)
def test_what_no_rule_names_is_asked_about(command: str) -> None:
    """A rule for a program covers neither what it is told to run nor what would change what runs; one line says why."""
    verdict = judge_bash(command, allow=RULES)
    assert verdict.decision == "ask"
    assert verdict.reason
    assert len(verdict.reason.splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("make && touch a", "no rule allows `touch a`"),
        ("touch a", "no rule allows this command"),
        ("make > a", "it writes `a`"),
        ("cat /etc/hosts", "`/etc/hosts` may lie outside the project"),
        ('make && cat "$X"', "`$X` is known only when it runs"),
        ("ls [a-z]", "`[a-z]` is known only when it runs"),
        ("PATH=. make", "it sets `PATH`"),
        ("$X", "`$X` is known only when it runs"),
        ("echo 'a", "the command cannot be read: it does not follow the shell's grammar"),
    ],
)
def test_the_question_says_why(command: str, reason: str) -> None:
    """It names the part of the command that nothing allows."""
    assert judge_bash(command, allow=RULES).reason == reason


OFFERED = {
    "pytest -q && ls": "bash(pytest:*)",
    "npm test 2>&1 | tail -5": "bash(npm test:*)",
    "make && cargo build && cargo build -r": "bash(cargo build:*)",
    "cargo build && pytest": "bash(cargo build && pytest)",
    "rm x && ls": "bash(rm x && ls)",
    "cargo build > a": "bash(cargo build > a)",
    "make && cat /etc/hosts": "bash(make && cat /etc/hosts)",
    "for x in a b; do cargo build $x; done": "bash(cargo build:*)",
}


@pytest.mark.parametrize("command", OFFERED)
def test_the_rule_for_the_missing_part_is_offered(command: str) -> None:
    """If one rule more would allow the whole, it is that one; else the exact command. Read back, it answers."""
    verdict = judge_bash(command, allow=("bash(make:*)",))
    assert verdict.rule_to_add == OFFERED[command]
    assert judge_bash(command, allow=("bash(make:*)", verdict.rule_to_add)).decision == "allow"


def test_a_rule_that_names_the_wrapped_program_covers_it() -> None:
    """`xargs wc` is allowed with all that it gets; `xargs` alone allows nothing that it runs."""
    assert judge_bash("ls | xargs touch", allow=("bash(xargs touch:*)",)).decision == "allow"
    assert judge_bash("ls | xargs touch", allow=("bash(touch:*)",)).decision == "allow"
    assert judge_bash("ls | xargs touch", allow=("bash(xargs:*)",)).decision == "ask"
    assert judge_bash("ls | xargs touch", allow=("bash(touch)",)).decision == "ask"
