"""Subagents without a screen: what drivers and people read of them."""

from pathlib import Path

from agent.offline import MessagesServer, Script, always, calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.command import Command
from tests.support.delegation import billed_usd, does, ordered

ORDERS = ("Look at it.", "Sum it up.")


def script() -> Script:
    """Two subagents, of which one has its history summarised."""
    story = says("A long story. " * 400) + calls("compact")
    return Script(
        ordered(*ORDERS),
        says("Done."),
        routes=[
            when(last_text_starts(OPENING), always(says("<summary>1. Pending work: none</summary>"))),
            does(ORDERS[0], calls("bash", command="echo hi"), says("It is there.")),
            does(ORDERS[1], story, says("It is long.")),
        ],
    )


def test_every_message_of_theirs_hangs_on_its_call(tmp_path: Path) -> None:
    """And on no other; a compaction of theirs is no boundary of the session; the cost is that of all requests."""
    with MessagesServer(script()) as server:
        command = Command(root=tmp_path, url=server.url)
        ran = command.here("-p", "Go.", "--permission-mode", "bypass", "--output-format", "stream-json")
        init, *between, result = ran.messages
        assert (init["subtype"], result["subtype"]) == ("init", "success")
        said = {
            message["parent_tool_use_id"]: message["message"]["content"][0]["text"]
            for message in between
            if message["type"] == "assistant" and message["message"]["content"][0]["type"] == "text"
        }
        tasks = [block["id"] for block in between[0]["message"]["content"]]
        assert said == {tasks[0]: "It is there.", tasks[1]: "It is long.", None: "Done."}
        assert [message for message in between if message["type"] == "system"] == []
        assert abs(result["total_cost_usd"] - billed_usd(server.queries)) < 1e-6
        assert result["num_turns"] == 2


def test_verbose_says_what_each_is_for(tmp_path: Path) -> None:
    """Its steps, its compaction and its end are lines under its name."""
    with MessagesServer(script()) as server:
        ran = Command(root=tmp_path, url=server.url).here(
            "-p", "Go.", "--permission-mode", "bypass", "--verbose"
        )
        lines = ran.err.splitlines()
        assert "task-001 · begins · Look at it" in lines
        assert "task-002 · begins · Sum it up" in lines
        assert any(line.startswith("task-001 · step 1 · bash echo hi · exit 0") for line in lines)
        assert any(line.startswith("task-002 · compacted · summary · ") for line in lines)
        assert any(line.startswith("step 1 · task Sum it up · 2 steps · $0.0") for line in lines)
