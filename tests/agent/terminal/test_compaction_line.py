"""The one line of a compaction, at any width."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.terminal.compaction_line import compaction_line

SGR = re.compile("\x1b\\[[0-9;]*m")
KEPT = "141 kept in archive-003.md"
SUMMARY = {
    "layer": "summary",
    "before": 164_000,
    "after": 23_800,
    "dropped": 141,
    "archive": ".transcripts/x/archive-003.md",
    "usage": {"output_tokens": 4_900},
    "facts": {"score": 0.976, "total": 42, "missing": ["a"], "unknown": []},
    "parts": ["context", "ledger", "summary", "file", "file", "request"],
}
MICRO = {
    "layer": "micro",
    "before": 92_100,
    "after": 61_400,
    "dropped": 9,
    "rewritten": 31_000,
    "payback_steps": 3.2,
}


def shown(receipt: dict[str, Any], width: int) -> str:
    """The line without colours."""
    return SGR.sub("", compaction_line(receipt, width)).removesuffix("\n")


@pytest.mark.parametrize(
    ("receipt", "width", "line"),
    [
        (
            SUMMARY,
            120,
            f"⟲ summary · 164k → 23.8k · {KEPT} · facts 41/42 · 2 files restored · 4.9k written · /compact undo",
        ),
        (SUMMARY, 84, "⟲ summary · 164k → 23.8k · 141 kept in archive-003.md · facts 41/42 · /compact undo"),
        (SUMMARY, 60, "⟲ summary · 164k → 23.8k · facts 41/42 · /compact undo"),
        (SUMMARY, 40, "⟲ summary · 164k → 23.8k · /compact undo"),
        (SUMMARY, 38, "⟲ summary · 164k→23.8k · /compact undo"),
        (SUMMARY, 30, "⟲ summary · /compact undo"),
        (SUMMARY, 20, "⟲ /compact undo"),
        (
            MICRO,
            100,
            "⟲ micro · 92.1k → 61.4k · 9 kept on disk · cache re-write 31k, pays after 4 steps · /compact undo",
        ),
        (MICRO, 48, "⟲ micro · 92.1k → 61.4k · /compact undo"),
        ({"layer": "snip", "before": 9, "after": 8}, 80, "⟲ snip · 9 → 8 · /compact undo"),
    ],
)
def test_what_is_worth_least_goes_first(receipt: dict[str, Any], width: int, line: str) -> None:
    """Details are dropped whole, one after the other; the sizes stay long, the way back always."""
    assert shown(receipt, width) == line


RECEIPTS = st.fixed_dictionaries(
    {
        "layer": st.sampled_from(["summary", "micro", "snip", "reactive", "budget"]),
        "before": st.integers(0, 10**7),
        "after": st.integers(0, 10**7),
    },
    optional={
        "dropped": st.integers(0, 9_999),
        "archive": st.text(max_size=80),
        "rewritten": st.integers(0, 10**6),
        "payback_steps": st.floats(0, 1e4),
        "usage": st.just({"output_tokens": 4_900}),
        "facts": st.just({"score": 0.5, "total": 42}),
        "parts": st.lists(st.sampled_from(["file", "summary"]), max_size=9),
    },
)


@given(RECEIPTS, st.integers(20, 250))
def test_the_way_back_is_never_lost(receipt: dict[str, Any], width: int) -> None:
    """From 20 columns on it is one line, no wider than the screen, that ends in the command to undo it."""
    line = shown(receipt, width)
    assert line.startswith("⟲ ")
    assert line.endswith("/compact undo")
    assert cell_len(line) <= width
    assert "\n" not in line
    assert "\x1b" not in line
