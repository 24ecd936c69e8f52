"""Stopping work at the user's word."""

import asyncio

import pytest

from agent.errors import Interrupted
from agent.interrupts import Interrupts


async def work(seen: list[str]) -> str:
    """Work that takes a while."""
    seen.append("begun")
    await asyncio.sleep(30)
    return "done"


async def careful(seen: list[str]) -> str:
    """Work that closes down when it is cancelled, and returns all the same."""
    try:
        return await work(seen)
    except asyncio.CancelledError:
        seen.append("closing")
        await asyncio.sleep(0.05)
        seen.append("closed")
        return "what there was"


async def test_work_that_nobody_stops() -> None:
    """Its value comes back, and its errors."""
    interrupts = Interrupts()
    assert await interrupts.run(asyncio.sleep(0, "value")) == "value"

    async def fail() -> None:
        raise ValueError("oh")

    with pytest.raises(ValueError, match="oh"):
        await interrupts.run(fail())


async def test_asked_while_it_runs() -> None:
    """The work is cancelled, and the waiting code is told so."""
    interrupts, seen = Interrupts(), list[str]()
    asyncio.get_running_loop().call_later(0.01, interrupts.ask)
    with pytest.raises(Interrupted):
        await interrupts.run(work(seen))
    assert seen == ["begun"]


async def test_asked_before() -> None:
    """Nothing is begun until it is forgotten."""
    interrupts, seen = Interrupts(), list[str]()
    interrupts.ask()
    with pytest.raises(Interrupted):
        await interrupts.run(work(seen))
    assert await interrupts.finish(work(seen), lambda: "nothing") == "nothing"
    assert seen == []
    interrupts.clear()
    assert await interrupts.run(asyncio.sleep(0, "value")) == "value"


async def test_asked_between_start_and_first_step() -> None:
    """Also then work that never began is answered for."""
    interrupts, seen = Interrupts(), list[str]()
    asyncio.get_running_loop().call_soon(interrupts.ask)
    assert await interrupts.finish(careful(seen), lambda: "nothing") == "nothing"
    assert seen == []


async def test_asked_again_and_again() -> None:
    """A second word does not cut off what is closing down."""
    interrupts, seen = Interrupts(), list[str]()
    for delay_s in (0.01, 0.02, 0.03):
        asyncio.get_running_loop().call_later(delay_s, interrupts.ask)
    assert await interrupts.finish(careful(seen), lambda: "nothing") == "what there was"
    assert seen == ["begun", "closing", "closed"]


async def test_careful_work_cancelled_by_somebody_else() -> None:
    """It closes down as for the user, and what comes next finds that it must stop; a second word cuts it off."""
    interrupts, seen = Interrupts(), list[str]()
    for cancels, last in ((1, "closed"), (2, "closing")):
        interrupts.clear()
        task = asyncio.ensure_future(interrupts.finish(careful(seen), lambda: "nothing"))
        for _ in range(cancels):
            await asyncio.sleep(0.01)
            task.cancel()
        await asyncio.wait([task])
        assert task.cancelled() == (cancels > 1)
        assert interrupts.is_asked == (cancels == 1)
        assert seen[-1] == last


async def test_cancelled_while_it_closes_down() -> None:
    """Interrupted by the user and then cancelled: the cancellation goes through, nothing is answered twice."""
    interrupts, seen = Interrupts(), list[str]()
    task = asyncio.ensure_future(interrupts.finish(careful(seen), lambda: "nothing"))
    await asyncio.sleep(0.01)
    interrupts.ask()
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def test_cancelled_by_somebody_else() -> None:
    """That is no interrupt: the cancellation goes through."""
    interrupts, seen = Interrupts(), list[str]()
    for waiting in (interrupts.run(work(seen)), interrupts.finish(work(seen), lambda: "nothing")):
        task = asyncio.ensure_future(waiting)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
