"""The built-in list: what no mode and no rule lets through."""

import pytest

from hooks.permission.rules import literal
from tests.support.calls import HOME, judge_bash

REMOVALS = r"""
rm -rf /
rm -fr /
rm -r -f /
rm -f -r /
rm --recursive --force /
rm -rf -- /
rm -rfv /
rm -R /
rm -rf //
rm -rf /.
rm -rf /./
rm -rf /../
rm -rf /tmp/..
rm -rf /*
rm -rf /.*
rm -rf /?*
rm -rf "/"
rm -rf '/'
rm -rf "/"*
rm -rf \/
rm -rf /{bin,*}
rm -rf {/,x}
rm -rf /[a-z]*
rm -rf x /
rm -rf / x
rm / -rf
rm --no-preserve-root -rf /
rm -rf --no-preserve-root x
rm -rf /h*
rm -rf /home
rm -rf /home/
rm -rf /home/*
rm -rf /home/me
rm -rf /home/me/
rm -rf /home/me/*
rm -rf /home/me/.*
rm -rf /home/me/.[!.]*
rm -rf /home/me/proj/..
rm -rf /*/me
rm -rf ..
rm -rf ../
rm -rf ../..
rm -rf ../*
rm -rf ~
rm -rf ~/
rm -rf ~/*
rm -rf ~/.
rm -rf ~/..
rm -rf ~me
rm -rf ~root
rm -rf $HOME
rm -rf ${HOME}
rm -rf ${HOME:?}
rm -rf "$HOME"
rm -rf "${HOME}"/
rm -rf "$HOME/"*
rm -rf $HOME/proj/../
rm -rf {~,/x}
rm -rf $'/'
rm -rf $'\x2f'
\rm -rf /
'rm' -rf /
r"m" -rf /
$'\x72m' -rf /
$'\162m' -rf /
$'rm' -rf $'\U0000002f'
env -- rm -rf /
flock x rm -rf /
flock -c 'rm -rf /' x
chroot /mnt rm -rf /
/bin/rm -rf /
/usr/bin/rm -rf ~
../../../bin/rm -rf /
sudo rm -rf /
sudo -u root rm -rf /
sudo --user root rm -rf /
sudo -nu root rm -rf /
sudo -E A=b rm -rf /
doas rm -rf /
env rm -rf /
env -i A=b rm -rf /
env -u A rm -rf /
env - rm -rf /
env -S 'rm -rf /'
command rm -rf /
command -p rm -rf /
builtin command rm -rf /
exec rm -rf /
exec -a x rm -rf /
nohup rm -rf /
time rm -rf /
time -p rm -rf /
nice -n 10 rm -rf /
nice rm -rf /
ionice -c 3 rm -rf /
timeout 5 rm -rf /
timeout -s KILL 5s rm -rf /
timeout --signal=KILL 5 rm -rf /
setsid rm -rf /
stdbuf -oL rm -rf /
busybox rm -rf /
xargs rm -rf /
xargs -n 1 rm -rf /
sudo env A=1 nice time rm -rf /
A=b rm -rf /
A=b B=c rm -rf /
>x rm -rf /
2>/dev/null rm -rf /
rm -rf / 2>/dev/null
rm -rf / >/dev/null 2>&1 &
true && rm -rf /
true; rm -rf /
true | rm -rf /
false || rm -rf /
true & rm -rf /
(rm -rf /)
( cd x; rm -rf / )
{ rm -rf /; }
if true; then rm -rf /; fi
if rm -rf /; then :; fi
while true; do rm -rf /; done
for x in 1; do rm -rf /; done
case x in x) rm -rf /;; esac
! rm -rf /
f() { rm -rf /; }; f
function f { rm -rf /; }; f
coproc X { rm -rf /; }
echo $(rm -rf /)
echo "$(rm -rf /)"
echo "a $(echo "$(rm -rf /)")"
echo `rm -rf /`
echo `echo \`rm -rf /\``
echo ${x:-$(rm -rf /)}
echo ${x:-$(a (b) 'c\' "d\" `e` ${f} $g) $(rm -rf /)}
echo "${x:=`rm -rf /`}"
echo "$('case')"; rm -rf /
echo "$(echo case)"; rm -rf /
echo "$(case x in a) b;; c) d;; esac)"; rm -rf /
cat <(rm -rf /)
tee >(rm -rf /)
x=$(rm -rf /)
bash -c 'rm -rf /'
bash -lc "rm -rf /"
sh -ec 'true; rm -rf /'
bash -o pipefail -c 'rm -rf /'
bash -c 'bash -c "rm -rf /"'
/bin/bash -c 'rm -rf /'
sudo sh -c 'rm -rf /'
su -c 'rm -rf /'
su root -c'rm -rf /'
eval rm -rf /
eval 'rm -rf /'
eval "rm -rf" /
trap 'rm -rf /' EXIT
watch -n 1 'rm -rf /'
bash <<< 'rm -rf /'
echo 'rm -rf /' | sh
echo 'rm -rf /' | sudo bash -s
printf 'rm -rf /' | tee x | bash
find / -delete
find ~ -delete
find / -type f -delete
find . -exec rm -rf / \;
find / -exec rm -rf {} +
find . -name x -exec sudo rm -rf / \; -print
cd / && rm -rf *
cd / && rm -rf .
cd; rm -rf *
cd ~ && rm -rf ./*
cd .. && rm -rf *
cd -P .. ; rm -rf -- *
cd /home && rm -rf me
pushd / ; rm -rf *
rm -rf "$PWD/.."
rm -rf ~+/..
""".strip().split("\n")

