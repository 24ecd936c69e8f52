"""Firing hooks: side by side, in bounds, whatever a hook does."""

import asyncio
import sys
import threading
import time
from typing import Any

import pytest

from hooks.call import Hook
from hooks.engine import HookEngine
from hooks.events import HookEvent, Notification, Outcome, PreToolUse, Stop, UserPromptSubmit, Verdict
from tests.support.calls import bash_call

TIGHT_S = 0.05
PROMPT = UserPromptSubmit(prompt="hello")


def allow_all(_event: PreToolUse) -> Verdict:
    return Verdict(decision="allow")


def engine_with(*hooks: Hook, strict: bool = False, timeout_s: float = 5.0) -> HookEngine:
    engine = HookEngine(allow_all)
    for i, hook in enumerate(hooks):
        engine.register(UserPromptSubmit, hook, name=f"h{i}", strict=strict, timeout_s=timeout_s)
    return engine


async def test_no_hook_says_nothing() -> None:
    """An event without hooks comes to an empty outcome."""
    assert await engine_with().fire(PROMPT) == Outcome()


async def test_hooks_get_the_payload_of_their_event_only() -> None:
    """A hook is called with the payload it is registered for, and with no other event."""
    seen: list[object] = []
    engine = engine_with(seen.append)
    await engine.fire(Stop(last_text="done"))
    await engine.fire(PROMPT)
    assert seen == [PROMPT]


async def test_results_are_merged_in_registration_order() -> None:
    """A slow first hook still comes first; sync and async hooks mix; the later rewrite stands."""

    async def slow(_event: UserPromptSubmit) -> Outcome:
        await asyncio.sleep(0.02)
        return Outcome(contexts=("first",), updated_input={"a": 1})

    def quick(_event: UserPromptSubmit) -> Outcome:
        return Outcome(contexts=("second",), updated_input={"a": 2}, decision="deny", reason="no")

    expected = Outcome(contexts=("first", "second"), updated_input={"a": 2}, decision="deny", reason="no")
    assert await engine_with(slow, quick).fire(PROMPT) == expected


async def test_hooks_run_side_by_side() -> None:
    """Two hooks that wait for one another both end, sync ones in threads of their own."""
    barrier = threading.Barrier(2)

    def meet(_event: HookEvent) -> None:
        barrier.wait(5)

    assert (await engine_with(meet, meet).fire(PROMPT)).notices == ()


def raises(_event: HookEvent) -> Outcome:
    raise ValueError("boom")


async def raises_later(_event: HookEvent) -> Outcome:
    await asyncio.sleep(0)
    raise ValueError("boom")


def leaves(_event: HookEvent) -> Outcome:
    sys.exit(2)


async def leaves_later(_event: HookEvent) -> Outcome:
    sys.exit(2)


async def cancels_itself(_event: HookEvent) -> Outcome:
    raise asyncio.CancelledError


def answers_rubbish(_event: HookEvent) -> Any:
    return {"decision": "deny"}


FAULTS: list[tuple[Hook, str]] = [
    (raises, "ValueError: boom"),
    (raises_later, "ValueError: boom"),
    (leaves, "RuntimeError: it called `sys.exit(2)`"),
    (leaves_later, "RuntimeError: it called `sys.exit(2)`"),
    (cancels_itself, "it cancelled itself"),
    (answers_rubbish, "it answered dict, not an Outcome or None"),
]


@pytest.mark.parametrize(("hook", "problem"), FAULTS)
async def test_a_failing_hook_is_reported_and_ignored(hook: Hook, problem: str) -> None:
    """The notice names hook, event and fault; the other hooks' answers stand."""
    outcome = await engine_with(hook, lambda _e: Outcome(decision="allow")).fire(PROMPT)
    notice = f"hook `h0` failed on UserPromptSubmit: {problem}"
    assert outcome == Outcome(decision="allow", notices=(notice,))


@pytest.mark.parametrize(("hook", "problem"), FAULTS)
async def test_a_failing_strict_hook_denies(hook: Hook, problem: str) -> None:
    """A strict hook never fails open."""
    outcome = await engine_with(hook, strict=True).fire(PROMPT)
    assert (outcome.decision, outcome.reason) == ("deny", "denied: hook `h0` is strict and failed")
    assert problem in outcome.notices[0]


async def hangs(_event: HookEvent) -> None:
    await asyncio.Event().wait()


