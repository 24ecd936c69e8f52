"""The teaching course's experiments, under its own preset, with a real agent and real files."""

from pathlib import Path
from typing import Any

from agent.events import Compacted, Notice
from agent.offline import calls, error, last_text_starts, says, when
from compaction.messages import result_text
from compaction.serialise import ANSWER_TOKENS
from compaction.summary import OPENING, THINKING_ROOM_TOKENS
from tests.support.agent import Harness, scenario
from tests.support.invariants import is_for_summary, messages_of

CLASSIC: dict[str, Any] = {"config": {"preset": "classic"}, "may_move": True}
"""Its request for a summary begins with nothing that was sent before."""
SUMMARY = "<summary>1. Request and intent: SUMMED UP</summary>"
TOO_LONG = error(400, "prompt is too long: 210000 tokens > 200000 maximum")
PAGE_CHARS = 50_000


def summary(*more: Any) -> Any:
    """What is answered to a request for a summary."""
    return when(last_text_starts(OPENING), says(SUMMARY), *more)


def page(number: int, chars: int) -> str:
    """A text of about so many characters, of many lines."""
    line = f"page {number} " + "text " * 15
    return "\n".join([line] * (chars // (len(line) + 1)))


def receipts(harness: Harness) -> list[dict[str, Any]]:
    """What was compacted, in order."""
    return [dict(event.receipt) for event in harness.of(Compacted)]


def results(harness: Harness) -> list[str]:
    """The texts of the results in the newest request."""
    blocks = [block for message in messages_of(harness.server.queries[-1]) for block in message["content"]]
    return [result_text(block) for block in blocks if block["type"] == "tool_result"]


def shown(harness: Harness) -> str:
    """All texts of the newest request."""
    return str(harness.server.queries[-1].body["messages"])


async def test_of_five_files_read_the_oldest_is_shortened(tmp_path: Path) -> None:
    """The last three seen stay whole, and so does the one that was not seen yet; the model can read the oldest again."""
    files = {f"{number}.py": f"value = {number}\n" * 60 for number in range(5)}
    reads = [calls("read", file_path=name) for name in files]
    async with scenario(tmp_path, *reads, says("Read."), files=files, **CLASSIC) as harness:
        await harness.turn("Read the five files.")
        found = results(harness)
        path = f".task_outputs/tool-results/{harness.state.session_id}/1-0-read.txt"
        assert found[0].startswith("[[kept: 1-0-read · read 0.py 1-60 · ")
        assert f" · read {path}]]" in found[0]
        assert "1\tvalue = 0" in harness.read(path)
        assert all(f"1\tvalue = {number}" in found[number] for number in range(1, 5))
        assert [receipt["layer"] for receipt in receipts(harness)] == ["micro"]


async def test_of_five_large_pages_the_largest_goes_to_disk(tmp_path: Path) -> None:
    """Before it is sent, whole and under a path that is named; what it began with stays."""
    files = {f"{number}.txt": page(number, PAGE_CHARS - 6_000 + number * 300) for number in range(5)}
    together = calls("read", file_path="0.txt")
    for number in range(1, 5):
        together += calls("read", file_path=f"{number}.txt")
    async with scenario(
        tmp_path, together, says("Read."), files=files, routes=[summary()], **CLASSIC
    ) as harness:
        await harness.turn("Read the five pages.")
        [first, *_] = receipts(harness)
        assert first["layer"] == "budget"
        kept = harness.read(f".task_outputs/tool-results/{harness.state.session_id}/1-4-read.txt")
        assert kept.count("page 4 text") == files["4.txt"].count("\n") + 1
        [record] = [one for one in harness.log_records("compaction") if one["layer"] == "budget"]
        preview = record["changes"][0]["blocks"][0]["content"]
        assert preview.startswith(kept[:2_000])
        assert len(preview) < 2_200


async def test_over_fifty_thousand_characters_there_is_a_summary(tmp_path: Path) -> None:
    """Asked for with the history as text and without tools; its line names the archive, which holds what was said."""
    stories = [says(f"Story {number}. " + "word " * 4_000) for number in range(3)]
    async with scenario(tmp_path, *stories, says("Hello."), routes=[summary()], **CLASSIC) as harness:
        for _ in stories:
            await harness.turn("Tell me more.")
        assert (await harness.turn("hi")).text == "Hello."
        [asked] = [request.body for request in harness.server.queries if is_for_summary(request)]
        [receipt] = receipts(harness)
        assert "tools" not in asked
        assert len(asked["messages"]) == 1
        assert asked["max_tokens"] == ANSWER_TOKENS + THINKING_ROOM_TOKENS  # a model that thinks
        assert "assistant: Story 2." in str(asked["messages"])
        assert receipt["layer"] == "summary"
        assert receipt["archive"].startswith(f".transcripts/{harness.state.session_id}/")
        assert receipt["archive"] in shown(harness)
        assert "SUMMED UP" in shown(harness)
        assert "Story 0." in harness.read(receipt["archive"]) or "in file: " in harness.read(
            receipt["archive"]
        )


async def test_compact_beside_a_write(tmp_path: Path) -> None:
    """The write is done, once; only then comes the summary, and the turn goes on."""
    both = calls("write", file_path="a.txt", content="one\n") + calls("compact")
    async with scenario(
        tmp_path, says("word " * 3_000), both, says("Done."), routes=[summary()], **CLASSIC
    ) as harness:
        await harness.turn("Tell me.")
        assert (await harness.turn("Write it and compact.")).text == "Done."
        assert harness.read("a.txt") == "one\n"
        names = [record["name"] for record in harness.log_records("call")]
        assert names == ["write", "compact"]
        kinds = [
            record["type"] for record in harness.log_records() if record["type"] in ("result", "compaction")
        ]
        assert kinds == ["result", "result", "compaction"]
        assert "SUMMED UP" in shown(harness)


async def test_a_prompt_that_is_too_long_is_summarised_once(tmp_path: Path) -> None:
    """Then the request goes through, the last five messages as they were."""
    talk = [says(f"Answer {number}. " + "word " * 600) for number in range(6)]
    async with scenario(
        tmp_path, *talk, TOO_LONG, says("Here."), routes=[summary()], may_refuse=True, **CLASSIC
    ) as harness:
        for number in range(6):
            await harness.turn(f"Question {number}")
        assert (await harness.turn("And now?")).text == "Here."
        assert [(one["layer"], one["trigger"]) for one in receipts(harness)] == [("summary", "reactive")]
        sent = shown(harness)
        assert "SUMMED UP" in sent
        assert "Answer 0." not in sent
        assert "Answer 5." in sent
        assert "And now?" in sent


async def test_a_second_refusal_ends_the_turn(tmp_path: Path) -> None:
    """One retry; the session stays usable."""
    talk = says("word " * 3_000)
    async with scenario(
        tmp_path, talk, TOO_LONG, TOO_LONG, says("Back."), routes=[summary()], may_refuse=True, **CLASSIC
    ) as harness:
        await harness.turn("Tell me.")
        ended = await harness.turn("More.")
        assert ended.reason == "error"
        assert "too long" in ended.problem
        assert len(receipts(harness)) == 1
        assert (await harness.turn("Still there?")).text == "Back."
        assert not [notice for notice in harness.of(Notice) if "bug" in notice.text]
