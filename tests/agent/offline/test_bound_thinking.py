"""On the models that bind thinking, it is valid only behind the conversation that produced it."""

from typing import Any

import pytest

from agent.offline import calls, says, thinks
from tests.agent.offline.asking import (
    BINDING,
    Json,
    ask,
    body,
    stream,
    text,
    tool,
    user,
)
from tests.agent.offline.talking import BOUND, CHANGED, DROP, ELSEWHERE, FREE, INVALID, Talk


def _edit_system(talk: Talk, how: Json) -> None:
    how["system"] = "other"


def _edit_tools(talk: Talk, how: Json) -> None:
    how["tools"] = [tool("read"), tool("write")]


def _edit_first(talk: Talk, how: Json) -> None:
    talk.messages[0] = user("hello")


def _shorten_result(talk: Talk, how: Json) -> None:
    talk.messages[2]["content"][0]["content"] = "[cleared]"


EDITS = [_edit_system, _edit_tools, _edit_first, _shorten_result]


@pytest.mark.parametrize("edit", EDITS)
def test_bound_thinking_minds_every_change_before_it(edit: Any) -> None:
    """System, tools, an earlier message, an earlier result: the first block behind the change is refused."""
    with Talk(thinks("a") + calls("read"), thinks("b") + calls("read"), model=BOUND) as talk:
        how: Json = {"tools": [tool("read")], "system": "be kind"}
        talk.step(**how)
        talk.step(**how)
        assert talk.ask(**how).status == 200
        edit(talk, how)
        first = 3 if edit is _shorten_result else 1
        assert talk.ask(**how).error == f"messages.{first}.content.0: {ELSEWHERE}"
        count = {
            name: value
            for name, value in body(*talk.messages, model=BOUND, **how).items()
            if name != "max_tokens"
        }
        assert ask(talk.server, count, path="/v1/messages/count_tokens").error.endswith(ELSEWHERE)
        free = {**how, "model": FREE}
        assert talk.ask(**free).status == 200


def test_bound_thinking_does_not_mind_what_changes_nothing() -> None:
    """Marks, effort, splitting of messages, tools that load later, and thinking gone from the start."""
    with Talk(thinks("a") + calls("read"), thinks("b") + calls("read"), model=BOUND) as talk:
        how: Json = {"tools": [tool("read")]}
        talk.step(**how)
        talk.step(**how)
        talk.messages[0] = user(text("hi", cache_control={"type": "ephemeral"}))
        talk.messages[1]["content"] = talk.messages[1]["content"][1:]
        talk.messages[4:] = [user(*talk.messages[4]["content"]), user("and go on")]
        how = {"tools": [tool("read"), tool("late", defer_loading=True)], "output_config": {"effort": "low"}}
        assert talk.ask(**how).status == 200


def test_bound_thinking_minds_a_gap() -> None:
    """A block between two others may not be missing."""
    replies = [thinks(name) + calls("read") for name in "abc"]
    with Talk(*replies, model=BOUND) as talk:
        for _ in replies:
            talk.step()
        talk.messages[3]["content"] = talk.messages[3]["content"][1:]
        assert talk.ask().error == f"messages.5.content.0: {ELSEWHERE}"


def test_drop_block_drops_that_and_all_later_thinking() -> None:
    """The report names each; the model does not see them, and they cost nothing."""
    replies = [thinks("word " * 50) + calls("read") for _ in range(3)]
    with Talk(*replies, model=BOUND) as talk:
        how: Json = {"thinking": DROP, "headers": BINDING}
        for _ in replies:
            talk.step(**how)
        whole = talk.ask(**how).json
        assert whole["input_transformations"] == []
        talk.messages[2]["content"][0]["content"] = "no"
        got = talk.ask(**how).json
        assert got["input_transformations"] == [
            {
                "type": "thinking_dropped",
                "path": f"messages.{index}.content.0",
                "reason": "prefix_binding_mismatch",
            }
            for index in (3, 5)
        ]
        assert got["usage"]["input_tokens"] < whole["usage"]["input_tokens"] - 50
        events = stream(talk.server, body(*talk.messages, model=BOUND, thinking=DROP), headers=BINDING).events
        assert len(events[0]["message"]["input_transformations"]) == 2


def test_drop_block_forgives_no_forgery() -> None:
    """A changed or forged block, or a latest message that is not as served, is refused all the same."""
    with Talk(thinks("a") + calls("read"), model=BOUND) as talk:
        how: Json = {"thinking": DROP, "headers": BINDING}
        talk.step(**how)
        content = talk.messages[1]["content"]
        talk.messages[1]["content"] = content[1:]
        assert talk.ask(**how).error == f"messages.1.content.0: {CHANGED}"
        talk.messages[1]["content"] = [{**content[0], "signature": "forged"}, content[1]]
        assert talk.ask(**how).error == f"messages.1.content.0: {INVALID}"


def test_a_reply_behind_dropped_thinking_is_bound_to_what_was_seen() -> None:
    """After a drop the conversation goes on and new thinking is dropped with the old, as long as that is sent."""
    with Talk(thinks("a") + says("x"), thinks("b") + says("y"), model=BOUND) as talk:
        how: Json = {"thinking": DROP, "headers": BINDING}
        talk.step("more", **how)
        talk.messages[0] = user("changed")
        talk.step("more", **how)
        assert len(talk.ask(**how).json["input_transformations"]) == 2
        talk.messages[1]["content"] = talk.messages[1]["content"][1:]
        assert talk.ask(**how).json["input_transformations"] == []
