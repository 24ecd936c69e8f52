"""The published message shapes: what drivers of the other agent read."""

from typing import Any, cast

import pytest

from agent.events import (
    CallFinished,
    CallStarted,
    Compacted,
    Event,
    FromSubagent,
    Notice,
    ReplyReceived,
    ResultsSent,
    StepStarted,
    TurnEnded,
    TurnReason,
)
from agent.stream_json import Ended, Opened, Publisher
from compaction.messages import ToolResultBlock, ToolUseBlock, text

USAGE = {
    "input_tokens": 10,
    "output_tokens": 2,
    "cache_creation_input_tokens": 3,
    "cache_read_input_tokens": None,
}


def call(id_: str, name: str = "bash") -> ToolUseBlock:
    return {"type": "tool_use", "id": id_, "name": name, "input": {}}


def finished(id_: str, name: str = "bash") -> CallFinished:
    result = cast("ToolResultBlock", {"type": "tool_result", "tool_use_id": id_, "content": "ok"})
    return CallFinished(call=call(id_, name), result=result, facts={})


def reply(
    words: str = "hi", stop_reason: str = "end_turn", model: str = "claude-sonnet-5-5"
) -> ReplyReceived:
    return ReplyReceived(
        message_id="msg_1", model=model, content=[text(words)], stop_reason=stop_reason, usage=USAGE, size=15
    )


def publisher(mode: str = "ask", *times: float) -> tuple[Publisher, dict[str, Any]]:
    """An opened one whose clock says ``times``, the last for ever; and what it said."""
    left = [*times] or [0.0]
    made = Publisher(lambda: left.pop(0) if len(left) > 1 else left[0])
    opened = Opened(session="s1", cwd="/p", model="claude-sonnet-5-5", mode=mode, tools=["bash"])
    return made, made.open(opened)


def feed(made: Publisher, *events: Event) -> list[dict[str, Any]]:
    return [message for event in events for message in made.messages(event)]


def result(
    made: Publisher, reason: TurnReason = "done", problem: str = "", words: str = "hi"
) -> dict[str, Any]:
    turn = TurnEnded(reason=reason, text=words, problem=problem)
    return made.result(Ended(turn=turn, cost_usd=0.25, is_cost_known=True))


@pytest.mark.parametrize(
    ("mode", "published"),
    [("ask", "default"), ("accept-edits", "acceptEdits"), ("plan", "plan"), ("bypass", "bypassPermissions")],
)
def test_the_first_message_is_init(mode: str, published: str) -> None:
    """Session, folder, model, tools; the mode by its published name."""
    _, message = publisher(mode)
    assert message.pop("uuid")
    assert message == {
        "type": "system",
        "subtype": "init",
        "cwd": "/p",
        "session_id": "s1",
        "tools": ["bash"],
        "mcp_servers": [],
        "model": "claude-sonnet-5-5",
        "permissionMode": published,
        "slash_commands": [],
        "skills": [],
        "apiKeySource": "ANTHROPIC_API_KEY",
        "output_style": "default",
    }


def test_a_reply_is_an_assistant_message() -> None:
    """Whole, as the API had it, with the session beside it."""
    made, _ = publisher()
    (message,) = feed(made, reply())
    assert message.pop("uuid")
    assert message == {
        "type": "assistant",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5-5",
            "content": [{"type": "text", "text": "hi"}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": USAGE,
        },
        "parent_tool_use_id": None,
        "session_id": "s1",
    }


def test_each_result_is_a_user_message_and_so_is_what_we_add() -> None:
    """Results come as they are there; words that nobody typed are marked as such; no words, no message."""
    made, _ = publisher()
    first, second = feed(
        made,
        CallStarted(call=call("a")),
        finished("a"),
        ResultsSent(content=[]),
        ResultsSent(content=[text("n")]),
    )
    assert first["message"] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}],
    }
    assert "isSynthetic" not in first
    assert second["message"]["content"] == [{"type": "text", "text": "n"}]
    assert second["isSynthetic"] is True


