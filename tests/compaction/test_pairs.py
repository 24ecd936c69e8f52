"""Pairs: every call is answered exactly once, in the next user message, results first."""

import pytest
from hypothesis import given

from compaction.messages import Block, Message, text
from compaction.pairs import broken_pairs, open_calls
from tests.support.histories import MODEL, Said, histories, view_of


def call(id_: str) -> Block:
    return {"type": "tool_use", "id": id_, "name": "bash", "input": {}}


def result(id_: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id_, "content": "x"}


def history(*contents: list[Block]) -> list[Message]:
    """User and assistant in turn."""
    return [
        {"role": "user" if index % 2 == 0 else "assistant", "content": content}
        for index, content in enumerate(contents)
    ]


START: list[Block] = [text("go")]


@pytest.mark.parametrize(
    ("messages", "faults"),
    [
        (history(START, [call("a")], [result("a")]), []),
        (history(START, [call("a"), call("b")], [result("b"), result("a"), text("more")]), []),
        (history(START, [call("a")]), ["2: call a is not answered"]),
        (history(START, [call("a")], [text("no")]), ["2: call a is not answered"]),
        (history(START, [text("hm")], [result("a")]), ["2: result a has no call"]),
        (history([result("a")]), ["0: result a has no call"]),
        (history(START, [call("a")], [result("a"), result("a")]), ["2: call a is answered twice"]),
        (
            history(START, [call("b"), call("a")], [result("b"), result("b"), result("a"), result("a")]),
            ["2: call b is answered twice", "2: call a is answered twice"],
        ),
        (history(START, [call("a")], [text("first"), result("a")]), ["2: results do not stand first"]),
        (
            [*history(START, [call("a")]), {"role": "assistant", "content": [text("x")]}],
            ["2: call a is not answered"],
        ),
    ],
)
def test_broken_pairs_names_each_fault(messages: list[Message], faults: list[str]) -> None:
    """Each way to break the pairing has its line; a valid history has none."""
    assert broken_pairs(messages) == faults


@given(histories())
def test_open_calls_are_those_of_an_unanswered_last_reply(said: list[Said]) -> None:
    """A whole history has no open call; cut behind a reply, exactly its calls are open."""
    messages = view_of(said).messages("kept", MODEL)
    assert open_calls(messages) == []

    for stop, message in enumerate(messages, 1):
        if message["role"] == "assistant":
            expected = [block for block in message["content"] if block["type"] == "tool_use"]
            assert open_calls(messages[:stop]) == expected


def test_an_empty_history_has_no_open_calls() -> None:
    """Nothing asked, nothing open."""
    assert open_calls([]) == []
