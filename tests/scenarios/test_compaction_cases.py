"""F40, F41 d: cuts never part a call from its result, nor touch thinking that goes back.

F40 d, a compaction called for in a batch, is `test_long_history.py::test_by_wish_in_a_batch`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.events import CallStarted, Compacted
from agent.offline import Fault, Reply, always, calls, error, last_text_starts, says, thinks, when
from compaction.presets import PRESETS
from compaction.summary import OPENING
from tests.scenarios.test_thinking import MODELS, sent_thinking, served_thinking
from tests.support.agent import scenario
from tests.support.invariants import is_for_summary
from tests.support.long_session import texts

SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: SUMMED UP</summary>")))
TOO_LONG = error(400, "prompt is too long: 210000 tokens > 200000 maximum")
STORY = says("A long story. " * 1_200, chunk_chars=20_000)
FULL = {
    "input_tokens": 30_000,
    "cache_creation_input_tokens": 100_000,
    "cache_read_input_tokens": 65_000,
    "output_tokens": 100,
}
"""A usage above the threshold of a window of 200,000."""


def bash(number: int) -> Reply:
    """A call with a result of its own."""
    return calls("bash", command=f"seq {number} {number + 300}")


def look(number: int) -> Reply:
    """A quick call."""
    return calls("glob", pattern=f"*.{number}")


def how(preset: str, **config: Any) -> dict[str, Any]:
    """Return the fields of `Setup`; the requests for a summary of `classic` are prefixes of nothing."""
    return {"routes": [SUMMARY], "config": {"preset": preset, **config}, "may_move": preset == "classic"}


def mixed(rounds: int) -> Iterator[Reply]:
    """Single and parallel calls and words in between, in a pattern of five positions."""
    for number in range(rounds):
        yield look(number * 10)
        yield says("Two at once.") + look(number * 10 + 1) + look(number * 10 + 2)
        yield STORY + look(number * 10 + 3) + look(number * 10 + 4) + look(number * 10 + 5)


@pytest.mark.parametrize("preset", sorted(PRESETS))
async def test_f40_a_due_while_parallel_calls_are_open(tmp_path: Path, preset: str) -> None:
    """The batch is closed first; every call is answered once, and the next turn gets its answer."""
    batch = (bash(1) + bash(2) + bash(3)).having(usage=FULL)
    turns = [STORY, batch, says("Done."), says("Hello.")]
    async with scenario(tmp_path, *turns, **how(preset)) as harness:
        await harness.turn("Tell me.")
        assert (await harness.turn("Go.")).text == "Done."
        assert len(harness.log_records("result")) == 3
        assert (await harness.turn("hi")).text == "Hello."
        if preset != "off":
            assert harness.state.compactions


@pytest.mark.parametrize("position", range(12))
async def test_f40_b_the_cut_falls_anywhere(tmp_path: Path, position: int) -> None:
    """Wherever in the history a refusal makes it shrink, and whatever is kept: the next requests are valid."""
    for preset in ("balanced", "classic"):
        turns: list[Reply | Fault] = [STORY, *mixed(4)]
        turns.insert(position + 1, TOO_LONG)
        turns += [says("Done."), says("Hello.")]
        async with scenario(tmp_path / preset, *turns, **how(preset)) as harness:
            await harness.turn("Tell me.")
            assert (await harness.turn("Go.")).text == "Done."
            assert [event.receipt["trigger"] for event in harness.of(Compacted)].count("reactive") == 1
            assert (await harness.turn("hi")).text == "Hello."


BOUNDARIES = [*(("classic", shift) for shift in range(12)), *(("early", shift) for shift in range(3))]


@pytest.mark.parametrize(("preset", "shift"), BOUNDARIES)
async def test_f40_b_more_messages_than_are_kept(tmp_path: Path, preset: str, shift: int) -> None:
    """Where a preset keeps so many messages or results from the end, that boundary falls on each kind in turn."""
    turns = [*[says("Hm.")] * shift, *mixed(9), says("Done."), says("Hello.")]
    async with scenario(tmp_path, *turns, **how(preset)) as harness:
        for number in range(shift):
            await harness.turn(f"Word {number}.")
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.of(Compacted)
        assert (await harness.turn("hi")).text == "Hello."


@pytest.mark.parametrize("preset", sorted(PRESETS))
async def test_f40_c_two_in_a_row(tmp_path: Path, preset: str) -> None:
    """One turn between two compactions: the second stands on the first, and both survive a resume."""
    turns = [*mixed(2), STORY, bash(1) + bash(2), STORY, says("Hello."), says("Back.")]
    async with scenario(tmp_path, *turns, **how(preset)) as harness:
        for prompt in ("Go.", "On."):
            await harness.turn(prompt)
            assert await harness.agent.compactor.compact("manual", "")
        assert (await harness.turn("hi")).text == "Hello."
        assert sum(map(is_for_summary, harness.server.queries)) == 2
        await harness.resume()
        assert (await harness.turn("back")).text == "Back."


async def test_f40_e_by_hand_after_an_interrupt(tmp_path: Path) -> None:
    """Ctrl-C in the second of three calls, then /compact: all three are answered, the next turn is."""
    batch = bash(1) + calls("bash", command="sleep 30") + bash(2)
    async with scenario(tmp_path, STORY, batch, says("Hello."), routes=[SUMMARY]) as harness:
        await harness.turn("Tell me.")
        harness.once(
            lambda event: isinstance(event, CallStarted) and "sleep" in str(event.call), harness.interrupt
        )
        assert (await harness.turn("Go.")).reason == "interrupted"
        assert len(harness.log_records("result")) == 3
        assert await harness.agent.compactor.compact("manual", "")
        assert (await harness.turn("hi")).text == "Hello."
        assert "SUMMED UP" in texts(harness.server.queries[-1].body)


@pytest.mark.parametrize("model", MODELS)
async def test_f41_d_clearing_of_old_results(tmp_path: Path, model: str) -> None:
    """Old results leave the view; thinking that goes back is byte for byte what was served, in order, or all left out."""
    numbers = [
        thinks(f"Größe {number}.  ") + calls("bash", command=f"seq {number} 3000") for number in range(9)
    ]
    setup: dict[str, Any] = {"config": {"model": model, "window": 60_000}, "windows": {model: 60_000}}
    turns = [*numbers, says("Done."), says("Hello.")]
    async with scenario(tmp_path, *turns, routes=[SUMMARY], may_move=True, **setup) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert {event.receipt["layer"] for event in harness.of(Compacted)} <= {"micro", "snip", "budget"}
        assert harness.of(Compacted)
        rest = iter(served_thinking(harness))
        assert all(block in rest for block in sent_thinking(harness)), "a subsequence"
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."
        rest = iter(served_thinking(harness))
        assert all(block in rest for block in sent_thinking(harness))
