"""F43: a request for a summary that fails leaves the history as it was, or the digest in its place; never nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.events import Compacted
from agent.offline import (
    Fault,
    Reply,
    Request,
    always,
    calls,
    empty,
    error,
    hangs_up,
    last_text_starts,
    says,
    when,
)
from agent.offline.script import Always, Route, Turn
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.invariants import is_for_summary
from tests.support.long_session import picture, texts

GOOD = says("<summary>1. Request and intent: SUMMED UP</summary>")
TOO_LONG = error(400, "prompt is too long: 210000 tokens > 200000 maximum")
STORY = says("A long story. " * 1_200, chunk_chars=20_000)
CUT = says("<summary>1. Request and intent: we were in the mid").having(stop_reason="max_tokens")
IMAGES = 25


def summary(*turns: Turn | Always) -> Route:
    """What is answered to requests for a summary."""
    return when(last_text_starts(OPENING), *turns)


def by(harness: Harness) -> str:
    """Who wrote the summary of the only compaction."""
    [compacted] = [event for event in harness.of(Compacted) if event.receipt["layer"] == "summary"]
    return str(compacted.receipt["summary_by"])


def asked(harness: Harness) -> int:
    """How many requests for a summary there were."""
    return sum(map(is_for_summary, harness.server.queries))


async def check_next_turn(harness: Harness, *, holds: str) -> None:
    """The next turn is answered, and its request holds these words."""
    assert (await harness.turn("hi")).text == "Hello."
    assert holds in texts(harness.server.queries[-1].body)


async def test_f43_a_too_long_to_be_summarised(tmp_path: Path) -> None:
    """Refused twice, it is asked for with less, and ends with a summary, which survives a resume."""
    route = summary(TOO_LONG, TOO_LONG, GOOD)
    turns = [*[STORY] * 6, says("Hello."), says("Hello.")]
    async with scenario(tmp_path, *turns, routes=[route]) as harness:
        for number in range(4711, 4717):
            await harness.turn(f"Remember the number {number}.")
        assert await harness.agent.compactor.compact("manual", "")
        assert by(harness) == "model"
        sizes = [len(str(request.body)) for request in harness.server.queries if is_for_summary(request)]
        assert sizes == sorted(set(sizes), reverse=True), "retried with less"
        await check_next_turn(harness, holds="SUMMED UP")
        await harness.resume()
        await check_next_turn(harness, holds="4711")


BAD = {
    "b": empty(),
    "c": says(" \n\t "),
    "d": calls("bash", command="touch made"),
    "f": CUT,
}


@pytest.mark.parametrize("letter", BAD)
@pytest.mark.parametrize("tries", [1, 2])
async def test_f43_b_c_d_f_no_summary(tmp_path: Path, letter: str, tries: int) -> None:
    """Nothing, blanks, a call, half a sentence: one retry, then the history stays; nothing of it is run or believed."""
    route = summary(*[BAD[letter]] * tries, GOOD)
    async with scenario(tmp_path, STORY, says("Hello."), routes=[route]) as harness:
        await harness.turn("Remember the number 4711.")
        assert await harness.agent.compactor.compact("manual", "") == (tries == 1)
        assert asked(harness) == 2
        assert not (harness.project / "made").exists()
        await check_next_turn(harness, holds="SUMMED UP" if tries == 1 else "A long story")
        said = texts(harness.server.queries[-1].body)
        assert "4711" in said
        assert "in the mid" not in said


async def test_f43_e_faults_on_the_way(tmp_path: Path) -> None:
    """429, 529, a closed connection: waited out; it ends with the summary."""
    route = summary(error(429, retry_after=3), error(529), hangs_up(), GOOD)
    async with scenario(tmp_path, STORY, says("Hello."), routes=[route]) as harness:
        await harness.turn("Tell me.")
        assert await harness.agent.compactor.compact("manual", "")
        assert by(harness) == "model"
        assert harness.pauses[0] == 3.0
        await check_next_turn(harness, holds="SUMMED UP")


@pytest.mark.parametrize("fault", [error(429), error(529), hangs_up()])
async def test_f43_e_faults_without_end(tmp_path: Path, fault: Fault) -> None:
    """The history stays, and the next request holds all of it."""
    patience = {"max_tries": 3, "max_unreached": 3}
    async with scenario(
        tmp_path, STORY, says("Hello."), routes=[summary(always(fault))], patience=patience
    ) as harness:
        await harness.turn("Tell me.")
        assert not await harness.agent.compactor.compact("manual", "")
        await check_next_turn(harness, holds="A long story")


async def while_it_is_written(tmp_path: Path, act: Callable[[Harness, bytes], Awaitable[None]]) -> None:
    """Do something while a slow summary streams; then the next turn holds the old messages."""
    slow = GOOD.having(pace_s=0.05, chunk_chars=4)
    async with scenario(
        tmp_path, STORY, says("Hello."), routes=[summary(slow, GOOD)], may_move=True
    ) as harness:
        await harness.turn("Remember the number 4711.")
        task = asyncio.ensure_future(harness.agent.compactor.compact("manual", ""))
        await harness.until(lambda: asked(harness))
        log = harness.agent.session.log.path.read_bytes()
        task.cancel()
        await asyncio.wait([task])
        assert harness.state.compactions == 0
        await act(harness, log)
        await check_next_turn(harness, holds="A long story")
        assert "4711" in texts(harness.server.queries[-1].body)


async def test_f43_g_interrupted(tmp_path: Path) -> None:
    """Ctrl-C while it streams: the history stays, and nothing of the summary is believed."""

    async def nothing(harness: Harness, log: bytes) -> None:
        assert harness.log_records("compaction") == []

    await while_it_is_written(tmp_path, nothing)


async def test_f43_i_killed(tmp_path: Path) -> None:
    """kill -9 while it streams, then resume: as if it had not been asked for."""

    async def come_back(harness: Harness, log: bytes) -> None:
        await harness.resume(log=log)

    await while_it_is_written(tmp_path, come_back)


async def test_f43_h_a_request_without_images(tmp_path: Path) -> None:
    """A server that takes no image there: they are replaced by a note, and the summary comes."""

    def picky(request: Request) -> Reply | Fault:
        has_image = "'type': 'image'" in str(request.body["messages"])
        return error(400, f"messages: too many images: {IMAGES} > 20 maximum") if has_image else GOOD

    names = [f"p{number}.png" for number in range(IMAGES)]
    reads = [
        sum((calls("read", file_path=name) for name in names[at : at + 5]), empty()) for at in range(0, 25, 5)
    ]
    async with scenario(
        tmp_path,
        *reads,
        says("Seen."),
        says("Hello."),
        files={name: picture(number % 6) + bytes([number]) for number, name in enumerate(names)},
        routes=[summary(always(picky))],
    ) as harness:
        await harness.turn("Look at all of them.")
        assert await harness.agent.compactor.compact("manual", "")
        assert by(harness) == "model"
        last = [request for request in harness.server.queries if is_for_summary(request)][-1]
        assert "'type': 'image'" not in str(last.body["messages"])
        assert "image" in texts(last.body)
        await check_next_turn(harness, holds="SUMMED UP")
