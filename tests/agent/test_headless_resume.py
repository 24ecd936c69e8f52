"""Going on with a session: -c and -r, after a clean end and after kill -9, and what is said about odd ones."""

import json
import signal
import time
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, calls, says
from agent.session.log import locked
from agent.session.store import Store
from tests.support.command import Command


def sessions(command: Command) -> list[str]:
    return list(Store(root=command.project).newest_first())


def test_c_and_r_go_on_where_the_session_stood(tmp_path: Path) -> None:
    """The next request begins with all messages of the last; -r takes the id or its end."""
    with MessagesServer(Script(says("1"), says("2"), says("3"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one")
        (session,) = sessions(command)
        assert command.here("-c", "-p", "two").text == "2\n"
        assert command.here("-r", session[-6:], "-p", "three").text == "3\n"
        bodies = [query.body["messages"] for query in server.queries]
    assert sessions(command) == [session]
    roles = [[message["role"] for message in body] for body in bodies]
    assert roles == [
        ["user"],
        ["user", "assistant", "user"],
        ["user", "assistant", "user", "assistant", "user"],
    ]
    assert bodies[2][-1]["content"][-1]["text"] == "three"
    assert server.refusals == []


def test_a_session_keeps_its_model_and_mode_unless_a_flag_says_otherwise(tmp_path: Path) -> None:
    """Environment and settings are for new sessions: a change would cost the cache and the thinking."""
    with MessagesServer(Script(says("1"), says("2"), says("3"))) as server:
        first = Command(root=tmp_path, url=server.url)
        first.here("-p", "one", "--model", "claude-opus-5", "--permission-mode", "plan")
        (first.home / "settings.json").write_text(
            '{"permissions": {"mode": "bypass"}, "model": "claude-opus-4-8"}'
        )
        later = Command(root=tmp_path, url=server.url, more={"ANTHROPIC_MODEL": "claude-haiku-4-5"})
        kept = later.here("-c", "-p", "two", "--verbose")
        changed = later.here("-c", "-p", "three", "--model", "claude-sonnet-5-5", "--verbose")
        models = [query.body["model"] for query in server.queries]
    assert models == ["claude-opus-5", "claude-opus-5", "claude-sonnet-5-5"]
    assert kept.err.splitlines()[0].endswith("claude-opus-5 · plan")
    assert changed.err.splitlines()[0].endswith("claude-sonnet-5-5 · plan")


def test_after_kill_9_the_session_goes_on(tmp_path: Path) -> None:
    """The call that ran is answered as lost, and the request is one that the strict server takes."""
    script = Script(calls("bash", command="echo started > mark; sleep 60"), says("I see."))
    with MessagesServer(script) as server:
        command = Command(root=tmp_path, url=server.url)
        process = command.start("-p", "go", "--permission-mode", "bypass")
        give_up_at = time.monotonic() + 30
        while not (command.project / "mark").exists() and time.monotonic() < give_up_at:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        ran = command.here("-c", "-p", "what happened?")
        last = json.dumps(server.queries[-1].body["messages"])
        assert server.refusals == []
    assert (ran.code, ran.text) == (0, "I see.\n")
    assert "The process ended while this ran; it may have taken effect." in last


def test_a_session_that_is_open_elsewhere_is_forked(tmp_path: Path) -> None:
    """And the user is told."""
    with MessagesServer(Script(says("1"), says("2"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one")
        (session,) = sessions(command)
        with locked(Store(root=command.project).log(session)):
            ran = command.here("-c", "-p", "two")
    assert ran.complaints == [f"agent: session {session} is open elsewhere: this is a fork of it"]
    assert len(sessions(command)) == 2


def test_damage_is_said(tmp_path: Path) -> None:
    """A line that is no record is named; the rest works."""
    with MessagesServer(Script(says("1"), says("2"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one")
        (session,) = sessions(command)
        with Store(root=command.project).log(session).open("a") as log:
            log.write("garbage\n")
        ran = command.here("-c", "-p", "two")
    (line,) = ran.complaints
    assert line.startswith("agent: the session's log is damaged in 1 lines (")
    assert ran.text == "2\n"


def test_what_a_session_keeps_cannot_be_added_to(tmp_path: Path) -> None:
    """A system prompt that was given once stays; that a new one does nothing is said."""
    with MessagesServer(Script(says("1"), says("2"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one", "--append-system-prompt", "Be brief.")
        ran = command.here("-c", "-p", "two", "--append-system-prompt", "Be long.")
        system = [query.body["system"][-1]["text"] for query in server.queries]
    assert ran.complaints == [
        "agent: --append-system-prompt has no effect on a session that goes on: it keeps its own"
    ]
    assert system[0].endswith("Be brief.")
    assert system[1] == system[0]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("-c",), "no session to continue in "),
        (("-r", "nope"), "no session `nope` in "),
        (("-r",), "-r needs the id of a session; the newest here: none"),
        (("-c", "-r", "x"), "-c and -r exclude each other"),
    ],
)
def test_a_session_that_is_not_there_is_2(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    """Nothing was sent: it is the command line that asks for something impossible."""
    ran = Command(root=tmp_path).here(*args, "-p")
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_bare_r_lists_the_newest(tmp_path: Path) -> None:
    """So that one can be copied."""
    with MessagesServer(Script(says("1"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one")
    (session,) = sessions(command)
    assert (
        command.here("-p", "-r").err == f"agent: -r needs the id of a session; the newest here: {session}\n"
    )


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no /proc")
def test_a_session_without_a_folder_is_2(tmp_path: Path) -> None:
    """Neither project nor home can be written, not even by root."""
    command = Command(root=tmp_path, more={"AGENT_HOME": "/proc/none"})
    ran = command.here("-p", "hi", "--cwd", "/proc")
    assert ran.code == 2
    assert ran.err.startswith("agent: no folder can hold the session (/proc/none")
    assert len(ran.err.splitlines()) == 1


def test_that_everything_may_run_is_never_taken_from_a_log(tmp_path: Path) -> None:
    """A log lies in the project, where a stranger may have put it: it goes on in mode ask, says so, and logs that."""
    run = calls("bash", command="touch mark")
    with MessagesServer(Script(says("1"), run, says("2"), run, says("3"))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.here("-p", "one", "--permission-mode", "bypass")
        refused = command.here("-c", "-p", "two", "--verbose")
        assert not (command.project / "mark").exists()
        assert any(line.endswith(" · ask") for line in refused.complaints)
        assert sum("goes on in mode ask" in line for line in refused.complaints) == 1
        allowed = command.here("-c", "-p", "three", "--permission-mode", "bypass")
        assert (command.project / "mark").exists()
        assert allowed.complaints == []
        assert server.refusals == []