OTHERS = r"""
mkfs /dev/sda1
mkfs.ext4 /dev/sda1
mkfs.xfs -f disk.img
/sbin/mkfs.ext4 /dev/sda1
sudo mkfs.ext4 /dev/sda1
true && mkfs -t ext4 /dev/sda
dd if=/dev/zero of=/dev/sda
dd of=/dev/nvme0n1 if=x bs=1M
dd if=x of=/dev/../dev/sda
dd if=x "of=/dev/disk2"
sudo dd if=x of=/dev/mapper/root
nohup dd if=x of=/dev/ttyUSB0
cat x > /dev/sda
cat x >/dev/sda1
cat x >> /dev/nvme0n1p1
echo x 1>/dev/vda
echo x &>/dev/sdb
echo x >| /dev/sda
echo x <> /dev/mmcblk0
> /dev/sda
> "/dev/sda"
sudo cat x > /dev/disk/by-id/x
shutdown
shutdown -h now
/sbin/shutdown now
sudo shutdown -r now
reboot
halt -p
poweroff
true; reboot
systemctl reboot
systemctl -q poweroff
sudo systemctl --no-wall halt
init 0
telinit 6
bash -c 'sleep 1; reboot'
echo x | xargs reboot
if true; then poweroff; fi
:(){ :|:& };:
:(){ :|:&};:
:() { : | : & }; :
bomb() { bomb | bomb & }; bomb
bomb() { echo x; bomb | bomb & }; bomb
b(){ b|b& };b
function bomb { bomb|bomb& }; bomb
f() ( f | f & ); f
bash -c ':(){ :|:& };:'
true && :(){ :|:& };:
echo $(:(){ :|:& };:)
""".strip().split("\n")

DENIED_LINES = (
    "true\nrm -rf /",
    "rm \\\n-rf \\\n/",
    "echo a \\\n; rm -rf /",
    "cat <<EOF\n$(rm -rf /)\nEOF",
    "cat <<-EOF\n\t`rm -rf /`\n\tEOF\n",
    "cat <<EOF\nx\nEOF\nrm -rf /",
    "bash <<EOF\nrm -rf /\nEOF",
    "bash -s x <<'EOF'\nrm -rf /\nEOF",
    "cat <<EOF | sh\nrm -rf /\nEOF",
    "cat <<A <<B\nx\nA\ny\nB\nrm -rf ~",
    "echo x # '\nrm -rf /",
    "echo \"$(cat <<'EOF'\nIt's\nEOF\n)\"; rm -rf /",
)


@pytest.mark.parametrize("command", [*REMOVALS, *OTHERS, *DENIED_LINES])
def test_forbidden_command_is_denied_in_bypass_and_with_every_rule(command: str) -> None:
    """No mode and no rule lets through what the built-in list forbids."""
    verdict = judge_bash(command, "bypass", allow=("bash", "*", f"bash({literal(command)})"))
    assert verdict.decision == "deny"
    assert verdict.reason.startswith("refused in every mode: ")


@pytest.mark.parametrize(
    ("command", "cwd"),
    [
        *(("rm -rf *", "/"), ("rm -rf *", HOME), ("rm -rf me", "/home"), ("rm -rf .", HOME)),
        *(("cd /tmp; rm -rf *", HOME), ("(cd /tmp && ls); rm -rf *", HOME), ("cd /tmp | ls; rm -rf *", HOME)),
        *(
            ("cd /tmp || rm -rf *", HOME),
            ("cd sub && cd .. && rm -rf *", HOME),
            ("ls; cd ..; rm -rf me", HOME),
        ),
    ],
)
def test_the_directory_of_bash_counts(command: str, cwd: str) -> None:
    """A relative target is judged from the directory in which bash would start, and from where `cd` may have led."""
    assert judge_bash(command, "bypass", cwd=cwd).decision == "deny"


def test_what_follows_cd_and_and_runs_there_only() -> None:
    """Behind `cd x &&` nothing is judged as if it ran in the folder that was left."""
    for command in ("cd /tmp/x && rm -rf *", "cd /tmp/x && (rm -rf *)", "(cd /tmp/x && rm -rf *); ls"):
        assert judge_bash(command, "bypass", cwd=HOME).decision == "allow"


@pytest.mark.parametrize("opener", ["$(", "${x:-$(", "${", "nohup ", "find . -exec find ", "eval "])
def test_what_nests_too_deeply_is_asked(opener: str) -> None:
    """Nesting without end neither breaks the judge nor gets through, in any mode."""
    verdict = judge_bash(opener * 2000 + "rm -rf /", "bypass")
    assert (verdict.decision, verdict.is_firm) == ("ask", True)
