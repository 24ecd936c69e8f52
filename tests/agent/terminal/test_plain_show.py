"""What a terminal of lines is told."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from agent import events as ev
from agent.terminal.line_terminal import STYLE
from agent.terminal.plain_show import PlainShow
from agent.terminal.render import to_ansi

CHUNKS = st.lists(st.text(st.sampled_from("ab \n*`日"), max_size=6), max_size=20)


def told(*events: ev.Event, typed: str = "") -> str:
    """Return all that is written when these events come."""
    written: list[str] = []
    show = PlainShow(write=written.append, changed=lambda: None, width=lambda: 40, clock=lambda: 0.0)
    show.typed = typed
    for event in events:
        show(event)
    assert all(text.endswith("\n") for text in written)
    return "".join(written)


@given(CHUNKS)
def test_the_answer_stands_as_it_was_written(chunks: Sequence[str]) -> None:
    """However it is cut into pieces: every line of it once, in order, none added, empty lines around it aside."""
    events = [ev.TextDelta(text=chunk) for chunk in chunks]
    shown = told(*events, ev.TurnEnded(reason="done", text=""))
    assert shown.strip() == "".join(chunks).strip()


def test_a_reply_that_broke_off_does_not_count() -> None:
    """It is said when something of it stands above, and only then."""
    assert "does not count" in told(ev.TextDelta(text="one\ntwo"), ev.ReplyDiscarded())
    assert told(ev.TextDelta(text="one"), ev.ReplyDiscarded()) == ""


def test_what_the_user_sees_is_not_said_again() -> None:
    """The line that was just typed stands there, by the terminal's own hand; another prompt is shown, also the next."""
    assert told(ev.TurnStarted(turn=1, prompt="fix it"), typed="fix it") == ""
    twice = told(
        ev.TurnStarted(turn=1, prompt="fix it"), ev.TurnStarted(turn=1, prompt="fix it"), typed="fix it"
    )
    assert STYLE.sub("", twice) == "> fix it\n"
    other = told(ev.TurnStarted(turn=1, prompt="from the queue"), typed="fix it")
    assert STYLE.sub("", other) == "> from the queue\n"


def test_hooks_at_work_are_told_of() -> None:
    """Whoever waits knows for what; that they have ended needs no line."""
    assert (
        STYLE.sub("", told(ev.HooksRunning(event="Stop"), ev.HooksRunning(event="")))
        == "running hooks of Stop\n"
    )


def test_control_characters_are_text() -> None:
    """Those of the model are escapes that can be read."""
    assert "\x1b" not in told(ev.TextDelta(text="a\x1b[31mb\n"))


@pytest.mark.parametrize("term", ["dumb", "unknown", "xterm-256color"])
def test_lines_are_as_wide_as_the_terminal(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where rich knows nothing of it."""
    monkeypatch.setenv("TERM", term)
    line = "word " * 30
    assert STYLE.sub("", to_ansi(Text(line), 200)) == f"{line.rstrip()}\n"


def test_what_concerns_a_subagent_is_told_under_its_name() -> None:
    """Notices and pauses; its answer as it streams is the model's, and is not written."""
    work = {"steps": 1, "size": 900, "usd": 0.0, "is_known": True}
    inner: list[ev.Event] = [
        ev.Notice(text="big.bin is not kept", is_error=True),
        ev.RetryWaiting(attempt=1, delay_s=2.0, problem="overloaded"),
        ev.TextDelta("secret"),
    ]
    events = [ev.FromSubagent(agent="task-001", call="a", event=event, work=work) for event in inner]
    lines = [Text.from_ansi(line).plain for line in told(*events).splitlines()]
    assert lines == ["task-001: big.bin is not kept", "task-001: overloaded; try 2 in 2.0 s"]
