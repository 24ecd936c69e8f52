"""Signals of a headless run, one by one."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from agent.events import TurnEnded
from agent.exits import Exit
from agent.headless import Form, Refusals, Reporter, run
from agent.loop import Loop
from agent.output import Output
from agent.session.session import Session, Tools
from agent.session.store import Store
from agent.signals import SWALLOW_S, Signals


async def test_the_first_interrupts_and_the_same_impatience_is_swallowed() -> None:
    """Only a signal that comes later ends the clean end."""
    calls: list[str] = []
    signals = Signals(lambda: calls.append("interrupt"), lambda: calls.append("cancel"))
    assert signals.code is None
    signals.take(signal.SIGTERM)
    signals.take(signal.SIGINT)
    assert calls == ["interrupt"]
    await asyncio.sleep(SWALLOW_S + 0.05)
    signals.take(signal.SIGINT)
    assert calls == ["interrupt", "cancel"]
    assert signals.code == 143


async def test_handlers_are_given_back_and_ignored_signals_stay_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupt = signal.getsignal(signal.SIGINT)
    signals = Signals(lambda: None, lambda: None)
    try:
        with signals.handled():
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0.05)
            assert signals.code is None
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.05)
            assert signals.code == 143
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is interrupt
    finally:
        signal.signal(signal.SIGHUP, before)


class StubbornLoop(Loop):
    """A turn that does not heed an interrupt."""

    def __init__(self) -> None:
        self.is_running = False

    async def run(self, prompt: str) -> TurnEnded:
        self.is_running = True
        await asyncio.sleep(30)
        raise AssertionError("it was not cancelled")

    def interrupt(self) -> None:
        pass


class FakeAgent:
    """A session without an agent at work; ``signal_at_start`` comes while it starts."""

    def __init__(self, root: Path, signal_at_start: signal.Signals | None = None) -> None:
        head = {"project": str(root), "model": "m", "mode": "ask", "system": [], "tools": []}
        tools = Tools(count=lambda _: 1, price=lambda *_: None, clock=lambda: 0.0)
        self.session = Session.create(Store.of(root, root), root, head, tools=tools)
        self.loop = StubbornLoop()
        self.closed = ""
        self._signal_at_start = signal_at_start

    async def start(self, source: str) -> None:
        if self._signal_at_start is not None:
            os.kill(os.getpid(), self._signal_at_start)
            await asyncio.sleep(0.05)

    async def close(self, reason: str) -> None:
        self.closed = reason
        self.session.close()


def reporter() -> Reporter:
    output = Output(None, None)
    return Reporter(output, Form(), Refusals(output))


async def test_a_second_signal_ends_a_turn_that_does_not_heed_the_first(tmp_path: Path) -> None:
    """The session is closed all the same, and the code is that of the first."""
    agent = FakeAgent(tmp_path)

    async def press() -> None:
        for number in (signal.SIGHUP, signal.SIGTERM):
            os.kill(os.getpid(), number)
            await asyncio.sleep(SWALLOW_S + 0.05)

    pressing = asyncio.create_task(press())
    code = await run(agent, "hi", reporter(), source="startup")
    await pressing
    assert (code, agent.closed) == (Exit.HUNG_UP, "interrupted")


async def test_a_signal_before_the_turn_is_not_lost(tmp_path: Path) -> None:
    """The turn does not start at all."""
    agent = FakeAgent(tmp_path, signal.SIGTERM)
    assert await run(agent, "hi", reporter(), source="startup") == Exit.TERMINATED
    assert not agent.loop.is_running
    assert agent.closed == "interrupted"


async def test_a_cancellation_from_elsewhere_goes_through(tmp_path: Path) -> None:
    """Only our own signals are an interruption; the session is closed before."""
    agent = FakeAgent(tmp_path)
    running = asyncio.create_task(run(agent, "hi", reporter(), source="startup"))
    await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert agent.closed == "error"
