"""Thinking comes back as served and in order, or the request is refused."""

from typing import Any

import pytest

from agent.offline import calls, redacted, says, thinks
from tests.agent.offline.asking import (
    BINDING,
    Json,
    assistant,
    result,
    user,
)
from tests.agent.offline.talking import BOUND, CHANGED, FREE, INVALID, MANUAL, OPEN, Talk


def test_what_was_served_is_accepted() -> None:
    """All blocks byte for byte, also the empty and the redacted one."""
    with Talk(OPEN, OPEN, says("done")) as talk:
        first = talk.step()
        second = talk.step()
        assert talk.step("more")[0]["text"] == "done"
        assert talk.server.refusals == []
        keys = [block.get("signature") or block.get("data") for block in [*first[:3], *second[:3]]]
        assert len(set(keys)) == 6


def test_signatures_are_the_same_on_every_server() -> None:
    """The same script gives the same bytes."""
    with Talk(OPEN) as one, Talk(OPEN) as other:
        assert one.step() == other.step()


@pytest.mark.parametrize(
    "change",
    [
        lambda content: [{**content[0], "thinking": "A hm "}, *content[1:]],
        lambda content: [{**content[0], "thinking": "Ä hm"}, *content[1:]],
        lambda content: content[1:],
        lambda content: [content[1], content[0], *content[2:]],
        lambda content: [content[0], *content[2:]],
        lambda content: [*content[:2], *content[3:]],
        lambda content: content[3:],
        lambda content: [content[0], *content],
    ],
    ids=["letter", "blank", "first gone", "swapped", "empty gone", "redacted gone", "all gone", "doubled"],
)
def test_thinking_of_an_open_round_cannot_change(change: Any) -> None:
    """Nothing of it may be changed, moved or left out while its call is being answered."""
    with Talk(OPEN) as talk:
        talk.step()
        talk.messages[1]["content"] = change(talk.messages[1]["content"])
        got = talk.ask()
        assert (got.status, got.error.partition(": ")[2]) == (400, CHANGED)


@pytest.mark.parametrize("signature", ["", "forged"])
def test_a_forged_signature_is_invalid(signature: str) -> None:
    """Also in older messages; without the field at all the shape is wrong."""
    with Talk(OPEN) as talk:
        talk.step()
        block = talk.messages[1]["content"][0]
        block["signature"] = signature
        assert talk.ask().error == f"messages.1.content.0: {INVALID}"
        del block["signature"]
        assert talk.ask().error == "messages.1.content.0.thinking.signature: Field required"


def test_redacted_thinking_cannot_be_forged() -> None:
    """Its data is its signature."""
    with Talk(redacted() + says("x")) as talk:
        talk.step("more")
        talk.messages[1]["content"][0]["data"] += "x"
        assert talk.ask().error == "messages.1.content.0: Invalid `data` in `redacted_thinking` block"


def test_older_thinking_goes_whole_but_not_changed() -> None:
    """Behind the latest assistant message it may be left out; a changed one is invalid anywhere."""
    with Talk(OPEN, OPEN) as talk:
        talk.step()
        talk.step()
        talk.messages[1]["content"] = talk.messages[1]["content"][3:]
        assert talk.ask().status == 200
        talk.messages[1]["content"].insert(0, {**talk.messages[3]["content"][0], "thinking": "other"})
        assert talk.ask().error == f"messages.1.content.0: {INVALID}"


def test_thinking_of_a_closed_turn_goes_whole_or_stays_whole() -> None:
    """After the final answer of a turn it may be left out, but not in part."""
    with Talk(thinks("a") + thinks("b") + says("done")) as talk:
        talk.step("more")
        content = talk.messages[1]["content"]
        talk.messages[1]["content"] = content[1:]
        assert talk.ask().error == f"messages.1.content.0: {CHANGED}"
        talk.messages[1]["content"] = content[2:]
        assert talk.ask().status == 200


INTERLEAVED = thinks("a") + says("one") + calls("read") + thinks("b") + says("two") + calls("glob")