async def will_not_be_cancelled(_event: HookEvent) -> None:
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        try:
            await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            continue
    raise ValueError("far too late")


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("hook", [hangs, will_not_be_cancelled, lambda _e: time.sleep(0.3)])
async def test_a_hook_that_hangs_is_left_behind(hook: Hook, strict: bool) -> None:
    """The turn goes on at the bound, also when the hook swallows its cancellation or sits in a thread."""
    engine = engine_with(hook, strict=strict, timeout_s=TIGHT_S)
    outcome = await asyncio.wait_for(engine.fire(PROMPT), 10)
    assert outcome.decision == ("deny" if strict else None)
    assert outcome.notices == ("hook `h0` failed on UserPromptSubmit: no answer within 0.05 s",)
    await asyncio.sleep(0.4)  # what was left behind ends without a word


def test_a_hanging_thread_outlives_its_loop_quietly() -> None:
    """A thread that answers after the loop is closed troubles nobody."""
    threads: list[threading.Thread] = []

    def slow(_event: HookEvent) -> None:
        threads.append(threading.current_thread())
        time.sleep(0.2)

    asyncio.run(engine_with(slow, timeout_s=TIGHT_S).fire(PROMPT))
    threads[0].join(5)
    assert threads[0].daemon


async def test_interrupt_cancels_the_hooks() -> None:
    """Cancelling the firing cancels what runs."""
    ended = asyncio.Event()

    async def hook(_event: HookEvent) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    firing = asyncio.create_task(engine_with(hook).fire(PROMPT))
    await asyncio.sleep(0.02)
    firing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await firing
    await asyncio.wait_for(ended.wait(), 5)


async def test_a_hook_cannot_fire_its_own_event() -> None:
    """The inner firing runs nothing and says so; another event from inside is fine, and so is a later firing."""
    engine = HookEngine(allow_all)
    inner: list[Outcome] = []

    async def again(event: UserPromptSubmit) -> None:
        inner.append(await engine.fire(event))
        inner.append(await engine.fire(Notification(message="x")))

    engine.register(UserPromptSubmit, again, name="again")
    engine.register(Notification, lambda _e: Outcome(contexts=("fine",)), name="note")
    await engine.fire(PROMPT)
    await engine.fire(PROMPT)
    refused = Outcome(notices=("UserPromptSubmit was fired by one of its own hooks: not run again",))
    assert inner == [refused, Outcome(contexts=("fine",))] * 2


async def test_a_thread_cannot_fire_its_own_event_either() -> None:
    """The guard follows a sync hook into its thread."""
    engine = HookEngine(allow_all)
    inner: list[Outcome] = []
    engine.register(UserPromptSubmit, lambda e: inner.append(asyncio.run(engine.fire(e))), name="again")
    await engine.fire(PROMPT)
    assert len(inner) == 1
    assert inner[0].notices


@pytest.mark.parametrize("decision", ["deny", "ask"])
async def test_a_decision_without_a_reason_gets_one(decision: Any) -> None:
    """The model never gets an empty refusal."""
    outcome = await engine_with(lambda _e: Outcome(decision=decision)).fire(PROMPT)
    assert outcome.reason == f"hook `h0` says {decision}"


CASES: list[tuple[Outcome, Verdict, str]] = [
    (Outcome(), Verdict(decision="allow"), "allow"),
    (Outcome(decision="deny", reason="no"), Verdict(decision="allow"), "deny"),
    (Outcome(decision="allow"), Verdict(decision="deny"), "deny"),
    (Outcome(decision="allow"), Verdict(decision="ask"), "allow"),
    (Outcome(decision="allow"), Verdict(decision="ask", is_firm=True), "ask"),
    (Outcome(decision="ask"), Verdict(decision="allow"), "ask"),
]


@pytest.mark.parametrize(("earlier", "verdict", "expected"), CASES)
async def test_judge_settles(earlier: Outcome, verdict: Verdict, expected: str) -> None:
    """The final decision follows the documented order and is never None."""
    engine = HookEngine(lambda _event: verdict)
    assert (await engine.judge(bash_call("ls"), earlier)).decision == expected


async def test_a_judge_that_fails_denies() -> None:
    """Permission never fails open."""

    def fails(_event: PreToolUse) -> Verdict:
        raise KeyError("boom")

    outcome = await HookEngine(fails).judge(bash_call("ls"), Outcome(decision="allow"))
    assert outcome.decision == "deny"
    assert "permission" in outcome.notices[0]


async def test_judge_sees_the_final_input() -> None:
    """What a hook rewrote is what is judged, once the caller has put it into the event."""
    seen: list[PreToolUse] = []

    def judge(event: PreToolUse) -> Verdict:
        seen.append(event)
        return Verdict(decision="allow")

    engine = HookEngine(judge)
    engine.register(PreToolUse, lambda _e: Outcome(updated_input={"command": "ls -l"}), name="rewrite")
    earlier = await engine.fire(bash_call("ls"))
    assert earlier.updated_input == {"command": "ls -l"}
    await engine.judge(bash_call("ls -l"), earlier)
    assert [dict(event.tool_input) for event in seen] == [{"command": "ls -l"}]
