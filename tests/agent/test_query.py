"""Patience with a server that fails, and what is left of a reply that was cut off."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import Overloaded, RateLimited
from agent.events import ReplyDiscarded, RetryWaiting, TextDelta
from agent.offline import calls, error, says, stalls, thinks
from agent.query import LONGEST_DELAY_S, MAX_TRIES, ModelQuerier, Patience
from compaction.messages import text, tool_uses
from tests.support.agent import Harness, scenario


@given(st.integers(1, 100))
def test_pauses_double(tries: int) -> None:
    """From a second on, up to a minute, a quarter more or less."""
    wanted = min(2.0 ** (tries - 1), LONGEST_DELAY_S)
    assert 0.75 * wanted <= Patience().delay(tries, Overloaded("x")) <= 1.25 * wanted


@given(st.floats(0, 10_000))
def test_the_servers_wish(wish: float) -> None:
    """Kept as it is."""
    assert Patience().delay(1, RateLimited("x", retry_after_s=wish)) == wish


def test_how_long_it_goes_on() -> None:
    """Eight tries, and no single pause over five minutes."""
    assert (Patience().max_tries, Patience().longest_wait_s) == (MAX_TRIES, 300)


def querier_of(harness: Harness, **patience: Any) -> ModelQuerier:
    """A querier of the session."""
    return ModelQuerier(
        harness.agent.session,
        harness.shared.model,
        harness.listen,
        patience=Patience(**{"sleep": _no_sleep, **patience}),
    )


async def _no_sleep(delay_s: float) -> None:
    await asyncio.sleep(0)


def say(harness: Harness) -> None:
    """Log a prompt, so that there is something to send."""
    harness.agent.session.append(
        "message", role="user", content=[{"type": "text", "text": "Go."}], said=[0], turn=1
    )


async def test_the_last_try(tmp_path: Path) -> None:
    """Its error gets out; what streamed was void each time, and it was waited one time less."""
    async with scenario(tmp_path, *[says("Half").then_error()] * 3) as harness:
        say(harness)
        with pytest.raises(Overloaded):
            await querier_of(harness, max_tries=3).query(is_limit_raised=False)
        kinds = [type(event) for event in harness.events]
        assert kinds.count(ReplyDiscarded) == 3
        assert kinds.count(RetryWaiting) == 2
        assert len(harness.log_records("note")) == 3
        assert harness.state.spent.input_tokens > 0, "a reply that broke off was paid for"


async def test_our_own_requests_are_quiet(tmp_path: Path) -> None:
    """Nothing of them is shown but the waiting."""
    async with scenario(tmp_path, says("Half").then_error(), says("A summary."), may_move=True) as harness:
        say(harness)
        querier = querier_of(harness)
        request = {
            "model": "claude-sonnet-5-5",
            "max_tokens": 100,
            "messages": [{"role": "user", "content": [text("x")]}],
        }
        reply = await querier.ask(lambda: (request, ()))
        assert reply.content == [{"type": "text", "text": "A summary."}]
        assert [type(event) for event in harness.events] == [RetryWaiting]


async def test_partial(tmp_path: Path) -> None:
    """Of a cancelled query: whole blocks and the text so far, calls with fresh ids."""
    reply = thinks("Hm.") + calls("bash", "", command="ls") + says("I") + stalls(20)
    async with scenario(tmp_path, reply) as harness:
        say(harness)
        querier = querier_of(harness)
        task = asyncio.ensure_future(querier.query(is_limit_raised=False))
        await harness.until(lambda: harness.of(TextDelta))
        task.cancel()
        await asyncio.wait([task])
        blocks = querier.partial()
        assert [block["type"] for block in blocks] == ["thinking", "tool_use", "text"]
        assert [call["id"] for call in tool_uses(blocks)] == ["call_p1"]


@pytest.mark.parametrize("turns", [[says("Whole.")], [error(400)], [says("Half").then_error()] * 2])
async def test_nothing_partial_is_left(tmp_path: Path, turns: list[Any]) -> None:
    """Of a query that ended by itself nothing may be kept: it stands in the log, or is void."""
    async with scenario(tmp_path, *turns) as harness:
        say(harness)
        querier = querier_of(harness, max_tries=2)
        task = asyncio.ensure_future(querier.query(is_limit_raised=False))
        await asyncio.wait([task])
        task.exception()
        assert querier.partial() == []
