"""The command that measures all: it prints one JSON object, and ten compactions in a row lose nothing."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.benchmarks.cascades import COMPACTIONS, Cascade, played
from tests.benchmarks.ledger_score import Done, score, told
from tests.benchmarks.planted import FACTS, places
from tests.support.rolling_corpus import FOLDER
from tests.support.rolling_play import good_summary
from tests.support.rolling_shapes import Setting
from tests.support.sources import ROOT

COMMAND = [sys.executable, "-m", "tests.benchmarks", "--quick", "--only"]


def printed(*names: str) -> dict[str, Any]:
    """What the command prints of some parts, without recorded sessions."""
    environment = {name: value for name, value in os.environ.items() if name != FOLDER}
    done = subprocess.run(
        [*COMMAND, *names], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def cascades() -> dict[str, Any]:
    """Summariser -> what the command prints of its cascade."""
    found: dict[str, Any] = printed("cascades")["cascades"]
    return found


def test_cascades_lose_nothing(cascades: dict[str, Any]) -> None:
    """With every summariser the user's words stand in every request, and each planted fact can be read again."""
    assert list(cascades) == ["good", "hostile", "empty", "echoing"]
    for name, figures in cascades.items():
        assert figures["words"] == {"pins": 1.0, "active": 1.0, "steering": 1.0}, name
        assert figures["ever_lost"] == [], name
        assert [shares["lost"] for shares in figures["facts"].values()] == [0.0] * len(FACTS), name
        assert len(figures["view_tokens"]) == COMPACTIONS
        assert figures["compactions"]["summary"] >= COMPACTIONS


def test_the_ledger_and_its_file_tell_all(cascades: dict[str, Any]) -> None:
    """Nothing in the ledger was not done, and with its file nothing that was done is missing, whoever summarises."""
    for name, figures in cascades.items():
        for part in ("files", "commands"):
            assert figures["ledger"]["in_view"][part]["precision"] == 1.0, name
            assert figures["ledger"]["with_file"][part]["f1"] == 1.0, name


def test_parts_without_their_sessions_are_skipped() -> None:
    """Where no recorded sessions are to be had, the parts that need them say so."""
    found = printed("meter", "replay")
    assert list(found) == ["meter", "replay"]
    assert all(FOLDER in part["skipped"] for part in found.values())


@pytest.fixture(scope="module")
def cascade() -> Cascade:
    """A session that has been played."""
    return played(Setting(), good_summary)


def test_a_fact_is_lost_when_its_file_is(cascade: Cascade) -> None:
    """What only a file holds counts as lost without the file, and what stands in the view does not."""
    with_disk = places(cascade.view_text(), cascade.rolling.disk)
    without = places(cascade.view_text(), {})
    away = {fact for fact, place in with_disk.items() if place != "view"}
    assert away
    assert {fact for fact, place in without.items() if place == "lost"} == away


def test_an_archive_leads_to_the_next(cascade: Cascade) -> None:
    """A path counts in the view and in an archive that stands there, and no further."""
    fact, chain = FACTS["paths"][0], [f".transcripts/s/archive-00{number}.md" for number in (1, 2, 3)]
    disk = {chain[0]: chain[1].encode(), chain[1]: f"    {fact} {chain[2]}".encode()}
    assert places(chain[1], disk)[fact] == "one_file"
    assert places(chain[0], disk)[fact] == "two_files"
    far = {chain[0]: chain[1].encode(), chain[1]: chain[2].encode(), chain[2]: fact.encode()}
    assert places(chain[0], far)[fact] == "lost"


def test_a_ledger_is_read_line_by_line() -> None:
    """Files by what was done to them, commands by their last exit code; other lines say nothing."""
    lines = (
        "- read a.py 1-9, 12 (step 3)",
        "- edited a.py (3 times, last step 8)",
        "- wrote b.py 1-2 (step 4)",
        "- ran pytest (all): exit code 1 (2 times, last step 9); failing: test_x",
        "- ran sleep 9: did not finish (step 5)",
        "- archive .transcripts/s/archive-001.md",
    )
    found = told("\n".join(lines))
    assert found.files == {("read", "a.py"), ("edited", "a.py"), ("wrote", "b.py")}
    assert found.commands == {("pytest (all)", "1")}


def test_the_score_punishes_both_ways() -> None:
    """What is missing lowers recall, what was never done precision."""
    declared = Done(files={("read", "a.py"), ("read", "b.py")}).files
    assert score({("read", "a.py")}, declared) == {"precision": 1.0, "recall": 0.5, "f1": 0.6667}
    assert score(declared | {("wrote", "c.py")}, declared) == {"precision": 0.6667, "recall": 1.0, "f1": 0.8}
