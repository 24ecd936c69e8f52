"""The status bar as a line."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.terminal.status_bar import Status, short_model, status_line

SGR = re.compile("\x1b\\[[0-9;]*m")
FULL = Status(
    model="claude-sonnet-5-5",
    size=61_200,
    is_estimate=True,
    window=200_000,
    threshold=167_000,
    cache_share=0.96,
    usd=0.42,
    is_price_known=True,
    compactions=2,
    last_compaction="summary −18.4k 2m ago",
    mode="ask",
    sandbox="sandbox",
    branch="main*",
    turns_left=7,
    queued=2,
    step_s=62,
    quiet_s=42,
)
PARTS = {
    "branch": "main*",
    "forecast": "7 turns to compaction",
    "compaction": "(summary −18.4k 2m ago)",
    "step": "step 1 min",
    "count": "⟲ 2",
    "cache": "cache 96%",
    "model": "sonnet-5.5",
    "queued": "2 queued",
    "quiet": "quiet for 42 s",
    "cost": "$0.42",
    "sandbox": "sandbox",
    "mode": "ask",
}
"""What may go, in the order in which it goes."""


def shown(status: Status, width: int) -> str:
    (line,) = status_line(status, width)
    return SGR.sub("", line)


def test_a_wide_screen_has_it_all() -> None:
    """In one order, parted by dots."""
    assert shown(FULL, 195) == (
        "sonnet-5.5 · ███░░░░░░░ 61.2k~/200k 31% · cache 96% · $0.42 · ⟲ 2 · (summary −18.4k 2m ago) · "
        "7 turns to compaction · 2 queued · step 1 min · quiet for 42 s · ask · sandbox · main*"
    )


@pytest.mark.parametrize("width", range(20, 251))
def test_it_fits_every_width(width: int) -> None:
    """One line, not wider than the screen, that keeps bar, size and percentage."""
    line = shown(FULL, width)
    assert cell_len(line) < width
    assert "░ 61.2k~/200k 31%" in line


def test_what_goes_first() -> None:
    """Whatever is still there, all that goes later is there too."""
    for width in range(20, 251):
        there = [part in shown(FULL, width) for part in PARTS.values()]
        assert there == sorted(there), width


@given(
    st.integers(0, 3_000_000),
    st.integers(16_000, 1_000_000),
    st.text(max_size=30),
    st.text(max_size=30),
    st.integers(20, 250),
)
def test_it_fits_whatever_it_is_told(size: int, window: int, model: str, branch: str, width: int) -> None:
    """Odd names and a context over its window included."""
    status = replace(FULL, size=size, window=window, threshold=window - 1, model=model, branch=branch)
    assert cell_len(shown(status, width)) <= width


def test_colours_warn_near_the_threshold() -> None:
    """Green, then yellow, then red; the percentage says the same without colour."""
    lines = [status_line(replace(FULL, size=size), 100)[0] for size in (80_000, 130_000, 160_000)]
    assert [re.findall("\x1b\\[(3\\d)m█", line) for line in lines] == [["32"], ["33"], ["31"]]


def test_what_is_not_known_is_not_shown() -> None:
    """Before the first reply there is no cache share, outside of a repository no branch."""
    bare = replace(
        FULL,
        cache_share=None,
        branch="",
        compactions=0,
        last_compaction="",
        is_estimate=False,
        turns_left=None,
    )
    bare = replace(bare, queued=0, step_s=None, quiet_s=None, sandbox="")
    assert shown(bare, 120) == "sonnet-5.5 · ███░░░░░░░ 61.2k/200k 31% · $0.42 · ask"


def test_short_model() -> None:
    """The vendor's prefix goes, the version gets its dot."""
    names = ["claude-sonnet-5-5", "claude-opus-5", "us.anthropic/claude-haiku-4-5", "qwen3-coder"]
    assert [short_model(name) for name in names] == ["sonnet-5.5", "opus-5", "haiku-4.5", "qwen3-coder"]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"turns_left": 1}, "1 turn to compaction"),
        ({"turns_left": 0}, "compaction next turn"),
        ({"is_paused": True}, "compaction paused"),
        ({"is_off": True, "is_paused": True}, "compaction off"),
        ({"turns_left": 50}, "50 turns to compaction"),
        ({"size": 130_000}, "130k~/200k 65%!"),
        ({"size": 160_000}, "160k~/200k 80%!!"),
    ],
)
def test_what_is_near_is_said_without_colour(changes: dict[str, Any], wanted: str) -> None:
    """One mark in amber, two in red; how many turns are left, in words."""
    assert f"{wanted} ·" in shown(replace(FULL, **changes), 175)


def test_what_is_nothing_is_not_shown() -> None:
    """No forecast, or one that is too far away; no queue; no step that has just begun, or of which something comes."""
    for turns_left in (None, 51):
        line = shown(replace(FULL, turns_left=turns_left, queued=0, step_s=1, quiet_s=14), 175)
        assert not any(word in line for word in ("turn", "queued", "step", "quiet"))
