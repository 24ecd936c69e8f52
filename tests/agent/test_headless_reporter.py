"""The listener of a headless run by itself: what is said of odd events and endings, and which code they have."""

import io
import os
from pathlib import Path

import pytest

from agent.choices import access_of, project_of
from agent.errors import UsageError
from agent.events import Event, FromSubagent, Notice, ReplyReceived, RetryWaiting, TurnEnded, TurnReason
from agent.exits import Exit
from agent.flags import Flags
from agent.headless import Form, Refusals, Reporter
from agent.home import agent_home, user_home
from agent.output import Output
from agent.session.session import Session, Tools
from agent.session.store import Store

REPLY = ReplyReceived(message_id="", model="m", content=[], stop_reason="", usage={}, size=0)


def reporter(
    stdout: io.TextIOWrapper | None = None, form: str = "text"
) -> tuple[Reporter, Output, io.BytesIO]:
    err = io.BytesIO()
    output = Output(stdout or io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(err, encoding="utf-8"))
    return Reporter(output, Form(output_format=form), Refusals(output)), output, err


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Notice(text="odd\nthing"), "agent: odd\nagent: thing\n"),
        (
            FromSubagent(agent="task-001", call="t1", work={}, event=Notice(text="odd")),
            "agent: task-001: odd\n",
        ),
        (
            FromSubagent(
                agent="task-001", call="t1", work={}, event=RetryWaiting(attempt=1, delay_s=2, problem="busy")
            ),
            "agent: task-001: busy; try 2 in 2.0 s\n",
        ),
        (REPLY, ""),
    ],
)
def test_trouble_is_said_without_being_asked(event: Event, line: str) -> None:
    """Also a subagent's, by its name; all else only in --verbose."""
    made, _, err = reporter()
    made.emit(event)
    assert err.getvalue().decode() == line


def test_a_reader_that_has_gone_interrupts_once() -> None:
    """Nobody would see the rest; the clean end is not interrupted again."""
    read, write = os.pipe()
    os.close(read)
    calls: list[str] = []
    with os.fdopen(write, "w") as stdout:
        made, output, _ = reporter(stdout, "stream-json")
        made.on_lost = lambda: calls.append("lost")
        made.emit(REPLY)
        made.emit(REPLY)
        assert calls == ["lost"]
        ended = TurnEnded(reason="interrupted", text="")
        assert made.exit_code(ended, None) == Exit.NO_READER
        assert made.exit_code(ended, Exit.TERMINATED) == Exit.TERMINATED
    assert output.fault == ""


@pytest.mark.parametrize(
    ("reason", "problem", "code", "line"),
    [
        ("done", "", 0, ""),
        ("done", "stopped for an unknown reason", 0, "agent: stopped for an unknown reason\n"),
        ("interrupted", "", 130, "agent: interrupted\n"),
        ("blocked", "no secrets", 1, "agent: the prompt was refused: no secrets\n"),
        ("error", "", 1, "agent: the turn ended: error\n"),
        ("empty", "the model said nothing", 1, "agent: the model said nothing\n"),
    ],
)
def test_every_ending_has_its_line_and_code(reason: TurnReason, problem: str, code: int, line: str) -> None:
    """The answer of a turn that is done is for stdout, every problem for stderr."""
    made, _, err = reporter()
    ended = TurnEnded(reason=reason, text="x", problem=problem)
    made.show(ended, cost_usd=0, is_cost_known=True)
    assert err.getvalue().decode() == line
    assert made.exit_code(ended, None) == code


def test_a_log_that_could_not_be_written_is_said(tmp_path: Path) -> None:
    """The answer was given; the session misses its end."""
    head = {"project": "", "model": "m", "mode": "ask", "system": [], "tools": []}
    tools = Tools(count=lambda _: 1, price=lambda *_: None, clock=lambda: 0.0)
    session = Session.create(Store.of(tmp_path, tmp_path), tmp_path, head, tools=tools)
    session.close()
    session.log.problem = OSError(28, "No space left on device")
    made, _, err = reporter()
    made.close(session)
    first, resume = err.getvalue().decode().splitlines()
    assert first == "agent: the session could not be written to its end: No space left on device"
    assert (
        resume == f"resume: agent -r {session.state.session_id}  # without its end: No space left on device"
    )


def test_where_the_users_own_files_are() -> None:
    """AGENT_HOME before HOME; without either, what the system knows, or nothing that could be written."""
    assert agent_home({"HOME": "/u", "AGENT_HOME": "/x"}) == Path("/x")
    assert agent_home({"HOME": "/u", "AGENT_HOME": "~/x"}) == Path("/u/x")
    assert agent_home({"HOME": "/u"}) == Path("/u/.agent")
    assert user_home({}).is_absolute()


def test_folders_that_cannot_even_be_looked_at(tmp_path: Path) -> None:
    """A link to itself, a name that no system takes."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for cwd in (tmp_path / "loop", Path("a\x00b")):
        with pytest.raises(UsageError, match="name another with --cwd"):
            project_of(Flags(cwd=cwd))


def test_a_key_is_needed_where_the_vendor_is_asked() -> None:
    """By name or by default; blanks around a key are not part of it."""
    for url in ({}, {"ANTHROPIC_BASE_URL": " "}, {"ANTHROPIC_BASE_URL": "https://api.anthropic.com/"}):
        with pytest.raises(UsageError, match="set ANTHROPIC_API_KEY"):
            access_of(url)
        assert access_of({**url, "ANTHROPIC_API_KEY": "k\r\n"}).api_key == "k"
    local = access_of({"ANTHROPIC_BASE_URL": "http://localhost:11434"})
    assert (local.api_key, local.has_key) == ("none", False)
