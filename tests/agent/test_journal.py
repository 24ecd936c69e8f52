"""How a reply stands in the log."""

from pathlib import Path
from typing import Any

import pytest

from agent.api.reply import Reply
from agent.journal import INTERRUPTED, NOT_RUN, append_reply, drop_steering, keep_partial, refuse_calls
from compaction.messages import Block, text
from tests.support.agent import Harness, scenario

CALL: Block = {"type": "tool_use", "id": "call_1", "name": "bash", "input": {"command": "ls"}}
USAGE = {"input_tokens": 900, "output_tokens": 100}


def reply(*content: Block, reason: str = "end_turn", cut: list[dict[str, str]] | None = None) -> Reply:
    """A reply."""
    return Reply(
        id="msg_1",
        model="claude-sonnet-5-5-20261001",
        content=list(content),
        stop_reason=reason,
        stop_details=None,
        usage=USAGE,
        malformed={},
        cut=cut or [],
        input_transformations=[],
    )


def last(harness: Harness) -> dict[str, Any]:
    """The newest record."""
    return harness.log_records()[-1]


async def test_a_reply(tmp_path: Path) -> None:
    """A message with what it cost, which step it was and what it was an answer to."""
    async with scenario(tmp_path) as harness:
        sha = harness.state.prefix_sha
        append_reply(harness.agent.session, reply(text("Done.")))
        record = last(harness)
        assert (record["type"], record["role"], record["step"]) == ("message", "assistant", 1)
        assert (record["usage"], record["reply_id"], record["prefix_sha"]) == (USAGE, "msg_1", sha)
        assert record["model"] == "claude-sonnet-5-5", (
            "the model that was asked: its thinking goes back to it"
        )
        assert "cut" not in record
        assert (harness.state.context_size, harness.state.step) == (1000, 1)


@pytest.mark.parametrize(
    "one", [reply(), reply(text("No."), reason="refusal"), reply(CALL, reason="refusal")]
)
async def test_a_reply_that_is_no_message(tmp_path: Path, one: Reply) -> None:
    """Nothing of it stands in the history; it is in the log and paid for, and its step is not given again."""
    async with scenario(tmp_path) as harness:
        append_reply(harness.agent.session, one)
        assert last(harness)["type"] == "note"
        assert last(harness)["content"] == one.content
        assert len(harness.state.view) == 0
        assert harness.state.spent.output_tokens == 100
        assert harness.state.step == 1


async def test_a_cut_call(tmp_path: Path) -> None:
    """Kept in the log beside the message that it is left out of."""
    cut = [{"id": "call_2", "name": "write", "arguments": '{"f'}]
    async with scenario(tmp_path) as harness:
        append_reply(harness.agent.session, reply(text("I write."), reason="max_tokens", cut=cut))
        assert last(harness)["cut"] == cut


async def test_a_partial_reply(tmp_path: Path) -> None:
    """A message with its calls answered as not run, and a word that the user stopped here."""
    async with scenario(tmp_path) as harness:
        keep_partial(harness.agent.session, [text("I look."), CALL])
        messages = harness.state.view.messages("kept", "claude-sonnet-5-5")
        assert messages[0] == {"role": "assistant", "content": [text("I look."), CALL]}
        result, word = messages[1]["content"]
        assert result == {
            "type": "tool_result",
            "tool_use_id": "call_1",
            "content": NOT_RUN,
            "is_error": True,
        }
        assert word == text(INTERRUPTED)


async def test_nothing_received(tmp_path: Path) -> None:
    """Only the word stands there."""
    async with scenario(tmp_path) as harness:
        keep_partial(harness.agent.session, [])
        assert [placed.block for placed in harness.state.view] == [text(INTERRUPTED)]


async def test_refused_calls(tmp_path: Path) -> None:
    """A result record for each call, texts passed over."""
    async with scenario(tmp_path) as harness:
        session = harness.agent.session
        append_reply(session, reply(text("I look."), CALL))
        ids = refuse_calls(session, [text("I look."), CALL])
        assert [harness.state.calls.results[id_]["call"] for id_ in ids] == ["call_1"]
        session.answer(ids)


async def test_dropped_steering(tmp_path: Path) -> None:
    """It waits no longer, and the log says why."""
    async with scenario(tmp_path) as harness:
        session = harness.agent.session
        ids = [session.append("steering", text=words) for words in ("a", "b", "c")]
        drop_steering(session, ids[:2], "not now")
        assert harness.state.waiting == {ids[2]: "c"}
        assert last(harness)["text"] == "not now"
