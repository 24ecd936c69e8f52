"""F58: the user interrupts, anywhere; then says `hi`; then comes back to the session and says `hi` again."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agent.api.reply_block import CallDelta, TextDelta, ThinkingDelta
from agent.events import (
    CallFinished,
    CallStarted,
    Event,
    FromSubagent,
)
from agent.offline import Reply, calls, says, stalls, system_has, thinks, when
from hooks.events import HookEvent, Outcome, PostToolUse, PreToolUse, Stop, UserPromptSubmit
from tests.support.agent import FakeApprover, Harness, scenario
from tests.support.invariants import SUBAGENT, main_requests

AGAIN = (says("Hello."), says("Hello again."))
SLEEP = f"sleep {1000 + os.getpid()}.5"


def is_sleeping() -> bool:
    """True while this process's `sleep` runs."""
    wanted = SLEEP.replace(" ", "\0").encode()
    return any(line.startswith(wanted) for line in command_lines())


def command_lines() -> Iterator[bytes]:
    """The command lines of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield path.read_bytes()


async def interrupted(harness: Harness) -> None:
    """Run a turn that something interrupts."""
    assert (await harness.turn("Go.")).reason == "interrupted"


async def hi_twice(harness: Harness) -> None:
    """Say `hi`, come back, say it again: both are answered, and each `hi` was sent once."""
    assert (await harness.turn("hi, once")).text == "Hello."
    await harness.resume()
    assert (await harness.turn("hi, twice")).text == "Hello again."
    texts = [block.get("text") for message in last_messages(harness) for block in message["content"]]
    assert texts.count("hi, once") == texts.count("hi, twice") == 1


def last_messages(harness: Harness) -> list[Any]:
    """The messages of the last request."""
    return list(main_requests(harness.server.queries)[-1].body["messages"])


def is_call(name: str) -> Callable[[Event], bool]:
    """An event that says that a call of ``name`` started."""
    return lambda event: isinstance(event, CallStarted) and event.call["name"] == name


async def test_f58_a_g_a_command(tmp_path: Path) -> None:
    """A running command is ended with its whole group; a second Ctrl-C does not skip that."""
    async with scenario(tmp_path, calls("bash", command=f"{SLEEP} & wait"), *AGAIN) as harness:

        def press_twice() -> None:
            harness.interrupt()
            asyncio.get_running_loop().call_soon(harness.interrupt)

        harness.once(CallStarted, lambda: asyncio.get_running_loop().call_later(0.3, press_twice))
        await interrupted(harness)
        assert not is_sleeping()
        assert [record["name"] for record in harness.log_records("result")] == ["bash"]
        await hi_twice(harness)


async def test_f58_b_the_second_of_three(tmp_path: Path) -> None:
    """Done results are kept, the running call says so, the one behind it was never started."""
    three = (
        calls("read", file_path="a.txt")
        + calls("bash", command=SLEEP)
        + calls("write", file_path="b", content="")
    )
    async with scenario(tmp_path, three, *AGAIN, files={"a.txt": "the real text\n"}) as harness:
        harness.once(is_call("bash"), lambda: asyncio.get_running_loop().call_later(0.2, harness.interrupt))
        await interrupted(harness)
        read, bash, write = [str(record["content"]) for record in harness.log_records("result")]
        assert "the real text" in read
        assert "nterrupted" in bash
        assert "Not run" in write
        assert not (harness.project / "b").exists()
        await hi_twice(harness)


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        pytest.param(says("Half of a long answer. " * 20, pace_s=0.05), TextDelta, id="c"),
        pytest.param(
            says("I write.") + calls("write", file_path="a.txt", content="x" * 400).having(pace_s=0.02),
            lambda event: isinstance(event, CallDelta) and event.chars > 50,
            id="d",
        ),
        pytest.param(
            thinks("Long thoughts. ") + calls("bash", command="ls") + stalls(20) + says("x"),
            CallDelta,
            id="behind-a-call",
        ),
        pytest.param(thinks("Long thoughts. " * 20).having(pace_s=0.05), ThinkingDelta, id="thinking"),
    ],
)
async def test_f58_c_d_a_stream(tmp_path: Path, reply: Reply, seen: Any) -> None:
    """Whatever was being received: whole blocks and text are kept, a half call never; the next turns work."""
    async with scenario(tmp_path, reply, *AGAIN) as harness:
        harness.once(seen, lambda: asyncio.get_running_loop().call_later(0.1, harness.interrupt))
        await interrupted(harness)
        assert not (harness.project / "a.txt").exists()
        assert harness.log_records("call") == []
        await hi_twice(harness)


async def test_what_had_been_paid_for_counts(tmp_path: Path) -> None:
    """The server names the price of the prompt at the start of a reply: it counts once, in the bar and after a resume."""
    paid = {"input_tokens": 4_321, "output_tokens": 900}
    reply = says("Half of a long answer. " * 20, pace_s=0.05, usage=paid)
    async with scenario(tmp_path, reply) as harness:
        harness.once(TextDelta, lambda: asyncio.get_running_loop().call_later(0.1, harness.interrupt))
        await interrupted(harness)
        spent = harness.state.spent
        assert (spent.input_tokens, spent.output_tokens) == (4_321, 1)
        assert spent.usd > 0
        await harness.resume()
        assert harness.state.spent == spent


async def test_f58_e_before_the_first_byte(tmp_path: Path) -> None:
    """The request was sent, nothing has come: there is nothing to keep."""
    async with scenario(tmp_path, says("late").having(delay_s=20), *AGAIN) as harness:
        task = asyncio.ensure_future(interrupted(harness))
        await harness.until(lambda: harness.server.queries)
        harness.interrupt()
        await asyncio.wait_for(task, 5)
        await hi_twice(harness)


async def test_f58_f_a_question(tmp_path: Path) -> None:
    """The question is taken back and its call was not run."""
    approver = FakeApprover(asyncio.Event())
    async with scenario(
        tmp_path, calls("bash", command="touch made"), *AGAIN, mode="ask", approver=approver
    ) as harness:
        task = asyncio.ensure_future(interrupted(harness))
        await harness.until(lambda: approver.open)
        harness.interrupt()
        await task
        assert approver.open == 0
        assert not (harness.project / "made").exists()
        await hi_twice(harness)


async def test_f58_h_a_subagent(tmp_path: Path) -> None:
    """A subagent is interrupted with its command, keeps what it had, and the parent says so."""
    route = when(system_has(SUBAGENT), says("I sleep.") + calls("bash", command=SLEEP))
    task = calls("task", description="d", prompt="Sleep.")
    async with scenario(tmp_path, task, *AGAIN, routes=[route]) as harness:

        def is_asleep(event: Event) -> bool:
            return isinstance(event, FromSubagent) and isinstance(event.event, CallStarted)

        harness.once(is_asleep, lambda: asyncio.get_running_loop().call_later(0.3, harness.interrupt))
        await interrupted(harness)
        assert not is_sleeping()
        [result] = harness.log_records("result")
        assert "interrupted" in result["content"]
        assert "I sleep." in result["content"]
        await hi_twice(harness)


async def hang(event: Any) -> Outcome | None:
    """A hook that takes its time."""
    await asyncio.sleep(30)
    return None


@pytest.mark.parametrize("event", [UserPromptSubmit, PreToolUse, PostToolUse, Stop])
async def test_f58_i_a_hook(tmp_path: Path, event: Any) -> None:
    """A hook that hangs is left alone at once; what was done before it is kept."""
    is_hanging = asyncio.Event()

    async def first_time(payload: HookEvent) -> Outcome | None:
        if is_hanging.is_set():
            return None
        is_hanging.set()
        return await hang(payload)

    turns = [says("Done.")] if event is Stop else [calls("bash", command="echo real")]
    turns = [] if event is UserPromptSubmit else turns
    async with scenario(tmp_path, *turns, *AGAIN, hooks=[(event, first_time)]) as harness:
        task = asyncio.ensure_future(interrupted(harness))
        await is_hanging.wait()
        harness.interrupt()
        await task
        if event is PostToolUse:
            [result] = harness.log_records("result")
            assert "real" in result["content"]
        await hi_twice(harness)


async def test_f58_i_a_hook_for_steering(tmp_path: Path) -> None:
    """A hook that hangs on what was typed meanwhile: the results are sent all the same, the words are kept."""
    is_hanging = asyncio.Event()

    async def on_steering(payload: UserPromptSubmit) -> Outcome | None:
        if payload.prompt == "also this" and not is_hanging.is_set():
            is_hanging.set()
            await hang(payload)
        return None

    async with scenario(
        tmp_path,
        calls("bash", command="ls"),
        *AGAIN,
        says("And this."),
        hooks=[(UserPromptSubmit, on_steering)],
    ) as harness:
        harness.once(CallFinished, lambda: harness.steer("also this"))
        task = asyncio.ensure_future(interrupted(harness))
        await is_hanging.wait()
        harness.interrupt()
        await asyncio.wait_for(task, 5)
        ended = await harness.turn("hi, once")
        assert ended.text == "Hello again.", "the turn of `hi`, then the one of what had been typed"
        assert "also this" in str(last_messages(harness))


MIXED = (
    thinks("Hm.") + says("I look.") + calls("read", file_path="a.txt") + calls("read", file_path="b.txt"),
    calls("write", file_path="c.txt", content="c") + calls("bash", command="true"),
    says("Done."),
)


async def run_to(harness: Harness, number: int, *, is_soon: bool) -> bool:
    """Interrupt at event ``number`` of the turn, at once or right after; False when there was no such event."""
    seen = 0

    def is_it(event: Event) -> bool:
        nonlocal seen
        seen += 1
        return seen == number

    soon = asyncio.get_running_loop().call_soon
    harness.once(is_it, (lambda: soon(harness.interrupt)) if is_soon else harness.interrupt)
    await harness.turn("Go.")
    return seen >= number


@pytest.mark.parametrize("is_soon", [False, True], ids=["inside", "after"])
async def test_interrupted_at_every_event(tmp_path: Path, is_soon: bool) -> None:
    """Whichever event the interrupt falls on, also inside the emit: the next turn and the next day work."""
    for number in range(1, 100):
        folder = tmp_path / str(number)
        files = {"a.txt": "a\n", "b.txt": "b\n"}
        async with scenario(
            folder,
            *(turn.having(chunk_chars=400) for turn in MIXED),
            says("Hello."),
            says("Hello again."),
            says("x"),
            says("y"),
            files=files,
        ) as harness:
            if not await run_to(harness, number, is_soon=is_soon):
                return
            await harness.turn("hi, once")
            await harness.resume()
            await harness.turn("hi, twice")
            texts = [block.get("text") for message in last_messages(harness) for block in message["content"]]
            assert texts.count("hi, once") == texts.count("hi, twice") == 1
            assert texts.count("I look.") <= 1
    raise AssertionError("the turn has more events than it should")
