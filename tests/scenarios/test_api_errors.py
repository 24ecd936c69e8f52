"""F56: overload, limits, faults and refusals of the server, as a session lives through them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.events import Notice, ReplyDiscarded, RetryWaiting, TurnEnded
from agent.offline import Fault, Reply, always, calls, error, hangs_up, says
from tests.support.agent import Harness, scenario

HALF = "Half of it. And the other "


async def lives(harness: Harness) -> None:
    """The next turn works."""
    assert (await harness.turn("hi")).text == "Hello."


def assistant_texts(harness: Harness) -> list[str]:
    """What the model said, as it was sent back last."""
    messages = harness.server.queries[-1].body["messages"]
    return [
        block["text"]
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if block["type"] == "text"
    ]


async def test_f56_a_overload_in_mid_stream(tmp_path: Path) -> None:
    """Asked again after a pause that is shown; what had streamed is void, the text stands once."""
    broken = says(HALF).then_error("overloaded_error", after_chars=12)
    async with scenario(tmp_path, broken, says(HALF + "half."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == HALF + "half."
        assert len(harness.server.queries) == 2
        assert len(harness.of(ReplyDiscarded)) == len(harness.of(RetryWaiting)) == len(harness.pauses) == 1
        await lives(harness)
        assert assistant_texts(harness) == [HALF + "half."]


async def test_f56_b_overload_twice(tmp_path: Path) -> None:
    """Two 529 and then a reply: three requests, growing pauses."""
    async with scenario(tmp_path, error(529), error(529), says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert len(harness.server.queries) == 3
        first, second = harness.pauses
        assert 0.5 < first < 1.5 < second < 3
        assert [event.attempt for event in harness.of(RetryWaiting)] == [1, 2]
        await lives(harness)


@pytest.mark.parametrize(
    ("wish", "least", "most"), [(2, 2, 2), ("abc", 0.5, 1.5), (-1, 0, 1.5), ("", 0.5, 1.5), ("nan", 0, 1.5)]
)
async def test_f56_c_retry_after(tmp_path: Path, wish: Any, least: float, most: float) -> None:
    """The server's wish is kept; one that is no number of seconds is not."""
    async with scenario(tmp_path, error(429, retry_after=wish), says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert least <= harness.pauses[0] <= most
        await lives(harness)


async def test_f56_c_an_hour_is_not_waited(tmp_path: Path) -> None:
    """A wish beyond patience ends the turn, and says for how long the server asked."""
    async with scenario(tmp_path, error(429, retry_after=3600), says("Hello.")) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, harness.pauses) == ("error", [])
        assert "3600 s" in harness.of(Notice)[0].text
        assert len(harness.server.queries) == 1
        await lives(harness)


async def test_f56_d_overload_for_ever(tmp_path: Path) -> None:
    """The tries end: eight, not eight times those of a library below."""
    async with scenario(tmp_path, *[error(529)] * 8, says("Hello.")) as harness:
        ended = await harness.turn("Go.")
        assert ended.reason == "error"
        assert "verloaded" in ended.problem
        assert len(harness.server.queries) == 8
        assert max(harness.pauses) <= 75
        await lives(harness)


@pytest.mark.parametrize("fault", [error(500, body="<html>oops</html>"), hangs_up(), error(504)])
async def test_f56_e_faults(tmp_path: Path, fault: Fault) -> None:
    """A fault that may pass is asked about again, whatever its body is."""
    async with scenario(tmp_path, fault, says("Done."), says("Hello.")) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert len(harness.server.queries) == 2
        await lives(harness)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_f56_f_refusals(tmp_path: Path, status: int) -> None:
    """Not asked again; one clear text; the session lives."""
    async with scenario(tmp_path, error(status, "because of this"), says("Hello.")) as harness:
        ended = await harness.turn("Go.")
        assert ended.reason == "error"
        assert "\n" not in ended.problem
        assert ended.problem
        assert len(harness.server.queries) == 1
        await lives(harness)


async def test_f56_g_an_interrupt_while_waiting(tmp_path: Path) -> None:
    """The pause ends at once."""
    patience = {"sleep": asyncio.sleep}
    async with scenario(tmp_path, error(529, retry_after=60), says("Hello."), patience=patience) as harness:
        harness.once(RetryWaiting, lambda: asyncio.get_running_loop().call_later(0.1, harness.interrupt))
        started = asyncio.get_running_loop().time()
        assert (await harness.turn("Go.")).reason == "interrupted"
        assert asyncio.get_running_loop().time() - started < 5
        await lives(harness)


@pytest.mark.parametrize(
    "broken",
    [
        calls("bash", command="echo x >> log.txt").then_error("overloaded_error"),
        calls("bash", command="echo x >> log.txt").then_cut(),
        calls("bash", command="echo x >> log.txt").then_cut(clean=True),
    ],
)
async def test_f56_h_behind_a_whole_call(tmp_path: Path, broken: Reply) -> None:
    """The call of a reply that broke off is not run; that of the second try is, once."""
    async with scenario(
        tmp_path, broken, calls("bash", command="echo x >> log.txt"), says("Done."), says("Hello.")
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.read("log.txt") == "x\n"
        await lives(harness)


async def test_an_error_event_that_is_no_overload(tmp_path: Path) -> None:
    """A refusal that comes in mid-stream ends the turn like any other; what it cost is counted."""
    broken = says(HALF).then_error("invalid_request_error", "no such thing")
    async with scenario(tmp_path, broken, says("Hello.")) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, len(harness.server.queries)) == ("error", 1)
        assert "no such thing" in ended.problem
        assert harness.state.spent.input_tokens > 0
        await lives(harness)
        assert assistant_texts(harness) == []


async def test_a_server_that_does_not_know_block_binding(tmp_path: Path) -> None:
    """Its field is left out for the rest of the session, also after resume."""
    refusal = error(400, "thinking.adaptive.block_binding: Extra inputs are not permitted")
    async with scenario(tmp_path, refusal, says("Done."), says("Hello."), may_move=True) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        await harness.resume()
        await lives(harness)
        thinking = ["block_binding" in request.body["thinking"] for request in harness.server.queries]
        assert thinking == [True, False, False]


async def test_a_turn_is_over_once(tmp_path: Path) -> None:
    """Whatever happened, a turn ends with one TurnEnded and one `end` record of the same reason."""
    async with scenario(tmp_path, error(401), always(says("Hello."))) as harness:
        await harness.turn("Go.")
        await harness.turn("hi")
        reasons = [event.reason for event in harness.of(TurnEnded)]
        assert reasons == [record["reason"] for record in harness.log_records("end")] == ["error", "done"]
