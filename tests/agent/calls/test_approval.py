"""Who can be asked, and who cannot."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.calls.approval import Asking, NobodyToAsk, Question
from compaction.messages import ToolUseBlock

CALL: ToolUseBlock = {"type": "tool_use", "id": "call_1", "name": "bash", "input": {"command": "make"}}


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("bash(make)", "add the rule `bash(make)` (--allow)"),
        ("", "it must be run by the user"),
    ],
)
async def test_nobody_to_ask(rule: str, hint: str) -> None:
    """Without a terminal every question is a refusal that says how it could be allowed, if at all."""
    answer = await NobodyToAsk().ask(Question(call=CALL, reason="no rule", rule=rule, agent=""))
    assert not answer.is_allowed
    assert answer.reason.endswith(hint)


@given(
    st.lists(st.tuples(st.sampled_from(["", "task-001", "task-002"]), st.integers(0, 5)), max_size=8),
    st.data(),
)
def test_turns(calls: list[tuple[str, int]], data: st.DataObject) -> None:
    """One at a time; the rest in the order of agents and calls, whichever came first; a cancelled one is left out."""
    gone = data.draw(st.sets(st.integers(1, max(1, len(calls) - 1))))

    async def play() -> None:
        asking, went, release = Asking(), list[tuple[str, int]](), asyncio.Event()

        async def take(agent: str, index: int) -> None:
            async with asking.turn(agent, index):
                assert not standing
                standing.append(agent)
                await release.wait()
                standing.remove(agent)
                went.append((agent, index))

        standing = list[str]()
        works = [asyncio.ensure_future(take(*call)) for call in calls]
        await asyncio.sleep(0)
        assert asking.waiting() == max(0, len(calls) - 1)
        for number in gone & set(range(1, len(calls))):
            works[number].cancel()
        release.set()
        await asyncio.gather(*works, return_exceptions=True)
        left = [call for number, call in enumerate(calls) if number not in gone or not number]
        assert went == left[:1] + sorted(left[1:])
        assert asking.waiting() == 0

    asyncio.run(play())


async def test_a_turn_that_is_cancelled_as_it_comes_is_given_back() -> None:
    """The one that stands leaves, the next is cancelled in the same moment: the one behind it has its turn."""
    asking, went = Asking(), list[int]()

    async def take(index: int, until: asyncio.Event) -> None:
        async with asking.turn("", index):
            await until.wait()
            went.append(index)

    first, others = asyncio.Event(), asyncio.Event()
    others.set()
    works = [asyncio.ensure_future(take(index, others if index else first)) for index in range(3)]
    await asyncio.sleep(0)
    works[0].cancel()
    works[1].cancel()
    await asyncio.gather(*works, return_exceptions=True)
    assert went == [2]
