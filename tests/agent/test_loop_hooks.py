"""Hooks around a turn: prompts, calls, the end; and what ends a turn by force."""

from pathlib import Path

import pytest

from agent.events import Notice, ResultsSent, TurnStarted
from agent.hooking.words import marked
from agent.loop import MAX_STOP_HOOKS, Limits
from agent.offline import always, calls, says
from hooks.call import Hook
from hooks.engine import EventType
from hooks.events import Outcome, PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop, UserPromptSubmit
from tests.support.agent import scenario

LS = calls("bash", command="ls")


async def test_a_hook_adds_to_the_prompt(tmp_path: Path) -> None:
    """Behind the user's words, and not counted among them."""

    def add(event: UserPromptSubmit) -> Outcome:
        return Outcome(contexts=("ticket 12 is open",))

    async with scenario(tmp_path, says("Done."), hooks=[(UserPromptSubmit, add)]) as harness:
        await harness.turn("Go.")
        content = harness.server.queries[0].body["messages"][0]["content"]
        assert [block["text"] for block in content[-2:]] == [
            "Go.",
            marked("ticket 12 is open", "UserPromptSubmit"),
        ]
        assert harness.state.prompts == [(1, "Go.")]


@pytest.mark.parametrize(
    "outcome", [Outcome(decision="deny", reason="not now"), Outcome(stop_reason="not now")]
)
async def test_a_hook_refuses_the_prompt(tmp_path: Path, outcome: Outcome) -> None:
    """No request, no message, a turn that never started; the next prompt works."""

    def refuse(event: UserPromptSubmit) -> Outcome | None:
        return outcome if event.prompt == "Go." else None

    async with scenario(tmp_path, says("Hello."), hooks=[(UserPromptSubmit, refuse)]) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, ended.problem) == ("blocked", "not now")
        assert harness.of(TurnStarted) == []
        assert harness.server.requests == []
        assert (await harness.turn("hi")).text == "Hello."
        assert "Go." not in str(harness.server.queries[0].body["messages"])


async def test_what_hooks_say_of_calls(tmp_path: Path) -> None:
    """It follows the results of the batch in one message, and is sent once."""

    def before(event: PreToolUse) -> Outcome:
        return Outcome(contexts=("before",))

    def after(event: PostToolUse) -> Outcome:
        return Outcome(contexts=("after",), decision="deny", reason="unformatted")

    hooks: list[tuple[EventType, Hook]] = [(PreToolUse, before), (PostToolUse, after)]
    async with scenario(tmp_path, LS, says("Done."), says("Hello."), hooks=hooks) as harness:
        await harness.turn("Go.")
        content = harness.server.queries[1].body["messages"][-1]["content"]
        assert [block["type"] for block in content] == ["tool_result", "text", "text", "text"]
        assert ["before" in content[1]["text"], "after" in content[2]["text"]] == [True, True]
        assert "unformatted" in content[3]["text"]
        assert len(harness.of(ResultsSent)[0].content) == 3
        await harness.turn("hi")
        assert str(harness.server.queries[-1].body["messages"]).count("unformatted") == 1


async def test_a_stop_hook_sends_it_back(tmp_path: Path) -> None:
    """Its reason is what the model is told; the second time it is told that it already did so."""
    active = []

    def tests_pass(event: Stop) -> Outcome | None:
        active.append((event.last_text, event.stop_hook_active))
        return None if event.stop_hook_active else Outcome(decision="deny", reason="the tests fail")

    async with scenario(tmp_path, says("Done."), LS, says("Now."), hooks=[(Stop, tests_pass)]) as harness:
        ended = await harness.turn("Go.")
        assert ended.text == "Now."
        assert active == [("Done.", False), ("Now.", True)]
        assert (
            harness.server.queries[1]
            .body["messages"][-1]["content"][0]["text"]
            .endswith(marked("the tests fail", "Stop"))
        )
        assert harness.state.prompts == [(1, "Go.")]