@pytest.mark.parametrize(
    ("trigger", "published"), [("manual", "manual"), ("auto", "auto"), ("reactive", "auto")]
)
def test_a_compaction_is_a_boundary(trigger: str, published: str) -> None:
    """With its sizes; whoever did not ask for it sees `auto`. Its own request is counted."""
    made, _ = publisher()
    receipt = {"trigger": trigger, "before": 90, "after": 30, "usage": USAGE}
    (message,) = feed(made, Compacted(record={"receipt": receipt}))
    assert message["subtype"] == "compact_boundary"
    assert message["compact_metadata"] == {"trigger": published, "pre_tokens": 90, "post_tokens": 30}
    assert result(made)["usage"]["input_tokens"] == 10


def inner(call_id: str, event: Event) -> FromSubagent:
    return FromSubagent(agent="task-001", call=call_id, event=event, work={})


def test_what_a_subagent_says_hangs_on_its_call() -> None:
    """Two at once are told apart, whichever is heard of first."""
    made, _ = publisher()
    feed(made, CallStarted(call=call("a", "task")), CallStarted(call=call("b", "task")))
    events = [inner(id_, event) for id_ in ("b", "a") for event in (reply(id_), finished("x"))]
    parents = [message["parent_tool_use_id"] for message in feed(made, *events)]
    assert parents == ["b", "b", "a", "a"]
    assert result(made)["num_turns"] == 0


def test_a_compaction_of_a_subagent_is_no_boundary() -> None:
    """The published one names no agent, so it would be the session's own; what it cost is counted, by that model."""
    made, _ = publisher()
    receipt = {"trigger": "auto", "before": 90, "after": 30, "usage": USAGE}
    feed(made, inner("a", reply(model="other")))
    assert feed(made, inner("a", Compacted(record={"receipt": receipt}))) == []
    assert result(made)["modelUsage"]["other"]["inputTokens"] == 20


def test_the_last_message_adds_up() -> None:
    """Steps, times, tokens by model, cost."""
    made, _ = publisher("ask", 1.0, 2.0, 2.5, 4.0)
    feed(made, StepStarted(step=1, size=0, is_estimate=True), reply(), Notice(text="x"))
    feed(made, inner("a", reply(model="other")))
    message = result(made)
    assert message["subtype"] == "success"
    assert message["is_error"] is False
    assert message["result"] == "hi"
    assert (message["duration_ms"], message["duration_api_ms"]) == (3000, 500)
    assert message["num_turns"] == 1
    assert message["total_cost_usd"] == 0.25
    assert message["usage"] == {
        "input_tokens": 20,
        "output_tokens": 4,
        "cache_creation_input_tokens": 6,
        "cache_read_input_tokens": 0,
    }
    assert message["modelUsage"]["other"]["costUSD"] == 0
    assert message["modelUsage"]["claude-sonnet-5-5"]["inputTokens"] == 10
    assert message["permission_denials"] == []


@pytest.mark.parametrize(
    ("reason", "problem", "subtype"),
    [
        ("limit", "stopped after 3 steps (--max-steps)", "error_max_turns"),
        ("limit", "stopped at $1.00 (--max-cost 1)", "error_max_budget_usd"),
        ("error", "the server failed", "error_during_execution"),
        ("refused", "declined", "error_during_execution"),
        ("interrupted", "", "error_during_execution"),
    ],
)
def test_a_turn_that_failed_says_so(reason: TurnReason, problem: str, subtype: str) -> None:
    """By subtype, and by what went wrong in place of a result."""
    message = result(publisher()[0], reason, problem, words="half")
    assert message["subtype"] == subtype
    assert message["is_error"] is True
    assert message["result"] == (problem or reason)
    assert message["errors"] == [problem or reason]
