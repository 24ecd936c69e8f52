"""Histories that grow too long: summarised by wish, at the threshold, after a refusal; never losing a thing."""

import asyncio
from pathlib import Path

import pytest

from agent.events import Compacted, Notice
from agent.offline import (
    Reply,
    Request,
    calls,
    error,
    last_text_starts,
    prefix_bytes,
    redacted,
    says,
    thinks,
    when,
)
from agent.offline.script import Always, Route, Turn
from compaction.summary import OPENING
from hooks.events import Outcome, PostCompact, PreCompact
from tests.support.agent import Harness, scenario
from tests.support.invariants import is_for_summary, main_requests

GOOD = says("<analysis>Hm.</analysis><summary>1. Request and intent: SUMMED UP</summary>")
STORY = says("A long story. " * 300)


def summary(*turns: Turn | Always) -> Route:
    """What is answered to requests for a summary."""
    return when(last_text_starts(OPENING), *turns)


def check_reuse(harness: Harness) -> None:
    """Every request for a summary begins with all bytes of the request before it, but for its instruction."""
    queries = harness.server.queries
    asking = [number for number, request in enumerate(queries) if is_for_summary(request)]
    assert asking
    for number in asking:
        before = [request for request in queries[:number] if not is_for_summary(request)][-1]
        assert prefix_bytes(queries[number].body).startswith(prefix_bytes(before.body))
        bill, bill_before = queries[number].bill, before.bill
        assert bill is None or bill_before is None or bill.read >= bill_before.read


async def test_by_wish_in_a_batch(tmp_path: Path) -> None:
    """The batch is closed first: three results, one write; then the summary, which carries them over."""
    batch = (
        calls("write", file_path="a.txt", content="once\n")
        + calls("compact", focus="the file")
        + calls("bash", command="echo x >> log; echo after")
    )
    async with scenario(
        tmp_path, STORY, batch, says("Done."), says("Hello."), routes=[summary(GOOD)]
    ) as harness:
        await harness.turn("Tell me.")
        assert (await harness.turn("Go.")).text == "Done."
        asked = next(request for request in harness.server.queries if is_for_summary(request))
        answer = asked.body["messages"][-1]["content"]
        assert [block["type"] for block in answer] == ["tool_result"] * 3 + ["text"]
        assert "Above all keep what concerns: the file" in answer[-1]["text"]
        assert (harness.read("a.txt"), harness.read("log")) == ("once\n", "x\n")
        after = str(main_requests(harness.server.queries)[-1].body["messages"])
        assert "SUMMED UP" in after
        assert "Hm." not in after
        assert "after" in after, "results that the model has not read are carried over"
        assert "A long story" not in after
        check_reuse(harness)
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."