@pytest.mark.parametrize(
    ("kept", "is_accepted"),
    [([0, 1, 2], True), ([0, 1], True), ([0, 1, 2, 4], False), ([0, 1, 2, 5], False), ([1, 2], False)],
)
def test_a_reply_that_is_cut_off(kept: list[int], is_accepted: bool) -> None:
    """Of an interrupted reply the client knows only the beginning: a later thought is missing with all behind it."""
    with Talk(INTERLEAVED) as talk:
        content = talk.step()
        part = [content[place] for place in kept]
        answers = [result(block["id"]) for block in part if block["type"] == "tool_use"]
        got = talk.ask([user("hi"), assistant(*part), user(*answers, "stop")])
        assert got.status == (200 if is_accepted else 400)


def test_a_message_cannot_end_in_thinking() -> None:
    """Not even when it was served so; this is said before anything about its signature."""
    with Talk(thinks("a")) as talk:
        talk.step("more")
        assert talk.ask().error == "messages.1: The final block in an assistant message cannot be `thinking`."
        talk.messages[1]["content"][0]["signature"] = "forged"
        assert "final block" in talk.ask().error
    with Talk(redacted()) as talk:
        talk.step("more")
        assert talk.ask().error.endswith("cannot be `redacted_thinking`.")


def test_another_models_thinking_is_dropped_silently() -> None:
    """It costs nothing, may be left out, and is reported only if the beta header asks."""
    with Talk(thinks("word " * 100) + calls("read"), model=BOUND) as talk:
        talk.step()
        stripped = [talk.messages[0], assistant(talk.messages[1]["content"][1]), talk.messages[2]]
        costs = [
            talk.ask(messages, model=FREE).json["usage"]["input_tokens"]
            for messages in (talk.messages, stripped)
        ]
        assert costs[0] == costs[1]
        got = talk.ask(model=FREE, headers=BINDING).json["input_transformations"]
        path = "messages.1.content.0"
        assert got == [{"type": "thinking_dropped", "path": path, "reason": "model_binding_mismatch"}]
        assert "input_transformations" not in talk.ask(model=FREE).json


def test_manual_thinking_needs_a_thinking_block_first() -> None:
    """With `enabled`, an open round without its thinking gets a text of its own."""
    manual: Json = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000}
    with Talk(thinks("a") + calls("read"), calls("read"), model=MANUAL) as talk:
        talk.step(**manual)
        content = talk.messages[1]["content"]
        talk.messages[1]["content"] = content[1:]
        assert talk.ask(**manual).error == (
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding "
            "the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks "
            "from previous turns. To avoid this requirement, disable `thinking`."
        )
        talk.messages[1]["content"] = content
        talk.step(**manual)
        assert talk.ask(**manual).status == 200


def test_a_paused_reply_is_sent_back_as_it_is() -> None:
    """The one assistant message that may be last; the reply that goes on is merged with it."""
    paused = (thinks("a") + says("searching")).having(stop_reason="pause_turn")
    with Talk(paused, thinks("b") + says("found"), model=BOUND) as talk:
        content = talk.ask().json["content"]
        waiting = [user("hi"), assistant(*content)]
        assert talk.ask([user("hi"), assistant("searching, or not")]).status == 400
        more = talk.ask(waiting).json["content"]
        assert [block["type"] for block in more] == ["thinking", "text"]
        assert talk.ask([*waiting, assistant(*more), user("thanks")]).status == 200
        assert talk.ask([user("hi"), assistant(*content, *more), user("thanks")]).status == 200


def test_ids_that_repeat_are_told_apart_by_their_thinking() -> None:
    """Servers that give `call_0` each time: the thinking of any reply with this id will do."""
    replies = [thinks(name) + calls("read", call_id="call_0") for name in "ab"]
    with Talk(*replies) as talk:
        first, second = talk.ask().json["content"], talk.ask().json["content"]
        for content in (first, second):
            assert talk.ask([user("hi"), assistant(*content), user(result("call_0"))]).status == 200
        wrong = [user("hi"), assistant(second[1]), user(result("call_0"))]
        assert talk.ask(wrong).error == f"messages.1.content.0: {CHANGED}"
