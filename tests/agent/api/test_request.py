"""From a session's state to the body of the next request: its marks, its limits, its thinking."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.api.request import FIRST_MAX_TOKENS, build_request, summary_request, thinking_rule
from agent.models import ROWS, row
from agent.offline import prefix_bytes
from agent.session.replay import apply, empty_state
from agent.session.state import State
from compaction.messages import as_blocks, text

SYSTEM = [{"type": "text", "text": "You are."}, {"type": "text", "text": "More."}]
TOOLS = [{"name": "read", "description": "d", "input_schema": {"type": "object"}}]
CONTEXT = ("context", {"content": [text("env")], "files": {}})
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}


class Log:
    """A state that grows by records."""

    def __init__(self, model: str = "claude-sonnet-5-5") -> None:
        self.state: State = empty_state(Path("/p"), lambda _: 10, lambda _model, _usage: 0.0)
        self._number = 0
        self.add("session", model=model, system=SYSTEM, tools=TOOLS)
        self.add("context", content=[text("env")], files={})

    def add(self, type: str, **fields: Any) -> str:
        """Append a record."""
        self._number += 1
        record = {"id": f"r{self._number}", "type": type, **fields}
        apply(self.state, record)
        return f"r{self._number}"

    def user(self, *content: Any, results: list[str] | None = None) -> None:
        """A user message."""
        self.add("message", role="user", content=[*map(text, content)], results=results or [])

    def round(self, number: int, *, thinks: bool = False) -> None:
        """A call and its result."""
        self.reply({"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}, thinks=thinks)
        result = self.add("result", call=f"c{number}", name="read", content="x", is_error=False, facts={})
        self.user(results=[result])

    def reply(self, *content: Any, thinks: bool = False) -> None:
        """A reply of the model."""
        state = self.state
        blocks = [THOUGHT, *content] if thinks else list(content)
        self.add("message", role="assistant", content=blocks, model=state.model, prefix_sha=state.prefix_sha)

    def compact(self) -> None:
        """Put a summary in place of all."""
        ids = [placed.id for placed in self.state.view]
        changes = [{"ids": ids, "role": "user", "blocks": [text("env"), text("summary")]}]
        self.add("compaction", changes=changes, files=[], receipt={})


def request_of(log: Log, **how: Any) -> dict[str, Any]:
    """The body of the next request."""
    return build_request(log.state, **how)[0]


def marks_of(body: dict[str, Any]) -> list[tuple[int, int]]:
    """(message, block) of every cache mark in the messages."""
    return [
        (number, place)
        for number, message in enumerate(body["messages"])
        for place, block in enumerate(message["content"])
        if "cache_control" in block
    ]


def test_the_first_request() -> None:
    """One mark at the end of the system prompt, one on the last block; room for a reply."""
    log = Log()
    log.user("Go.")
    body = request_of(log)
    assert [("cache_control" in block) for block in body["system"]] == [False, True]
    assert marks_of(body) == [(0, 1)]
    assert body["max_tokens"] == FIRST_MAX_TOKENS
    assert body["tools"] == TOOLS


def test_a_later_request() -> None:
    """Marks on the last block of the request before, and on the last of this one."""
    log = Log()
    log.user("Go.")
    log.round(1)
    log.round(2)
    assert marks_of(request_of(log)) == [(2, 0), (4, 0)]


def test_behind_a_compaction() -> None:
    """A standing mark before the first block that it changed; it brought all there is, so there is none before."""
    log = Log()
    log.user("Go.")
    log.round(1)
    log.compact()
    assert marks_of(request_of(log)) == [(0, 1)]


def test_before_a_change_in_the_middle() -> None:
    """The block before what the newest compaction changed keeps its mark, wherever the request ends."""
    log = Log()
    log.user("Go.")
    for number in range(1, 4):
        log.round(number)
    result = next(placed.id for placed in log.state.view if placed.block.get("tool_use_id") == "c2")
    block = {"type": "tool_result", "tool_use_id": "c2", "content": "short"}
    log.add(
        "compaction", changes=[{"ids": [result], "role": "user", "blocks": [block]}], files=[], receipt={}
    )
    log.round(4)
    assert marks_of(request_of(log)) == [(3, 0), (6, 0), (8, 0)]


def test_no_mark_on_thinking() -> None:
    """It moves to the block before."""
    log = Log()
    log.user("Go.")
    log.reply({"type": "text", "text": "paused"}, thinks=True)
    log.state.view.append("x", "assistant", as_blocks([THOUGHT]))
    body = request_of(log)
    assert all(
        block["type"] != "thinking"
        for message in body["messages"]
        for block in message["content"]
        if "cache_control" in block
    )


STEPS = st.lists(st.sampled_from(["user", "round", "thought", "answer", "compact"]), max_size=12)


@settings(max_examples=60)
@given(STEPS)
def test_marks_and_prefix(steps: list[str]) -> None:
    """At most four marks, none on thinking; a request extends the one before but for a compaction between them."""
    log = Log()
    log.user("Go.")
    before: bytes | None = None
    for number, step in enumerate(steps):
        if step == "compact":
            log.compact()
            before = None
        elif step == "user":
            log.user(f"More {number}.")
        elif step == "answer":
            log.reply(text("Done."))
            log.user("Next.")
        else:
            log.round(number, thinks=step == "thought")
        body = request_of(log)
        marks = marks_of(body)
        assert 1 <= len(marks) <= 3
        assert marks[-1] == (len(body["messages"]) - 1, len(body["messages"][-1]["content"]) - 1)
        assert before is None or prefix_bytes(body).startswith(before)
        before = prefix_bytes(body)


def test_building_changes_nothing() -> None:
    """Marks stand in the request, not in the view or the session's head."""
    log = Log()
    log.user("Go.")
    request_of(log)
    assert "cache_control" not in str([placed.block for placed in log.state.view])
    assert "cache_control" not in str(log.state.head)


