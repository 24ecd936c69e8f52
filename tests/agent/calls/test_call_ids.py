"""Ids and names of calls: what can be sent back, and no id twice."""

import re
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.api.reply import Reply
from agent.calls.call_ids import blocks_with_fresh_ids, with_fresh_ids
from agent.offline import calls, says
from compaction.messages import Block, text, tool_uses
from hooks.events import PreToolUse
from tests.support.agent import scenario

NAMES = st.sampled_from(["bash", "", "a b", "x" * 200, "größe", "../etc", "\ud83d"])
IDS = st.sampled_from(["call_0", "call_1", "", "call_p1", "call_p2", "a b", "x\n", "toolu_1", "ü"])


def reply(ids: list[str], *, malformed: dict[str, str] | None = None) -> Reply:
    """A reply with a text and calls of these ids."""
    calls: list[Block] = [{"type": "tool_use", "id": id_, "name": "bash", "input": {}} for id_ in ids]
    fields: dict[str, Any] = {"id": "msg", "model": "m", "stop_reason": "tool_use", "stop_details": None}
    return Reply(
        content=[text("I look."), *calls],
        usage=None,
        malformed=malformed or {},
        cut=[],
        input_transformations=[],
        **fields,
    )


@given(st.lists(IDS, max_size=6), st.sets(IDS))
def test_fresh_and_legal(ids: list[str], used: set[str]) -> None:
    """Every id is legal, none was used before or stands twice; a good one is kept; nothing else changes."""
    before = reply(ids)
    after = with_fresh_ids(before, used)
    found = [call["id"] for call in tool_uses(after.content)]
    assert len(set(found)) == len(found) == len(ids)
    assert not set(found) & used
    assert all(re.fullmatch("[a-zA-Z0-9_-]+", id_) for id_ in found)
    for number, id_ in enumerate(ids):
        if (
            re.fullmatch("[a-zA-Z0-9_-]+", id_)
            and id_ not in used
            and id_ not in (*ids[:number], *found[:number])
        ):
            assert found[number] == id_
    assert after.content[0] == before.content[0]
    assert [call["id"] for call in tool_uses(before.content)] == ids, "the input stays as it is"


@given(NAMES)
def test_names_are_legal(name: str) -> None:
    """A name that a server would not take back becomes one; a good one is kept."""
    block: Block = {"type": "tool_use", "id": "call_1", "name": name, "input": {}}
    [call] = tool_uses(blocks_with_fresh_ids([block], set()))
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", call["name"])
    assert call["name"] == name or name != "bash"


def test_malformed_arguments_follow_their_call() -> None:
    """They are found under the new id."""
    after = with_fresh_ids(reply(["call_0", "call_1"], malformed={"call_0": "{,}"}), {"call_0"})
    first, second = tool_uses(after.content)
    assert after.malformed == {first["id"]: "{,}"}
    assert second["id"] == "call_1"


def test_a_partial_reply() -> None:
    """Its whole calls get fresh ids, too."""
    blocks = blocks_with_fresh_ids(reply(["call_0", "call_0"]).content, {"call_0"})
    assert [call["id"] for call in tool_uses(blocks)] == ["call_p1", "call_p2"]


async def test_names_of_other_agents(tmp_path: Path) -> None:
    """A call by another agent's names runs, is logged and sent back by ours; permission and hooks see these too."""
    seen: list[tuple[str, dict[str, Any]]] = []
    turns = [calls("Read", filePath="a.py"), calls("MultiEdit", edits=[]), says("ok")]

    def see(event: PreToolUse) -> None:
        seen.append((event.tool_name, dict(event.tool_input)))

    async with scenario(tmp_path, *turns, files={"a.py": "x = 1\n"}, hooks=[(PreToolUse, see)]) as harness:
        await harness.turn("Go.")
        assert seen == [("read", {"file_path": "a.py", "offset": "1"})]
        sent = [
            (block["name"], block["input"])
            for message in harness.server.queries[-1].body["messages"]
            for block in message["content"]
            if block["type"] == "tool_use"
        ]
        assert sent == [("read", {"file_path": "a.py"}), ("MultiEdit", {"edits": []})]
        last = harness.log_records("result")[-1]
        assert last["content"].startswith("There is no tool `MultiEdit`.")
        assert harness.state.view.history.touched == {"a.py": 1}