async def test_a_stop_hook_that_never_lets_go(tmp_path: Path) -> None:
    """It is asked so often, then the turn ends all the same."""

    def never(event: Stop) -> Outcome:
        return Outcome(decision="deny")

    async with scenario(tmp_path, always(says("Done.")), hooks=[(Stop, never)]) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, ended.text) == ("done", "Done.")
        assert len(harness.server.queries) == 1 + MAX_STOP_HOOKS


async def test_a_stop_hook_that_says_stop(tmp_path: Path) -> None:
    """`continue: false` ends the turn, whatever else is said; its notices are shown."""

    def stop(event: Stop) -> Outcome:
        return Outcome(decision="deny", reason="go on", stop_reason="enough", notices=("a line",))

    async with scenario(tmp_path, says("Done."), hooks=[(Stop, stop)]) as harness:
        assert (await harness.turn("Go.")).reason == "done"
        assert harness.of(Notice)[0].text == "a line"


async def test_a_stop_hook_is_not_asked_about_a_failure(tmp_path: Path) -> None:
    """Only a turn that is done fires Stop."""

    def never(event: Stop) -> Outcome:
        return Outcome(decision="deny")

    async with scenario(tmp_path, says("").having(stop_reason="refusal"), hooks=[(Stop, never)]) as harness:
        assert (await harness.turn("Go.")).reason == "refused"
        assert len(harness.server.queries) == 1


async def test_a_broken_hook(tmp_path: Path) -> None:
    """Reported; the turn goes on."""

    def break_down(event: UserPromptSubmit) -> None:
        raise ZeroDivisionError("oh")

    async with scenario(tmp_path, says("Done."), hooks=[(UserPromptSubmit, break_down)]) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert "failed on UserPromptSubmit" in harness.of(Notice)[0].text


async def test_session_hooks(tmp_path: Path) -> None:
    """SessionStart and SessionEnd, with where it came from and why it ended."""
    seen: list[tuple[str, str]] = []

    def start(event: SessionStart) -> None:
        seen.append(("start", event.source))

    def end(event: SessionEnd) -> None:
        seen.append(("end", event.reason))

    hooks: list[tuple[EventType, Hook]] = [(SessionStart, start), (SessionEnd, end)]
    async with scenario(tmp_path, says("Done."), hooks=hooks) as harness:
        await harness.agent.start("startup")
        await harness.resume()
        await harness.agent.start("resume")
        await harness.close()
        assert seen == [("start", "startup"), ("end", "exit"), ("start", "resume"), ("end", "exit")]


async def test_max_steps(tmp_path: Path) -> None:
    """So many steps and no more; all calls are answered, and the next turn has its own count."""
    async with scenario(
        tmp_path, LS, LS, LS, says("Hello."), config={"limits": Limits(max_steps=2)}
    ) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, len(harness.server.queries)) == ("limit", 2)
        assert "2 steps (--max-steps)" in ended.problem
        assert (await harness.turn("hi")).text == "Hello."


async def test_max_cost(tmp_path: Path) -> None:
    """No request is made once so much was spent; the limit is the session's, also after a resume."""
    dear = {"input_tokens": 100_000, "output_tokens": 0}
    async with scenario(
        tmp_path, LS.having(usage=dear), LS, config={"limits": Limits(max_cost_usd=0.15)}
    ) as harness:
        ended = await harness.turn("Go.")
        assert (ended.reason, len(harness.server.queries)) == ("limit", 1)
        assert "$0.20 (--max-cost 0.15)" in ended.problem
        await harness.resume()
        assert (await harness.turn("hi")).reason == "limit"


async def test_a_bug_leaves_a_session_that_works(tmp_path: Path) -> None:
    """An error that nobody expects gets out, but the turn is ended in the log, and the next one works."""

    def trip() -> None:
        raise ZeroDivisionError("a bug in a listener")

    async with scenario(tmp_path, LS, says("Hello.")) as harness:
        harness.once(TurnStarted, trip)
        with pytest.raises(ZeroDivisionError):
            await harness.turn("Go.")
        assert harness.log_records("end")[-1]["reason"] == "error"
        await harness.turn("hi")
        assert len(harness.server.queries) == 2