@pytest.mark.parametrize("model", [*(known.id for known in ROWS), "some-local-model"])
def test_limits(model: str) -> None:
    """A first reply has room enough, a raised limit is the model's own, and a thinking budget fits below both."""
    log = Log(model)
    log.user("Go.")
    first, raised = request_of(log), request_of(log, is_limit_raised=True)
    assert first["max_tokens"] == min(FIRST_MAX_TOKENS, row(model).max_output)
    assert raised["max_tokens"] == row(model).max_output
    for body in (first, raised):
        assert body.get("thinking", {}).get("budget_tokens", 0) < body["max_tokens"]


@pytest.mark.parametrize("model", [known.id for known in ROWS])
def test_thinking_rules(model: str) -> None:
    """Bound thinking is checked against its prefix, manual and adaptive go back, no thinking is left out."""
    known = row(model)
    rule = thinking_rule(known)
    assert (rule == "bound") == known.is_bound
    assert known.is_bound or rule == {"manual": "manual", "none": "none"}.get(known.thinking, "kept")


def test_a_model_without_thinking_gets_none() -> None:
    """What another model thought is left out."""
    log = Log()
    log.user("Go.")
    log.round(1, thinks=True)
    log.add("model", model="some-local-model")
    body = request_of(log)
    assert "thinking" not in body
    assert "signature" not in str(body["messages"])


def test_the_binding_was_refused() -> None:
    """Neither the field nor its beta header is sent any more."""
    log = Log()
    log.user("Go.")
    with_it = build_request(log.state)
    log.add("note", text="refused", binding_refused=True)
    without = build_request(log.state)
    assert (with_it[1], without[1]) == (("thinking-binding-controls-2026-08-01",), ())
    assert "block_binding" not in without[0]["thinking"]


@pytest.mark.parametrize("is_open", [True, False])
def test_a_summary_request(is_open: bool) -> None:
    """The next request with the instruction as its last block, unmarked, and a limit of its own."""
    log = Log()
    log.user("Go.")
    log.round(1)
    if not is_open:
        log.reply(text("Done."))
    body, _ = summary_request(log.state, "Summarise.", 5_000)
    plain = request_of(log)
    assert body["messages"][-1]["content"][-1] == text("Summarise.")
    assert body["messages"][-1]["role"] == "user"
    assert body["max_tokens"] == 5_000
    assert prefix_bytes(body).startswith(prefix_bytes(plain))
    assert marks_of(body) == marks_of(plain)


@pytest.mark.parametrize("effort", ["low", "high", "max"])
def test_a_summary_request_with_a_budget(effort: Any) -> None:
    """The budget stays, for another one would be another prefix; the limit grows by it."""
    log = Log("claude-sonnet-4-5")
    log.user("Go.")
    log.state.effort = effort
    body, _ = summary_request(log.state, "Summarise.", 5_000)
    plain, _ = build_request(log.state)
    assert body["thinking"] == plain["thinking"]
    assert body["max_tokens"] == 5_000 + body["thinking"]["budget_tokens"]
