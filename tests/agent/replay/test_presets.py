"""Each preset in a replay: its own thresholds, what its summaries cost, and nothing lost under any of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent.replay.prices import OUTPUT, PROMPT_TOKENS, SUMMARY_TOKENS, block_tokens, text_tokens
from agent.replay.recorded import Recorded
from agent.replay.simulate import Simulation
from agent.replay.source import read_session
from agent.replay.summaries import stand_in, summary_price
from agent.replay.table import UNCACHED, row_of, text_table
from compaction.messages import Message, text
from compaction.policy import SummaryRule
from compaction.presets import PRESETS
from compaction.serialise import plan_serialised
from tests.agent.replay.made import arrowed, did, recorded, turn, working, written


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A hundred steps."""
    return read_session(written(tmp_path_factory.mktemp("long"), *working(100)))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("window", [200_000, 24_000])
def test_nothing_is_lost_and_nothing_depends_on_what_comes(long: Recorded, preset: str, window: int) -> None:
    """Every byte that left the view can be read again; the first steps are decided without the later ones."""
    whole = Simulation(long, PRESETS[preset], window=window)
    figures = whole.run()
    assert figures.dropped_bytes == figures.recovered_bytes
    cut = Simulation(replace(long, steps=long.steps[:40]), PRESETS[preset], window=window)
    cut.run()
    assert cut.plans == [(step, plan) for step, plan in whole.plans if step <= 40]


def test_the_layers_are_the_presets_own(long: Recorded) -> None:
    """What acts, by name."""
    acted = {}
    for name, preset in PRESETS.items():
        run = Simulation(long, preset)
        run.run()
        acted[name] = {plan.layer for _, plan in run.plans}
    assert acted["classic"] == {"snip", "micro"}
    assert acted["early"] == {"micro"}
    assert acted["window"] == acted["off"] == set()


@pytest.mark.parametrize(("preset", "summaries"), [("balanced", 0), ("classic", 1), ("early", 0), ("off", 0)])
def test_classic_counts_characters(tmp_path: Path, preset: str, summaries: int) -> None:
    """60,000 of them are under everybody else's threshold."""
    session = recorded(tmp_path, turn(0, says="talk " * 12_000), turn(5, says="Done."), turn(9, says="Bye."))
    assert Simulation(session, PRESETS[preset]).run().summaries == summaries


@pytest.mark.parametrize(("preset", "summaries"), [("balanced", 0), ("early", 1), ("window", 0)])
def test_early_has_a_threshold_of_its_own(tmp_path: Path, preset: str, summaries: int) -> None:
    """60,000 tokens of talk."""
    session = recorded(tmp_path, turn(0, says="talk " * 52_000), turn(5, says="Done."), turn(9, says="Bye."))
    assert Simulation(session, PRESETS[preset]).run().summaries == summaries


def test_off_is_summarised_only_where_the_server_would_refuse(tmp_path: Path) -> None:
    """That is the window of the session's model, whatever the working window."""
    session = recorded(
        tmp_path, *[turn(index, says="talk " * 60_000) for index in range(4)], turn(9, says=".")
    )
    large = replace(session, model="claude-opus-4-6")
    small = replace(session, model="claude-haiku-4-5")
    assert Simulation(large, PRESETS["off"], window=24_000).run().summaries == 0
    assert Simulation(small, PRESETS["off"]).run().summaries == 1


def test_after_an_idle_hour_the_old_results_are_cleared(tmp_path: Path) -> None:
    """All but the last five that were seen, when the cache is cold anyway."""
    busy = [turn(index, did("Bash", f"{index} " * 900, command=f"run {index}")) for index in range(8)]
    session = recorded(tmp_path, *busy, turn(4_000, says="Done."))
    run = Simulation(session, PRESETS["window"])
    assert run.run().resets == 0
    [(step, plan)] = run.plans
    assert (step, plan.layer, len(plan.changes)) == (9, "micro", 2)


@pytest.mark.parametrize(("preset", "supported"), [("window", 1), ("early", 0)])
def test_files_come_back_after_a_summary_as_the_log_proves_them(
    tmp_path: Path, preset: str, supported: int
) -> None:
    """An edit finds its text in the restored file; a preset that restores none leaves it without."""
    read = did("Read", arrowed("\n".join(f"value_{index} = 1" for index in range(90))), file_path="/p/a.py")
    edit = did("Edit", "ok", file_path="/p/a.py", old_string="value_7 = 1", new_string="value_7 = 2")
    talk = [turn(2 + index, did("Bash", "ok", command="true"), says="talk " * 3_000) for index in range(4)]
    session = recorded(tmp_path, turn(0, read), *talk, turn(9, edit), turn(12, says="Done."))
    run = Simulation(session, PRESETS[preset], window=16_000)
    figures = run.run()
    assert figures.summaries > 0
    assert (figures.edits, figures.supported) == (1, supported)


def test_what_a_summary_costs() -> None:
    """The history from the cache, or the history as text at the price of input; and what is written."""
    history: list[Message] = [{"role": "user", "content": [text("word " * 1_000)]}]
    usual, serial = SummaryRule(), SummaryRule(is_serialised=True)
    size = PROMPT_TOKENS + 1_150
    assert summary_price(usual, history, size) == pytest.approx(0.1 * size + OUTPUT * SUMMARY_TOKENS)
    words = plan_serialised(history, "")[0]
    assert summary_price(serial, history, size) == text_tokens(words) + OUTPUT * 2_000
    assert block_tokens(text(stand_in(usual))) == pytest.approx(SUMMARY_TOKENS, rel=0.01)
    assert block_tokens(text(stand_in(serial))) == pytest.approx(2_000, rel=0.01)


def test_the_table_says_whose_summaries_read_no_cache(long: Recorded) -> None:
    """In its row, and what the star means below."""
    rows = {name: row_of("s", name, Simulation(long, PRESETS[name]).run()) for name in ("classic", "off")}
    assert "classic *" in text_table([rows["classic"]])
    assert UNCACHED in text_table([*rows.values()])
    assert UNCACHED not in text_table([rows["off"]])
