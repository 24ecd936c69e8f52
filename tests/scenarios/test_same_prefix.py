"""The identical prefix: what a session sends after it was left begins with all bytes of what it sent last.

Real processes against the strict local server; cache marks aside.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent.offline import (
    MessagesServer,
    Recorded,
    Reply,
    Script,
    always,
    calls,
    last_text_starts,
    prefix_bytes,
    says,
    system_has,
    when,
)
from compaction.summary import OPENING
from tests.support.command import WAIT_S, Command, ended
from tests.support.invariants import SUBAGENT, main_requests
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

BYPASS = ("--permission-mode", "bypass")
LOOK = calls("bash", command="echo a")
HANGS = calls("bash", command="echo $$ > mark; exec sleep 61")
STREAMS = says("A word. " * 500, pace_s=0.05)
FOUND = when(system_has(SUBAGENT), always(says("Found.")))


@contextmanager
def agent(folder: Path, *turns: Reply) -> Generator[tuple[Command, MessagesServer]]:
    """`agent` in a git project, with a model that replies ``turns``; no request is refused."""
    with MessagesServer(Script(*turns, routes=[FOUND])) as server:
        command = Command(root=folder, url=server.url)
        git(command, "init", "-q", "-b", "main")
        yield command, server
    assert server.refusals == []


def git(command: Command, *args: str) -> None:
    user = ("-c", "user.name=n", "-c", "user.email=e@x")
    subprocess.run(["git", *user, *args], cwd=command.project, check=True)


def sent(server: MessagesServer) -> list[Recorded]:
    """The main agent's requests."""
    return main_requests(server.queries)


def check_extends(before: Recorded, after: Recorded, *, prompt: str = "two") -> None:
    """``after`` begins with all bytes of ``before`` and ends with the prompt."""
    assert prefix_bytes(after.body).startswith(prefix_bytes(before.body))
    assert after.body["messages"][-1]["content"][-1]["text"] == prompt


def until(condition: Callable[[], object]) -> None:
    """Wait until ``condition`` holds."""
    give_up_at = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.02)


def is_marked(command: Command) -> bool:
    """True once the command that hangs has told its process id."""
    mark = command.project / "mark"
    return mark.exists() and mark.read_text("ascii").endswith("\n")


def end_marked(command: Command) -> None:
    """End the command that hangs: nobody else does after a kill."""
    os.kill(int((command.project / "mark").read_text("ascii")), signal.SIGKILL)


@pytest.mark.parametrize(
    "first", [LOOK, calls("task", description="d", prompt="p")], ids=["plain", "subagent"]
)
def test_after_a_clean_exit(tmp_path: Path, first: Reply) -> None:
    """Also when a subagent was at work."""
    with agent(tmp_path, first, says("1"), says("2")) as (command, server):
        assert command.run("-p", "one", *BYPASS).text == "1\n"
        assert command.run("-c", "-p", "two").text == "2\n"
        check_extends(*sent(server)[-2:])


@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_after_an_end_while_a_tool_ran(tmp_path: Path, how: signal.Signals, code: int) -> None:
    """Killed, or interrupted: the call has an answer, which comes behind all that was sent."""
    with agent(tmp_path, LOOK, HANGS, says("2")) as (command, server):
        process = command.start("-p", "one", *BYPASS)
        until(lambda: is_marked(command))
        process.send_signal(how)
        assert ended(process).code == code
        if how == signal.SIGKILL:
            end_marked(command)
        assert command.run("-c", "-p", "two").text == "2\n"
        check_extends(*sent(server)[-2:])


def test_after_a_kill_while_a_reply_streamed(tmp_path: Path) -> None:
    """What was received of it is in no log."""
    with agent(tmp_path, LOOK, STREAMS, says("2")) as (command, server):
        process = command.start("-p", "one", *BYPASS)
        until(lambda: len(sent(server)) == 2)
        time.sleep(0.3)
        process.kill()
        assert ended(process).code == -9
        assert command.run("-c", "-p", "two").text == "2\n"
        check_extends(*sent(server)[-2:])


def test_after_a_kill_between_turns(tmp_path: Path) -> None:
    """At the prompt, without a last word."""
    with agent_on_screen(tmp_path) as on:
        first_turn(on)
        os.kill(on.terminal.pid, signal.SIGKILL)
        on.terminal.ended()
        assert on.command.run("-c", "-p", "two").code == 0
        check_extends(*sent(on.server)[-2:])
        assert on.server.refusals == []


def first_turn(on: OnScreen) -> None:
    on.terminal.until(READY)
    on.prompt("one")
    on.terminal.until("You said one.")


@pytest.mark.parametrize("args", [("-c", "--fork"), ("-c",)], ids=["--fork", "second"])
def test_a_fork_beside_an_open_session(tmp_path: Path, args: tuple[str, ...]) -> None:
    """By --fork, or because another process has the session open; that one goes on from its own bytes, too."""
    with agent_on_screen(tmp_path) as on:
        first_turn(on)
        ran = on.command.run(*args, "-p", "two")
        assert "this is a fork of" in ran.err
        on.prompt("three")
        on.terminal.until("You said three.")
        one, two, three = sent(on.server)
        check_extends(one, two)
        check_extends(one, three, prompt="three")
        assert on.server.refusals == []