async def test_at_the_threshold(tmp_path: Path) -> None:
    """A small working window: the history is summarised before it is full, and the session goes on."""
    read = calls("read", file_path="big.txt")
    lines = "".join(f"line {number} of a file that is not short\n" for number in range(250))
    turns = [
        read,
        calls("bash", command="cat big.txt"),
        calls("bash", command="cat big.txt; true"),
        says("Done."),
    ]
    async with scenario(
        tmp_path,
        *turns,
        says("Hello."),
        routes=[summary(GOOD)],
        files={"big.txt": lines},
        config={"window": 16_000, "preset": "window"},
        windows={"claude-sonnet-5-5": 24_000},
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        receipt = harness.of(Compacted)[0].receipt
        assert receipt["trigger"] == "auto"
        assert receipt["after"] < receipt["before"]
        assert harness.state.context_size < 16_000
        check_reuse(harness)
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."


@pytest.mark.parametrize(
    "model", ["claude-haiku-4-5", "claude-opus-4-6", "claude-opus-5", "claude-haiku-5-5"]
)
@pytest.mark.parametrize("window", [16_000, 60_000, 200_000])
async def test_on_every_kind_of_model(tmp_path: Path, model: str, window: int) -> None:
    """The request for a summary is accepted by all models, whatever the window, thinking in the history or not."""
    thought = thinks("Hm.") + redacted("x") + STORY + calls("compact")
    async with scenario(
        tmp_path, thought, says("Done."), routes=[summary(GOOD)], config={"model": model, "window": window}
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.state.compactions == 1
        check_reuse(harness)


@pytest.mark.parametrize("effort", ["low", "high", "max"])
async def test_with_an_effort(tmp_path: Path, effort: str) -> None:
    """A thinking budget fits below the limit of the summary, too."""
    config = {"model": "claude-sonnet-4-5", "effort": effort, "window": 30_000}
    async with scenario(
        tmp_path,
        STORY + calls("compact"),
        says("Done."),
        routes=[summary(GOOD)],
        config=config,
        may_move=True,
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.state.compactions == 1


async def test_after_a_refusal(tmp_path: Path) -> None:
    """A prompt that the server finds too long is summarised and sent again, once."""
    refusal = error(400, "prompt is too long: 250000 tokens > 200000 maximum")
    async with scenario(
        tmp_path, STORY, refusal, says("Done."), says("Hello."), routes=[summary(GOOD)]
    ) as harness:
        await harness.turn("Tell me.")
        assert (await harness.turn("Go.")).text == "Done."
        assert [event.receipt["trigger"] for event in harness.of(Compacted)] == ["reactive"]
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."


async def test_refused_again(tmp_path: Path) -> None:
    """The turn ends with a clear message, and the session lives."""
    refusal = error(400, "prompt is too long: 250000 tokens > 200000 maximum")
    async with scenario(tmp_path, STORY, refusal, refusal, says("Hello."), routes=[summary(GOOD)]) as harness:
        await harness.turn("Tell me.")
        ended = await harness.turn("Go.")
        assert ended.reason == "error"
        assert "250000" in ended.problem or "too long" in ended.problem
        assert len(harness.of(Compacted)) == 1
        assert (await harness.turn("hi")).text == "Hello."


async def test_the_server_means_it(tmp_path: Path) -> None:
    """A real refusal: the summary is asked for with previews of what the model has not read, and the turn goes on."""
    lines = "".join(f"line {number} of a file that is not short at all\n" for number in range(1900))
    read = calls("read", file_path="big.txt")
    async with scenario(
        tmp_path,
        calls("bash", command="true"),
        read,
        says("Done."),
        says("Hello."),
        routes=[summary(GOOD)],
        files={"big.txt": lines},
        windows={"claude-sonnet-5-5": 22_000},
        may_refuse=True,
    ) as harness:
        ended = await harness.turn("Go.")
        assert ["prompt is too long" in text for _, text in harness.server.refusals] == [True]
        assert harness.state.compactions == 1
        assert harness.of(Compacted)[0].receipt["summary_by"] == "model"
        assert ended.text == "Done."
        assert (await harness.turn("hi")).text == "Hello."


@pytest.mark.parametrize(
    "bad",
    [
        [says("I would rather chat."), GOOD],
        [calls("bash", command="touch made"), GOOD],
        [says("<summary>cut").having(stop_reason="max_tokens"), GOOD],
        [error(529), GOOD],
        [GOOD.then_error("overloaded_error"), GOOD],
    ],
)
async def test_a_summary_at_the_second_try(tmp_path: Path, bad: list[Turn]) -> None:
    """Chatter, calls, cuts and faults are no summary: it is asked for once more, and nothing is run."""
    async with scenario(tmp_path, STORY + calls("compact"), says("Done."), routes=[summary(*bad)]) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.of(Compacted)[0].receipt["summary_by"] == "model"
        assert not (harness.project / "made").exists()


@pytest.mark.parametrize("bad", [says("I would rather chat."), calls("bash", command="touch made")])
async def test_no_summary_at_all(tmp_path: Path, bad: Reply) -> None:
    """Asked for, it may not fail in silence: the history stays as it is, word for word, and it is said why."""
    async with scenario(
        tmp_path, STORY + calls("compact"), says("Done."), routes=[summary(bad, bad)]
    ) as harness:
        before = harness.state.view.tokens
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.of(Compacted) == []
        assert "summary failed" in harness.of(Notice)[-1].text
        assert harness.state.view.tokens > before
        assert not (harness.project / "made").exists()


@pytest.mark.parametrize("fault", [error(400, "no"), error(401), error(529)])
async def test_a_summary_that_fails(tmp_path: Path, fault: Turn) -> None:
    """The history stays as it is, which is said; the turn goes on."""
    turns = [STORY + calls("compact"), says("Done.")]
    route = summary(*[fault] * 3)
    async with scenario(tmp_path, *turns, routes=[route], patience={"max_tries": 3}) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.state.compactions == 0
        assert "the history stays as it is" in harness.of(Notice)[-1].text
        assert "A long story" in str(harness.server.queries[-1].body["messages"])


async def test_a_hook_refuses_it(tmp_path: Path) -> None:
    """PreCompact may forbid it and hears why it would happen; the wish is forgotten."""
    seen = []

    def refuse(event: PreCompact) -> Outcome:
        seen.append((event.trigger, event.focus))
        return Outcome(decision="deny", reason="not now")

    turns = [STORY + calls("compact", focus="it"), calls("bash", command="true"), says("Done.")]
    async with scenario(tmp_path, *turns, hooks=[(PreCompact, refuse)]) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert seen == [("manual", "it")]
        assert harness.state.compactions == 0


async def test_a_hook_hears_the_summary(tmp_path: Path) -> None:
    """PostCompact gets it."""
    seen = []

    def hear(event: PostCompact) -> None:
        seen.append((event.trigger, event.summary))

    async with scenario(
        tmp_path, STORY + calls("compact"), says("Done."), routes=[summary(GOOD)], hooks=[(PostCompact, hear)]
    ) as harness:
        await harness.turn("Go.")
        assert seen == [("manual", "1. Request and intent: SUMMED UP")]


async def test_an_interrupt_while_it_is_summarised(tmp_path: Path) -> None:
    """The history stays as it was, and the wish is over: else every further turn would begin with what was stopped."""
    slow = GOOD.having(pace_s=0.05)
    async with scenario(
        tmp_path, STORY + calls("compact"), says("Hello."), routes=[summary(slow, GOOD)]
    ) as harness:

        def is_summarising() -> bool:
            return any(is_for_summary(request) for request in harness.server.queries)

        turn = asyncio.ensure_future(harness.turn("Go."))
        await harness.until(is_summarising)
        harness.interrupt()
        assert (await turn).reason == "interrupted"
        assert harness.state.compactions == 0
        assert (await harness.turn("hi")).text == "Hello."
        assert harness.state.compactions == 0


async def test_the_archive_can_be_read(tmp_path: Path) -> None:
    """What left the view is in files whose paths stand in the view; read opens them in every mode."""

    def read_archive(request: Request) -> Reply:
        return calls("read", file_path=request.body["messages"][0]["content"][3]["text"].split("`read` ")[1])

    def read_part(request: Request) -> Reply:
        [text] = request.results.values()
        return calls("read", file_path=next(word for word in text.split() if word.endswith(".txt")))

    turns = (STORY + calls("compact"), read_archive, read_part, says("Done."))
    async with scenario(tmp_path, *turns, routes=[summary(GOOD)], mode="plan") as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert "A long story" in str(harness.log_records("result")[-1]["content"])


async def test_nothing_left_to_summarise(tmp_path: Path) -> None:
    """A refusal that no summary could help ends the turn at once."""
    refusal = error(400, "prompt is too long: 250000 tokens > 200000 maximum")
    async with scenario(tmp_path, refusal, says("Hello."), routes=[summary(GOOD)]) as harness:
        ended = await harness.turn("Go.")
        assert ended.reason == "error"
        assert "too long" in ended.problem
        assert len(main_requests(harness.server.queries)) == 1
        assert (await harness.turn("hi")).text == "Hello."
