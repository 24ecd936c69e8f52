"""The figures on real sessions; they are not part of the project, so that a variable says where they are."""

import os
from pathlib import Path

import pytest

from agent.replay.command import rows_of
from agent.replay.source import read_session
from agent.replay.table import Row

FOLDER = os.environ.get("PALIMPSEST_CORPUS", "")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="PALIMPSEST_CORPUS does not name a folder of real sessions"
)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Of all sessions in the folder."""
    sessions = [read_session(path) for path in sorted(Path(FOLDER).glob("*.jsonl"))]
    return rows_of(sessions, ["balanced", "off"], 200_000)


def of_all(rows: list[Row], preset: str) -> Row:
    return next(row for row in rows if row["preset"] == preset and row["session"] == "all")


def test_balanced_is_cheap_and_keeps_what_is_needed(rows: list[Row]) -> None:
    """On the sessions together."""
    row = of_all(rows, "balanced")
    assert row["cost"] is not None
    assert row["support"] is not None
    assert row["first_use"] is not None
    assert row["cost"] <= 0.58
    assert row["support"] >= 0.96
    assert row["first_use"] >= 0.90


def test_whatever_leaves_a_real_session_can_be_read_again(rows: list[Row]) -> None:
    """Every byte, in every session."""
    assert {row["recoverability"] for row in rows} == {1.0}


def test_marks_cost_little_more_than_every_prefix(rows: list[Row]) -> None:
    """The marks that the product sets find nearly all that could be read."""
    row = of_all(rows, "balanced")
    assert row["cost"] is not None
    assert row["cost_marks"] is not None
    assert row["cost_marks"] <= row["cost"] + 0.02
