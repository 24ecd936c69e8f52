"""F49: one number for the context, from the last request of the main agent; totals count each request once."""

from pathlib import Path
from typing import Any

import pytest

from agent.events import Compacted, ReplyReceived
from agent.offline import UsageEvents, calls, last_text_starts, says, system_has, when
from compaction.summary import OPENING
from tests.support.agent import scenario
from tests.support.invariants import SUBAGENT


def usage(fresh: int, written: int, read: int, output: int) -> dict[str, int]:
    """A made-up usage."""
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": output,
    }


SUB = when(system_has(SUBAGENT), says("Found.").having(usage=usage(50_000, 0, 0, 10)))
SUMMARY = when(
    last_text_starts(OPENING),
    says("<summary>1. Pending work: none</summary>").having(usage=usage(6_000, 0, 0, 300)),
)


async def test_f49_the_context(tmp_path: Path) -> None:
    """5150 and 5160, not their sum; a subagent and a summary count to the cost alone; the same after resume."""
    async with scenario(
        tmp_path,
        says("One.").having(usage=usage(100, 5000, 0, 50)),
        says("Two.").having(usage=usage(20, 100, 5000, 40)),
        calls("bash", command="true").having(usage=usage(10, 100, 5100, 20)),
        calls("task", description="d", prompt="Look.").having(usage=usage(10, 100, 5200, 20)),
        calls("compact").having(usage=usage(10, 100, 5300, 20)),
        says("Three.").having(usage=usage(700, 0, 0, 30)),
        routes=[SUB, SUMMARY],
    ) as harness:
        await harness.turn("a")
        assert (harness.state.context_size, harness.state.is_estimate) == (5150, False)
        await harness.turn("b")
        assert harness.state.context_size == 5160
        at_once: list[int] = []
        harness.once(Compacted, lambda: at_once.append(harness.state.context_size))
        await harness.turn("c")
        assert 0 < at_once[0] < 5430, "an estimate, before any reply"
        [compacted] = harness.of(Compacted)
        assert compacted.receipt["after"] < compacted.receipt["before"]
        sizes = [event.size for event in harness.of(ReplyReceived)]
        assert sizes == [5150, 5160, 5230, 5330, 5430, 730]
        spent = harness.state.spent
        assert spent.output_tokens == 50 + 40 + 20 * 3 + 30 + 10 + 300
        assert spent.input_tokens == 5100 + 5120 + 5210 + 5310 + 5410 + 700 + 50_000 + 6_000
        await harness.resume()
        assert harness.state.context_size == 730
        assert harness.state.spent == spent


@pytest.mark.parametrize(
    ("events", "size"),
    [
        pytest.param(UsageEvents(start=None), None, id="absent"),
        pytest.param(UsageEvents(start={"input_tokens": None}, deltas=(None,)), None, id="null"),
        pytest.param(UsageEvents(start=usage(700, 0, 0, 30), deltas=(None,)), 730, id="start-only"),
        pytest.param(
            UsageEvents(
                start={"input_tokens": 700, "output_tokens": 1},
                deltas=({"output_tokens": 10}, {"output_tokens": 30}),
            ),
            730,
            id="cumulative",
        ),
        pytest.param(
            UsageEvents(start=None, deltas=({"input_tokens": 700, "output_tokens": 30},)), 730, id="end-only"
        ),
    ],
)
async def test_f49_usage_in_parts(tmp_path: Path, events: Any, size: int | None) -> None:
    """Absent and null figures leave the estimate as it was; cumulative ones are not added up."""
    async with scenario(tmp_path, says("One.").having(usage=events), says("Two.")) as harness:
        await harness.turn("a")
        state = harness.state
        if size is None:
            assert state.is_estimate
            assert state.context_size > 1000, "system prompt and tools alone are more"
        else:
            assert state.context_size == size
        assert (await harness.turn("b")).text == "Two."


async def test_f49_compaction_fires_on_this_number(tmp_path: Path) -> None:
    """The threshold is compared with the measured context: one token over it compacts, none under it."""
    for over in (0, 1):
        folder = tmp_path / str(over)
        threshold = 100_000 - 20_000 - 10_000
        async with scenario(
            folder,
            says("x" * 4000).having(usage=usage(threshold + over - 20, 0, 0, 20)),
            says("Two."),
            routes=[SUMMARY],
            config={"window": 100_000},
        ) as harness:
            await harness.turn("a")
            await harness.agent.compactor.fit()
            assert harness.state.compactions == over
