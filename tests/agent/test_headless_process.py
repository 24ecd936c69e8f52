"""The real process: its streams, its signals, and that nothing of ours is left behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, calls, says
from agent.session.log import read_records
from tests.support.command import Command, ended

WAIT = "echo $$ > mark; sleep 61"


def until_marked(command: Command) -> int:
    """Wait for the running command; return its process id."""
    mark, give_up_at = command.project / "mark", time.monotonic() + 30
    while time.monotonic() < give_up_at:
        if mark.exists() and (text := mark.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.05)
    raise AssertionError("the command never started")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        "Z"
        not in subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout
    )


def test_f54_streams_closed_missing_or_in_ascii(tmp_path: Path) -> None:
    """c, f, i, j and a prompt that is not UTF-8: the answer where it can go, an exit code, no traceback."""
    with MessagesServer(Script(*[says("Done: é.")] * 4)) as server:
        command = Command(root=tmp_path, url=server.url)
        ran = command.shell(
            "PYTHONIOENCODING=ascii agent -p $'caf\\xe9' <&- >ascii; echo $? >&2\n"
            "LC_ALL=C agent -p hi 2>&- >plain; echo $? >&2\n"
            "agent -p hi >&-; echo $? >&2\n"
            "agent -p hi --output-format stream-json | (exec <&-; sleep 2); echo ${PIPESTATUS[0]} >&2\n"
        )
        prompt = server.queries[0].body["messages"][0]["content"][-1]["text"]
    assert [line for line in ran.complaints if line.isdigit()] == ["0", "0", "1", "141"]
    assert (command.project / "ascii").read_bytes() == b"Done: \\xe9.\n"
    assert (command.project / "plain").read_bytes() == "Done: é.\n".encode()
    assert prompt == "caf\ufffd"
    assert "stdout is closed: the answer stands in the session's log" in ran.err
    assert "Traceback" not in ran.err
    assert "Exception" not in ran.err


def test_f54_d_an_open_pipe_does_not_hold_it_up(tmp_path: Path) -> None:
    """stdin is a pipe that nobody writes to: some seconds, a notice, the answer."""
    with MessagesServer(Script(says("Done."))) as server:
        process = Command(root=tmp_path, url=server.url).start("-p", "hi", stdin=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"Done.\n"
        ran = ended(process)
    assert ran.complaints == [
        "agent: nothing came on stdin for 3 s: going on without it (`</dev/null` says so at once)"
    ]
    assert ran.code == 0


@pytest.mark.parametrize(
    ("signals", "code"),
    [((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143), ((signal.SIGHUP,), 129)],
)
def test_f58_a_g_a_signal_ends_the_turn_cleanly(
    tmp_path: Path, signals: tuple[signal.Signals, ...], code: int
) -> None:
    """The command is gone, its call answered, the session closed; a second Ctrl-C at once skips none of that."""
    with MessagesServer(Script(calls("bash", command=WAIT), says("Going on."))) as server:
        command = Command(root=tmp_path, url=server.url)
        process = command.start("-p", "go", "--permission-mode", "bypass")
        pid = until_marked(command)
        for number in signals:
            process.send_signal(number)
            time.sleep(0.1)
        ran = ended(process)
        assert (ran.code, ran.complaints) == (code, ["agent: interrupted"])
        assert not is_alive(pid)
        (log,) = (command.project / ".transcripts").glob("*.jsonl")
        last = [record for _, record in read_records(log)][-1]
        assert last is not None
        assert (last["type"], last["of"], last["reason"]) == ("end", "session", "interrupted")
        assert command.here("-c", "-p", "hi").text == "Going on.\n"
        assert server.refusals == []