def test_a_fork_while_a_tool_runs(tmp_path: Path) -> None:
    """A second --continue in the middle of a turn: the call has an answer in the fork."""
    with agent(tmp_path, HANGS, says("2")) as (command, server):
        process = command.start("-p", "one", *BYPASS)
        until(lambda: is_marked(command))
        assert command.run("-c", "-p", "two").text == "2\n"
        process.kill()
        ended(process)
        end_marked(command)
        check_extends(*sent(server))


def test_a_fork_by_hand(tmp_path: Path) -> None:
    """/fork: the next request begins with all bytes of the last one."""
    with agent_on_screen(tmp_path) as on:
        first_turn(on)
        on.prompt("/fork")
        on.terminal.until("now in session")
        on.prompt("two")
        on.terminal.until("You said two.")
        check_extends(*sent(on.server))
        assert on.server.refusals == []


def test_changed_instructions(tmp_path: Path) -> None:
    """They are told in the new message and nowhere else; once."""
    with agent(tmp_path, says("1"), says("2"), says("3")) as (command, server):
        notes = command.project / "AGENTS.md"
        notes.write_text("Rule of old.\n", "utf-8")
        command.run("-p", "one")
        notes.write_text("Rule anew.\n", "utf-8")
        command.run("-c", "-p", "two")
        command.run("-c", "-p", "three")
        one, two, three = sent(server)
        check_extends(one, two)
        check_extends(two, three, prompt="three")
        told = [text for text in texts(three) if "Rule anew." in text]
        assert [text.split("\n")[0] for text in told] == ["changed: AGENTS.md"]
        assert told[0] in [block["text"] for block in two.body["messages"][-1]["content"]]


def texts(request: Recorded) -> list[str]:
    """All text blocks of the messages."""
    return [
        block["text"]
        for message in request.body["messages"]
        for block in message["content"]
        if block["type"] == "text"
    ]


def add_skill(command: Command) -> Command:
    """Another catalog of skills."""
    skill = command.project / ".agent" / "skills" / "new" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: new\ndescription: d\n---\nDo it.\n", "utf-8")
    return command


def commit(command: Command) -> Command:
    """Another state of the repository."""
    git(command, "commit", "-q", "--allow-empty", "-m", "more")
    return command


def another_day(command: Command) -> Command:
    """26 hours of time zones lie between both runs."""
    return replace(command, more={"TZ": "XXX-14"})


CHANGES = (commit, another_day)


@pytest.mark.parametrize("change", CHANGES)
def test_changed_surroundings(tmp_path: Path, change: Callable[[Command], Command]) -> None:
    """The context block stays as it was told; nothing but the prompt is new."""
    with agent(tmp_path, says("1"), says("2")) as (command, server):
        replace(command, more={"TZ": "XXX12"}).run("-p", "one")
        change(command).run("-c", "-p", "two")
        one, two = sent(server)
        check_extends(one, two)
        assert len(texts(two)) == len(texts(one)) + 2, "an answer and a prompt"


def test_another_list_of_skills(tmp_path: Path) -> None:
    """The context block stays as it was told; the new list stands before the prompt, once."""
    with agent(tmp_path, says("1"), says("2"), says("3")) as (command, server):
        command.run("-p", "one")
        add_skill(command).run("-c", "-p", "two")
        command.run("-c", "-p", "three")
        one, two, three = sent(server)
        check_extends(one, two)
        check_extends(two, three, prompt="three")
    assert "- new: d" in texts(two)[-2]
    assert sum("- new: d" in text for text in texts(three)) == 1


def test_a_changed_system_prompt_and_list_of_models(tmp_path: Path) -> None:
    """A session keeps the system prompt of its first record, whatever a later run adds, and whatever models there are."""
    with (
        agent(tmp_path, says("1")) as (command, server),
        MessagesServer(Script(says("2")), windows={"claude-sonnet-5-5": 150_000}) as other,
    ):
        command.run("-p", "one", "--append-system-prompt", "Be brief.")
        later = replace(command, url=other.url).run("-c", "-p", "two", "--append-system-prompt", "Be long.")
        assert later.text == "2\n"
        check_extends(*sent(server), *sent(other))
        assert "Be brief." in str(sent(other)[0].body["system"])


def test_a_compaction_just_before(tmp_path: Path) -> None:
    """What is sent next is the same, byte for byte, whether the session was left in between or not."""
    summary = when(last_text_starts(OPENING), says("<summary>1. Request and intent: fine</summary>"))
    script = Script(
        says("word " * 3_000 + "\n\nFinished."), says("2a"), says("2b"), says("3"), routes=[summary]
    )
    with agent_on_screen(tmp_path, script=script) as on:
        on.terminal.until(READY)
        on.prompt("one")
        on.terminal.until("Finished.")
        on.prompt("/compact")
        on.terminal.until("⟲ summary")
        assert on.command.run("-c", "--fork", "-p", "two").text == "2a\n"
        on.prompt("two")
        on.terminal.until("2b")
        _, left, stayed = sent(on.server)
        assert prefix_bytes(left.body) == prefix_bytes(stayed.body)
        os.kill(on.terminal.pid, signal.SIGKILL)
        on.terminal.ended()
        assert on.command.run("-c", "-p", "three").text == "3\n"
        check_extends(stayed, sent(on.server)[-1], prompt="three")
        assert on.server.refusals == []
