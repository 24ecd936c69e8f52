"""The built-in list: what must not alarm anybody, and what is asked about in every mode."""

import pytest

from hooks.permission.rules import literal
from tests.support.calls import HOME, judge_bash

HARMLESS = r"""
rm -rf ./build
rm -rf build/
rm -rf build/*
rm -rf /tmp/x
rm -rf /tmp/*
rm -rf /home/me/other/x
rm -rf /home/me/.cache/*
rm -rf ~/.cache/pip
rm -rf ~/*.log
rm -rf ./~
rm -rf '~'
rm -rf "~"
rm -rf \~
rm -rf '$HOME'
rm -rf "\$HOME"
rm -rf $HOMEX
rm -rf "$HOME/x"
rm -rf /homework
rm -rf /\*
rm -rf "/*"
rm -rf *.pyc
rm -rf *
rm -f a b c
rm -- -rf
rm -rf $DIR
rm -rf node_modules && npm ci
cd / && rm -rf tmp/x
cd /tmp/x && rm -rf *
cd "$X" && rm -rf *
cd - && rm -rf *
echo 'rm -rf /'
echo "rm -rf /"
echo rm -rf /
echo 'a; rm -rf /'
echo "a && rm -rf /" > notes.txt
echo x # rm -rf /
# rm -rf /
grep -r 'rm -rf /' .
grep shutdown file
grep -rn "reboot" src
sudoku --help
git commit -m 'no more rm -rf /'
git commit -m "shutdown; reboot"
git log --grep=reboot
man mkfs
which reboot
command -v shutdown
command -V mkfs.ext4
type halt
npm run shutdown
./shutdown
bin/reboot
python shutdown.py
systemctl status shutdown.target
systemctl restart nginx
init 3
ls /dev/sda
cat /dev/sda
dd if=/dev/zero of=disk.img
dd if=/dev/sda of=/dev/null
dd if=x of=/dev/shm/x
dd if=x
echo x > /dev/null
echo x 2>/dev/null >/dev/stderr
echo x > /dev/shm/y
echo x > /dev/tty
cat < /dev/sda
f() { echo x | cat & }; f
f() { g | g & }; f
echo ':(){ :|:& };:'
echo ": ( ) { : | : & }"
find . -name '*.pyc' -delete
find / -name x -delete
find ~ -empty -delete
find build -delete
find . -print
find / -exec grep x {} +
bash script.sh
bash script.sh -c 'rm -rf /'
bash -c 'echo "rm -rf /"'
echo 'rm -rf /' | cat
echo 'echo x' | bash
bash --version
cat <<< 'rm -rf /'
python -c 'print("rm -rf /")'
eval echo x
env
env A=b
nohup make &
time
trap - EXIT
xargs -n 1 echo
find . -exec
case x in x) echo y;; esac
echo "unbalanced
echo $(unbalanced
echo `unbalanced
echo ${unbalanced
echo $'\q'
echo $'\x'
echo "cost: $5, $"
echo $"text"
cat <<
echo <(
""".strip().split("\n")

HARMLESS_LINES = (
    "cat <<EOF\nrm -rf /\nEOF",
    "cat <<'EOF' > x\n$(rm -rf /)\nEOF\n",
    'cat <<"EOF"\nreboot\nEOF\necho done',
    "cat <<-EOF\n\trm -rf /\n\tEOF\necho x",
    "cat <<EOF\nrm -rf /",
    "git commit -m 'x\nrm -rf /\n'",
    "cat <<'EOF' | grep x\n:(){ :|:& };:\nEOF",
)

ASKED = r"""
sudo ls
sudo -l
/usr/bin/sudo ls
doas ls
true && sudo ls
echo $(sudo ls)
bash -c 'sudo ls'
env A=b sudo ls
find . -exec sudo ls \;
rm -rf .transcripts
rm -rf ./.transcripts/
rm .transcripts/a.jsonl
rm -rf .task_outputs/*
rm -rf .t*
rm -rf .*
rm -rf sub/.task_outputs
rm -rf .
rm -rf $PWD
rm -rf /home/me/proj
rm -rf ~/proj
rmdir .transcripts
mv .transcripts /tmp/x
shred .transcripts/a
true; rm -rf .transcripts
cd .. && rm -rf proj/.transcripts
git clean -fdx
git clean -xdf
git clean -fX
git -C sub clean -d -x -f
git --git-dir x clean -fx
find .transcripts -delete
find . -delete
find -type f -delete
find ~/proj -exec rm -r {} +
find . -exec rm {} \;
""".strip().split("\n")

NOT_ASKED = r"""
mv a.txt .
mv a b
mv a
git clean -fd
git clean
git status -x
git commit -m clean -x
git
rm -rf transcripts
rm x.transcripts
find . -name .transcripts
find x -name '*.pyc' -delete
find x -delete
find . -maxdepth 1 -type f -delete
ls .transcripts
cat .task_outputs/x
echo sudo
echo 'sudo rm x'
grep sudo file
""".strip().split("\n")


@pytest.mark.parametrize("command", [*HARMLESS, *HARMLESS_LINES, *NOT_ASKED])
def test_harmless_command_alarms_nobody(command: str) -> None:
    """Text that is only shown or searched, and removals elsewhere, pass where the mode lets everything pass."""
    cwd = f"{HOME}/code/proj"
    assert judge_bash(command, "bypass", cwd=cwd).decision == "allow"


@pytest.mark.parametrize("command", ASKED)
def test_sudo_and_removal_of_the_memory_ask_in_every_mode(command: str) -> None:
    """Neither bypass nor an exact rule silences the question, and no rule is offered for it."""
    verdict = judge_bash(command, "bypass", allow=("bash", f"bash({literal(command)})"))
    assert (verdict.decision, verdict.is_firm, verdict.rule_to_add) == ("ask", True, "")
