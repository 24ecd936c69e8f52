"""A run that is forked from a loaded process is what a run in a new interpreter is."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, calls, says
from tests.support.command import ROOT, Command, ended
from tests.support.forked import Process, can_fork
from tests.support.screen_agent import READY, agent_command, agent_on_screen

PROBE = """
env | sort; pwd; umask; cat /proc/$PPID/limits
grep -E '^(SigBlk|SigIgn|SigCgt|ShdPnd|Cap|NoNew|Seccomp)' /proc/$PPID/status
for one in 0 1 2; do readlink /proc/$PPID/fd/$one; done; ls /proc/$PPID/fd | wc -l
ps -o pid= -o pgid= -o sid= -o ppid= -o tpgid= -o stat= -o ni= -p $PPID |
    awk '{ print ($1 == $2), ($3 == $4), ($2 == $5), ($6 ~ /[+]/), $7 }'
"""
"""What a command of the agent can find out about the agent's process."""
CHANGING = re.compile(
    r"\d{8}-\d{6}-[0-9a-f]{6}|pipe:\[\d+\]|pts/\d+|127\.0\.0\.1:\d+|'content-length', '\d+'"
)
FIGURES = re.compile(r"\d+(\.\d+)?|msg_\w+|toolu_\w+|\"uuid\":\"[^\"]*\"")
"""Of time and tokens: the latter vary with the number of the terminal and the length of a port."""
INTERPRETER = """
import os, signal, sys
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.encoding, stream.errors, stream.line_buffering, stream.write_through, stream.newlines, stream.mode)
    print(stream.fileno(), stream.isatty(), stream.closed)
print(sys.argv[1:], os.getcwd(), sorted(os.environ.items()), sys.flags.safe_path, sys.getfilesystemencoding())
print([(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM)])
"""
TAKEN_ON = f"""
import os, sys
from tests.support.loaded import Order, take_on
take_on(Order(args=tuple(sys.argv[3:]), code="", cwd=sys.argv[1], env=eval(sys.argv[2]), is_job=False))
{INTERPRETER}
"""


def lasting(text: str, root: Path) -> str:
    """Return ``text`` without what is another in each run."""
    return CHANGING.sub("…", text.replace(str(root.resolve()), "ROOT"))


def run_headless(root: Path, *, is_new: bool) -> list[str]:
    """Return all that a headless run can be told by: what it wrote, its code, its request, what its command found."""
    root.mkdir()
    with MessagesServer(Script(calls("bash", command=PROBE), says("Done: é."))) as server:
        command = Command(root=root, url=server.url)
        args = ("-p", b"say caf\xe9", "--permission-mode", "bypass", "--output-format", "stream-json")
        ran = ended((command.start_anew if is_new else command.start)(*args))
        first, last = server.queries
        found = last.body["messages"][-1]["content"][0]["content"]
        asked = [str(first.body), str(sorted(first.headers.items()))]
    texts = (str(ran.code), ran.err, found, *asked)
    return [*(lasting(text, root) for text in texts), FIGURES.sub("…", lasting(ran.text, root))]


def run_on_screen(root: Path, program: Sequence[str] | None) -> list[str]:
    """Return what a run on a terminal leaves on the screen and in the terminal, and what its command found."""
    root.mkdir()
    script = Script(calls("bash", command=PROBE), says("Done."))
    with agent_on_screen(root, "--permission-mode", "bypass", script=script, program=program) as on:
        on.terminal.until(READY)
        on.prompt("probe")
        on.terminal.until("Done.")
        on.until_at_rest()
        on.terminal.send("\x04")
        code = on.terminal.ended()
        found = on.server.queries[-1].body["messages"][-1]["content"][0]["content"]
        facts = (str(code), found, str(on.terminal.is_restored()))
        return [
            *(lasting(fact, root) for fact in facts),
            FIGURES.sub("…", lasting(on.terminal.history, root)),
        ]


def test_a_headless_run_is_the_same(tmp_path: Path) -> None:
    """Output, code, request, and to its command: environment, folder, limits, signals, streams, process group."""
    forked = run_headless(tmp_path / "one", is_new=False)
    assert forked[0] == "0"
    assert "LC_CTYPE=C.UTF-8" in forked[2]
    assert forked == run_headless(tmp_path / "two", is_new=True)


def test_a_run_on_a_terminal_is_the_same(tmp_path: Path) -> None:
    """The screen, the terminal afterwards, the code, the job: a group of its own in the foreground."""
    forked = run_on_screen(tmp_path / "one", None)
    assert forked == run_on_screen(tmp_path / "two", agent_command("--permission-mode", "bypass"))
    assert "\n1 1 1 1 0" in forked[1]


@pytest.mark.parametrize("more", [{}, {"LANG": "C.UTF-8", "TERM": "dumb"}])
def test_the_interpreter_is_as_a_new_one(tmp_path: Path, more: dict[str, str]) -> None:
    """Its streams, arguments, folder, environment and signals, as Python code sees them."""
    env = {**Command(root=tmp_path).env, **more}
    new = subprocess.run(
        [sys.executable, "-P", "-c", INTERPRETER, "a", "b"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        check=True,
    )
    taken = subprocess.run(
        [sys.executable, "-P", "-c", TAKEN_ON, str(tmp_path), str(env), "a", "b"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    assert taken.stdout == new.stdout
    assert (taken.stderr, new.stderr) == (b"", b"")


@pytest.mark.parametrize(
    "more", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"LANG": "de_DE.ISO-8859-1"}]
)
def test_what_only_a_new_interpreter_reads_gets_one(tmp_path: Path, more: dict[str, str]) -> None:
    """Variables of Python's own, and locales of another encoding."""
    command = Command(root=tmp_path, more=more)
    assert can_fork(Command(root=tmp_path).env)
    assert not can_fork(command.env)
    process = command.start("--version")
    assert isinstance(process, subprocess.Popen)
    assert ended(process).text.startswith("agent ")


def stopped_by(process: Process, number: signal.Signals) -> int:
    """Send a signal, and return the code."""
    process.send_signal(number)
    return ended(process).code


def test_each_run_has_an_end_of_its_own(tmp_path: Path) -> None:
    """Runs side by side: their ids, codes and streams are their own; a killed one has the signal as its code."""
    command = Command(root=tmp_path)
    waiting = [command.start("-p", stdin=subprocess.PIPE) for _ in range(3)]
    assert len({process.pid for process in waiting}) == 3
    assert command.run("--version").code == 0
    assert [process.poll() for process in waiting] == [None] * 3
    with pytest.raises(subprocess.TimeoutExpired):
        waiting[2].wait(timeout=0.1)
    assert stopped_by(waiting[1], signal.SIGKILL) == -signal.SIGKILL
    assert stopped_by(waiting[0], signal.SIGINT) == 130
    assert waiting[2].poll() is None
    ran = ended(waiting[2])
    assert (ran.code, ran.out) == (2, b"")
    assert "the prompt is empty" in ran.err
