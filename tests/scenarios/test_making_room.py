"""Making room that gets nowhere, summaries that fail, images that a server refuses: said, bounded, never the end."""

import base64
from pathlib import Path

import pytest

from agent.events import Compacted, Notice, SummaryStarted
from agent.offline import calls, error, last_text_starts, prefix_bytes, says, when
from agent.offline.script import Route, Turn, always
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.histories import TINY_PNG
from tests.support.invariants import is_for_summary, main_requests

GOOD = says("<summary>1. Request and intent: SUMMED UP</summary>")
STORY = says("A long story. " * 600)
CHAT = says("I would rather chat.")
LINES = "".join(f"line {number} of a file that is not short\n" for number in range(420))
SMALL = {"window": 16_000, "preset": "window"}


def summary(*turns: Turn) -> Route:
    """What is answered to requests for a summary, the last for ever."""
    return when(last_text_starts(OPENING), *turns[:-1], always(turns[-1]))


def notices(harness: Harness) -> str:
    return "\n".join(event.text for event in harness.of(Notice))


def asked(harness: Harness) -> int:
    return sum(is_for_summary(request) for request in harness.server.queries)


async def test_two_in_vain_pause_it_and_a_full_window_ends_the_turn(tmp_path: Path) -> None:
    """Little can leave, for nearly all is the system prompt: said once, with what fills it; then the turn ends."""
    reads = [calls("bash", command=f"head -c 2000 big.txt; true {number}") for number in range(12)]
    async with scenario(
        tmp_path,
        *reads,
        files={"big.txt": LINES},
        routes=[summary(GOOD)],
        config={**SMALL, "append_system": "Mind this. " * 2_200},
    ) as harness:
        ended = await harness.turn("Go.")

        assert ended.reason == "limit"
        assert "context is full" in ended.problem
        assert "bash head -c 2000" in ended.problem
        assert notices(harness).count("compaction pauses") == 1
        assert asked(harness) == len(harness.of(Compacted)) == len(harness.of(SummaryStarted)) == 2
        await harness.resume()
        assert harness.state.is_paused
        assert await harness.agent.compactor.compact("manual", "")
        assert not harness.state.is_paused


async def test_room_again_ends_the_pause(tmp_path: Path) -> None:
    """Once the context is down to low-water, size sets it off again."""
    async with scenario(tmp_path, says("Done."), routes=[summary(GOOD)], config=SMALL) as harness:
        harness.agent.session.append("note", text="stuck", compaction_paused=True)
        await harness.turn("Go.")
        assert not harness.state.is_paused


async def test_three_failures_open_the_circuit(tmp_path: Path) -> None:
    """From then on the digest stands in unasked, until a summary asked for by hand has come."""
    steps = [calls("bash", command=f"head -c 5000 big.txt; true {number}") for number in range(24)]
    async with scenario(
        tmp_path,
        *steps,
        says("Done."),
        files={"big.txt": LINES},
        routes=[when(last_text_starts(OPENING), *[CHAT] * 6, always(GOOD))],
        config=SMALL,
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        receipts = [event.receipt for event in harness.of(Compacted)]
        by = [receipt["summary_by"] for receipt in receipts if receipt["layer"] == "summary"]
        assert by == ["digest"] * len(by)
        assert len(by) > 3
        assert asked(harness) == 6
        assert notices(harness).count("3 times in a row") == 1
        assert await harness.agent.compactor.compact("manual", "")
        assert harness.of(Compacted)[-1].receipt["summary_by"] == "model"
        assert harness.state.failed_summaries == 0


@pytest.mark.parametrize(
    "refusal",
    [
        error(400, "messages.2.content.0.tool_result.content.0.image.source.base64: Could not process image"),
        error(413, "Request exceeds the maximum size"),
    ],
)
async def test_a_refused_image_goes_to_disk(tmp_path: Path, refusal: Turn) -> None:
    """One retry without any image; each stands as a line with its path, byte for byte on disk; nothing is summarised."""
    async with scenario(
        tmp_path, calls("read", file_path="a.png"), refusal, says("Done."), files={"a.png": TINY_PNG}
    ) as harness:
        assert (await harness.turn("Look.")).text == "Done."
        receipt = harness.of(Compacted)[0].receipt
        assert (receipt["layer"], receipt["cause"]) == ("reactive", "refusal")
        assert [(harness.project / path).read_bytes() for path in receipt["where"].values()] == [TINY_PNG]
        last = prefix_bytes(main_requests(harness.server.queries)[-1].body)
        assert base64.b64encode(TINY_PNG) not in last
        assert asked(harness) == 0


async def test_a_large_request_loses_its_images_before_it_is_sent(tmp_path: Path) -> None:
    """Over 30 MB of images: none of them is sent; the server never sees a request that is too large."""
    data = TINY_PNG + b"\0" * 6_000_000
    names = [f"{number}.png" for number in range(4)]
    reads = [calls("read", file_path=name) for name in names]
    async with scenario(
        tmp_path, *reads, says("Done."), files=dict.fromkeys(names, data), may_refuse=True
    ) as harness:
        ended = await harness.turn("Look.")
        largest = max(len(prefix_bytes(request.body)) for request in harness.server.queries)
        assert ended.text == "Done."
        assert largest < 32_000_000


async def test_a_wish_outlasts_a_layer(tmp_path: Path) -> None:
    """What the model asked for is done, also when a layer acts before the same step."""
    batch = (
        calls("bash", command="cat big.txt") + calls("bash", command="cat big.txt; true") + calls("compact")
    )
    async with scenario(
        tmp_path,
        STORY,
        batch,
        says("Done."),
        files={"big.txt": LINES},
        routes=[summary(GOOD)],
        config={"window": 16_000},
    ) as harness:
        await harness.turn("Tell me.")
        assert (await harness.turn("Go.")).text == "Done."
        layers = [event.receipt["layer"] for event in harness.of(Compacted)]
        assert layers == ["budget", "summary"]


async def test_the_file_at_work_comes_back(tmp_path: Path) -> None:
    """After a summary it stands as the read tool shows it, as long as it is what the model knew."""
    script = [STORY + calls("read", file_path="a.py") + calls("read", file_path="b.py"), *[says("Done.")] * 2]
    async with scenario(
        tmp_path, *script, files={"a.py": "one = 1\n", "b.py": "two = 2\n"}, routes=[summary(GOOD)]
    ) as harness:
        await harness.turn("Look.")
        (harness.project / "b.py").write_text("three = 3\n", "utf-8")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("Go on.")
        shown = str(main_requests(harness.server.queries)[-1].body["messages"][0]["content"])
        assert "1\\tone = 1" in shown
        assert "three = 3" not in shown
