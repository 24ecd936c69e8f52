"""What a simulation must hold for every session: causal, lossless, no better than what stood."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.replay.figures import Figures
from agent.replay.recorded import Recorded
from agent.replay.simulate import Simulation
from agent.replay.source import read_session
from compaction.presets import PRESETS
from tests.agent.replay.made import arrowed, did, recorded, turn, working, written

WINDOWS = [200_000, 60_000, 24_000]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Ninety steps."""
    return read_session(written(tmp_path_factory.mktemp("long"), *working(90)))


@pytest.fixture(scope="module")
def whole(long: Recorded) -> dict[int, Simulation]:
    """Its replays to the end, by window."""
    runs = {window: Simulation(long, PRESETS["balanced"], window=window) for window in WINDOWS}
    for run in runs.values():
        run.run()
    return runs


def figures(session: Recorded, preset: str, window: int = 200_000) -> Figures:
    """Those of one run."""
    return Simulation(session, PRESETS[preset], window=window).run()


@settings(max_examples=15)
@given(steps=st.integers(1, 89), window=st.sampled_from(WINDOWS))
def test_replay_is_causal(long: Recorded, whole: dict[int, Simulation], steps: int, window: int) -> None:
    """What is decided for the first steps does not depend on whether the file goes on."""
    cut = Simulation(replace(long, steps=long.steps[:steps]), PRESETS["balanced"], window=window)
    cut.run()
    assert cut.plans == [(step, plan) for step, plan in whole[window].plans if step <= steps]


def test_the_same_session_gives_the_same_figures(long: Recorded) -> None:
    """But for the time that it took."""
    one, two = figures(long, "balanced"), figures(long, "balanced")
    assert replace(one, seconds=0.0) == replace(two, seconds=0.0)


def test_a_cut_is_cheaper_and_loses_nothing(long: Recorded) -> None:
    """`balanced` costs less than `off`; all that left the view can be read again."""
    off, balanced = figures(long, "off"), figures(long, "balanced")
    assert balanced.cost < 0.9 * off.cost
    assert balanced.peak_tokens < off.peak_tokens
    assert 0 < balanced.dropped_bytes == balanced.recovered_bytes


def test_off_supports_all_that_can_be(long: Recorded) -> None:
    """Nothing leaves the view: no policy can support more, and no name is missing."""
    off, balanced = figures(long, "off"), figures(long, "balanced")
    assert off.supported >= balanced.supported
    assert (off.standing, off.dropped_bytes, off.resets, off.summaries) == (off.uses, 0, 0, 0)
    assert off.edits == balanced.edits == 30


def test_over_the_threshold_a_summary_is_simulated(long: Recorded) -> None:
    """It is counted and paid for, and the request is below the threshold again."""
    small = figures(long, "balanced", window=16_000)
    assert small.summaries > 0
    assert small.peak_tokens <= 16_000


def test_marks_cost_no_less_than_every_prefix(long: Recorded) -> None:
    """Entries at marks only are never better than entries everywhere, but for what is not written at all."""
    for preset in PRESETS:
        run = figures(long, preset)
        assert run.cost_marks >= run.cost * 0.999


def test_a_restored_file_is_what_the_log_proves(tmp_path: Path) -> None:
    """A whole read, then edits: the result of an edit brings the file; a part of it proves nothing."""
    text = "\n".join(f"line_number_{index}" for index in range(200))
    noise = [turn(100 + index, did("Bash", "x " * 4_000, command=f"run {index}")) for index in range(40)]
    for limit, is_restored in ((None, True), (200, False)):
        session = recorded(
            tmp_path,
            turn(0, did("Read", arrowed(text), file_path="/p/a.py", limit=limit)),
            *noise,
            turn(
                900, did("Edit", "ok", file_path="/p/a.py", old_string="line_number_7\n", new_string="new\n")
            ),
            turn(
                910, did("Edit", "ok", file_path="/p/a.py", old_string="line_number_99", new_string="newer")
            ),
            turn(920, says="Done."),
        )
        run = Simulation(session, PRESETS["balanced"])
        supported = run.run().supported
        layers = [plan.layer for _, plan in run.plans]
        assert ("restore" in layers, supported) == (is_restored, 1 if is_restored else 0)


def test_words_of_the_user_stand_after_a_summary(tmp_path: Path) -> None:
    """The active request is the newest, with what was said while it ran; earlier ones are listed."""
    noise = [turn(2 + index, did("Bash", "ok", command="true"), says="talk " * 2_000) for index in range(6)]
    session = recorded(
        tmp_path,
        turn(0, says="Right.", said="Now the second thing."),
        turn(1, did("Bash", "ok", command="true"), said="And quickly."),
        *noise,
        turn(9, says="Done."),
    )
    run = Simulation(session, PRESETS["balanced"], window=16_000)
    run.run()
    plan = next(plan for _, plan in run.plans if plan.layer == "summary")
    shown = [block["text"] for block in plan.changes[0]["blocks"] if block["type"] == "text"]
    assert any("Now the second thing.\n\nAnd quickly." in text for text in shown)
    assert any("- Mend the total." in text for text in shown)
